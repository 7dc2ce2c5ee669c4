package driver_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/timerbench/timerbench/driver"
)

func newDriver(t testing.TB, opts ...driver.Option) *driver.Driver {
	t.Helper()
	d, err := driver.New(opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	return d
}

func TestAfterFunc(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDriver(t)
		start := time.Now()
		fired := make(chan time.Duration, 3)
		d.AfterFunc(3500*time.Microsecond, func() { fired <- time.Since(start) })
		d.Schedule(time.Hour, func() { fired <- time.Since(start) })
		if !d.AfterFunc(time.Minute, func() { t.Error("fired") }).Stop() {
			t.Error("not pending")
		}
		for _, want := range []time.Duration{4 * time.Millisecond, time.Hour} {
			if got := <-fired; got != want {
				t.Errorf("fired after %v, want %v", got, want)
			}
		}
		t.Logf("%+v", d.Stats())
	})
}
