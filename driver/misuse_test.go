package driver_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/timerbench/timerbench/driver"
)

// mustPanic makes sure that a call panics with a sentence.
func mustPanic(t *testing.T, sentence string, call func()) {
	t.Helper()
	defer func() {
		t.Helper()
		if got := fmt.Sprint(recover()); !strings.HasPrefix(got, "driver: ") || !strings.Contains(got, sentence) {
			t.Errorf("panicked with %q, want %q", got, sentence)
		}
	}()
	call()
}

func TestWhatIsNilIsRefused(t *testing.T) {
	d := newDriver(t)
	var timer driver.Timer
	ticker := d.NewTicker(1<<63 - 1)
	for sentence, call := range map[string]func(){
		"non-positive period of a Ticker":      func() { d.NewTicker(-1) },
		"period of a Ticker":                   func() { ticker.Reset(0) },
		"AfterFunc: the function is nil":       func() { d.AfterFunc(time.Hour, nil) },
		"Schedule: the function is nil":        func() { d.Schedule(time.Hour, nil) },
		"Init: the function is nil":            func() { d.Init(&timer, nil) },
		"At: the function is nil":              func() { d.At(time.Now(), nil) },
		"Every: the function is nil":           func() { d.Every(driver.Periodic(time.Now(), 1), nil) },
		"Every: the recurrence is nil":         func() { d.Every(nil, nothing) },
		"NewKeyed: the function is nil":        func() { driver.NewKeyed[int, int](d, nil) },
		"NewKeyed: the driver is nil":          func() { driver.NewKeyed(nil, func(int, int) {}) },
		"NewQueue: the driver is nil":          func() { driver.NewQueue[int](nil) },
		"OnMissed(7): want Coalesce":           func() { driver.OnMissed(driver.Periodic(time.Now(), 1), 7) },
		"Periodic(0s): want a period of at le": func() { driver.Periodic(time.Now(), 0) },
	} {
		mustPanic(t, sentence, call)
	}
	mustPanic(t, "the recurrence is nil", func() { d.Every(driver.OnMissed(nil, driver.Skip), nothing) })
	var none *driver.Timer
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the nil Timer can be stopped")
			}
		}()
		none.Stop()
	}()
	ticker.Stop() // nothing has stayed locked
	if d.Len() != 0 {
		t.Errorf("%d are pending", d.Len())
	}
}

func TestTheZeroDriverIsRefused(t *testing.T) {
	var d driver.Driver
	var timer driver.Timer
	for name, call := range map[string]func(){
		"AfterFunc": func() { d.AfterFunc(0, nothing) },
		"Schedule":  func() { d.Schedule(time.Hour, nothing) },
		"Init":      func() { d.Init(&timer, nothing) },
		"At":        func() { d.At(time.Now(), nothing) },
		"Every":     func() { d.Every(driver.Periodic(time.Now(), 1), nothing) },
		"NewTimer":  func() { d.NewTimer(time.Hour) },
		"NewTicker": func() { d.NewTicker(time.Hour) },
		"NewQueue":  func() { driver.NewQueue[int](&d) },
		"NewKeyed":  func() { driver.NewKeyed(&d, func(int, int) {}) },
		"Close":     func() { _ = d.Close() },
		"Shutdown":  func() { _, _ = d.Shutdown(context.Background()) },
	} {
		t.Run(name, func(t *testing.T) { mustPanic(t, "is the zero value: make one with New", call) })
	}
}

// A driver is for those inside the bubble that it was made in, or for those outside of all.
func TestADriverFromOutsideABubbleIsRefusedInside(t *testing.T) {
	outside := newDriver(t)
	timer, ticker := outside.AfterFunc(time.Hour, nothing), outside.NewTicker(time.Hour)
	for start := time.Now(); time.Since(start) < 10*µs; { // no reading of the clock is shared now
	}
	synctest.Test(t, func(t *testing.T) {
		for name, call := range map[string]func(){
			"AfterFunc": func() { outside.AfterFunc(time.Second, nothing) },
			"Schedule":  func() { outside.Schedule(time.Second, nothing) },
			"NewTimer":  func() { outside.NewTimer(time.Second) },
			"At":        func() { outside.At(time.Now(), nothing) },
			"Every":     func() { outside.Every(driver.Periodic(time.Now(), 1), nothing) },
			"Reset":     func() { timer.Reset(time.Second) },
			"Ticker":    func() { ticker.Reset(time.Second) },
		} {
			t.Log(name)
			mustPanic(t, "inside a testing/synctest bubble", call)
		}
	})
	if !timer.Stop() {
		t.Error("the timer is not pending")
	}
}

func TestInitRefusesATimerThatIsPending(t *testing.T) {
	inBubble(t, func(t *testing.T, d *driver.Driver) {
		var timer driver.Timer
		n := 0
		count := func() { n++ }
		d.Init(&timer, count)
		d.Init(&timer, count)
		timer.Reset(time.Second)
		mustPanic(t, "Init: the Timer is pending", func() { d.Init(&timer, explode) })
		time.Sleep(time.Minute)
		synctest.Wait()
		d.Init(&timer, count)
		timer.Reset(time.Second)
		timer.Stop()
		d.Init(&timer, count)
		timer.Reset(time.Second)
		_ = d.Close()

		// No timer is pending after Close.
		other := newDriver(t)
		other.Init(&timer, count)
		if timer.Stop() || timer.Reset(time.Hour) || !timer.Reset(time.Second) {
			t.Error("pending after Init")
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if n != 2 {
			t.Errorf("ran %d times, want 2", n)
		}
	})
}

// An owner that is set to zero while its timer is pending, as one does before it goes to a
// sync.Pool, is heard of, also where it is used again, by the same driver or another one. The
// timers that are started properly fire.
func TestATimerThatIsOverwrittenIsHeardOf(t *testing.T) {
	type conn struct {
		timer driver.Timer
		c     *driver.ChanTimer
	}
	for _, s := range setups {
		t.Run(s.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var mu sync.Mutex
				heard := 0
				d := newDriver(t, append([]driver.Option{driver.OnPanic(func(value any, _ []byte) {
					mu.Lock()
					defer mu.Unlock()
					if heard++; !strings.Contains(fmt.Sprint(value), "overwritten while it was pending") {
						t.Errorf("panicked with %v", value)
					}
				})}, s.opts...)...)
				l := newLog()
				drivers := []*driver.Driver{d, d, newDriver(t)}
				for i, again := range append(drivers, nil) {
					c := new(conn)
					d.Init(&c.timer, l.note("old"))
					c.timer.Reset(time.Second)
					c.c = d.NewTimer(time.Second)
					*c.c = driver.ChanTimer{}
					*c = conn{}
					if c.timer.Stop() {
						t.Error("the zero Timer is pending")
					}
					if again != nil {
						again.Init(&c.timer, l.note(fmt.Sprint("new ", i)))
						c.timer.Reset(2 * time.Second)
					}
				}
				d.Len() // locks each shard: the passes see what was written
				time.Sleep(time.Minute)
				synctest.Wait()
				l.want(t, "2s new 0", "2s new 1", "2s new 2")
				if heard != 8 {
					t.Errorf("heard of %d, want 8", heard)
				}
				if d.Len() != 0 {
					t.Errorf("%d are pending", d.Len())
				}
			})
		})
	}
}
