package driver_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/timerbench/timerbench/driver"
)

// retry calls try until it succeeds or the tries are used up, and then calls done. After each
// failure it waits about twice as long as before. The times are random, so that calls that have
// failed together are not repeated together. While it waits it has no goroutine.
func retry(d *driver.Driver, tries int, wait time.Duration, try func() error, done func(error)) {
	err := try()
	if err == nil || tries == 1 {
		done(err)
		return
	}
	delay := wait/2 + rand.N(wait)
	d.Schedule(delay, func() { retry(d, tries-1, 2*wait, try, done) })
}

// Failed calls are repeated, after delays that double.
func Example_retry() {
	d, _ := driver.New() // without options there is no error
	defer d.Close()

	n := 0
	flaky := func() error {
		if n++; n < 4 {
			return errors.New("no connection")
		}
		return nil
	}
	result := make(chan error)
	retry(d, 10, time.Millisecond, flaky, func(err error) { result <- err })
	fmt.Println("error:", <-result, "after", n, "tries")

	broken := func() error { return errors.New("no such host") }
	retry(d, 3, time.Millisecond, broken, func(err error) { result <- err })
	fmt.Println("error:", <-result)
	// Output:
	// error: <nil> after 4 tries
	// error: no such host
}
