package driver_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/timerbench/timerbench/driver"
)

// retry calls try until it succeeds, at most so many times, and then done. It waits twice as
// long after each failure, more or less, so that those who have failed together do not come
// back together. While it waits there is no goroutine.
func retry(d *driver.Driver, tries int, wait time.Duration, try func() error, done func(error)) {
	err := try()
	if err == nil || tries == 1 {
		done(err)
		return
	}
	delay := wait/2 + rand.N(wait)
	d.Schedule(delay, func() { retry(d, tries-1, 2*wait, try, done) })
}

// Calls that fail are tried again, after a time that doubles.
func Example_retry() {
	d, err := driver.New()
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = d.Close() }()

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
