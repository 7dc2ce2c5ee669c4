package driver_test

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/timerbench/timerbench/driver"
)

var errSilent = errors.New("no answer for a minute")

// ask waits for an answer for at most a minute.
func ask(d *driver.Driver, answers <-chan string) (string, error) {
	timeout := make(chan struct{})
	timer := d.AfterFunc(time.Minute, func() { close(timeout) })
	defer timer.Stop()
	select {
	case answer := <-answers:
		return answer, nil
	case <-timeout:
		return "", errSilent
	}
}

func TestAskGivesUpAfterAMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, err := driver.New() // in the bubble, so that it runs by the clock of the bubble
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close() // or else its timers would be left at the end
		answers := make(chan string, 1)
		start := time.Now()
		if _, err := ask(d, answers); !errors.Is(err, errSilent) || time.Since(start) != time.Minute {
			t.Errorf("%v after %v", err, time.Since(start))
		}
		d.AfterFunc(59*time.Second, func() { answers <- "yes" })
		if answer, err := ask(d, answers); answer != "yes" || err != nil || d.Len() != 0 {
			t.Errorf("%q, %v, %d timers", answer, err, d.Len())
		}
	})
}
