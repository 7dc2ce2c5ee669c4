package driver_test

import (
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/timerbench/timerbench/driver"
)

// received reports what is in a channel once everybody has come to rest.
func received(c <-chan time.Time) (at time.Time, ok bool) {
	synctest.Wait()
	select {
	case at = <-c:
		return at, true
	default:
		return at, false
	}
}

func mustReceive(t *testing.T, c <-chan time.Time, want time.Time) {
	t.Helper()
	if at, ok := received(c); !ok || !at.Equal(want) {
		t.Errorf("received %v, %t, want %v", at, ok, want)
	}
}

func mustBeEmpty(t *testing.T, c <-chan time.Time) {
	t.Helper()
	if at, ok := received(c); ok {
		t.Errorf("received %v", at)
	}
}

// A receiver that waits follows the timer wherever it is moved.
func TestAReceiverWaitsForATimerThatIsMoved(t *testing.T) {
	inBubble(t, func(t *testing.T, d *driver.Driver) {
		start := time.Now()
		c := d.NewTimer(100 * time.Second)
		got := make(chan time.Duration, 2)
		for range 2 {
			go func() { got <- (<-c.C).Sub(start) }()
		}
		time.Sleep(time.Second)
		c.Reset(200 * time.Second)
		time.Sleep(time.Second)
		c.Reset(time.Second)
		if at := <-got; at != 3*time.Second {
			t.Errorf("received %v", at)
		}
		c.Reset(time.Second)
		if at := <-got; at != 4*time.Second {
			t.Errorf("received %v", at)
		}
	})
}

// A period that is no multiple of the driver's tick does not drift: what is due comes at
// the driver's tick after a multiple of the period.
func TestTickerDoesNotDrift(t *testing.T) {
	for _, period := range []time.Duration{1, 1700 * µs, 999 * µs, 3333333, ms} {
		synctest.Test(t, func(t *testing.T) {
			d := newDriver(t)
			start := time.Now()
			k := d.NewTicker(period)
			n := 0
			for at := time.Duration(0); at < 10*time.Second; n++ {
				last := at
				at = (<-k.C).Sub(start)
				if at%ms != 0 || at-at/period*period >= ms || at <= last {
					t.Fatalf("period %v: a tick at %v, the one before at %v", period, at, last)
				}
			}
			if want := int((10*time.Second + ms - 1) / max(ms, period)); n != want {
				t.Errorf("period %v: %d ticks in 10 s, want %d", period, n, want)
			}
		})
	}
}

// After a stall the ticker goes on where it would have been.
func TestTickerAfterAStall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDriver(t, driver.Inline())
		start := time.Now()
		k := d.NewTicker(10 * ms)
		d.Schedule(25*ms, func() { time.Sleep(100 * ms) })
		for _, want := range []time.Duration{10, 20, 125, 130, 140} {
			if at := (<-k.C).Sub(start); at != want*ms {
				t.Errorf("a tick at %v, want %v", at, want*ms)
			}
		}
	})
}

// A value has its zone also where nobody else knows that any more.
func TestTheZoneOfAValueIsKept(t *testing.T) {
	d := newDriver(t)
	var collected atomic.Bool
	old := time.Local
	time.Local = time.FixedZone("one of a test", 3600)
	runtime.AddCleanup(time.Local, func(struct{}) { collected.Store(true) }, struct{}{})
	c := d.After(0)
	for len(c) == 0 {
		runtime.Gosched()
	}
	time.Local = old
	for range 10 {
		runtime.GC()
		runtime.Gosched()
	}
	if collected.Load() {
		t.Fatal("the zone is gone")
	}
	if at := <-c; at.Location().String() != "one of a test" {
		t.Errorf("received %v", at)
	}
}
