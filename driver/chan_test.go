package driver_test

import (
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/timerbench/timerbench/driver"
)

// received returns the value in a channel after all goroutines have come to rest.
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

// After a stall the ticks are where they would have been without it.
func TestTickerAfterAStall(t *testing.T) {
	driver.Alone(t, func(t *testing.T, d *driver.Driver) {
		start := time.Now()
		k := d.NewTicker(10 * ms)
		d.Schedule(25*ms, func() { time.Sleep(100 * ms) })
		for _, want := range []time.Duration{10, 20, 125, 130, 140} {
			if at := (<-k.C).Sub(start); at != want*ms {
				t.Errorf("a tick at %v, want %v", at, want*ms)
			}
		}
	}, driver.Inline())
}

// A ticker ends when its channel is garbage, and goes on while something refers to the channel or to the ticker.
func TestATickerThatNothingRefersToEnds(t *testing.T) {
	driver.Alone(t, func(t *testing.T, d *driver.Driver) {
		func() {
			for range 10 {
				d.NewTicker(time.Second)
				<-d.NewTicker(time.Second).C
			}
		}()
		c := func() <-chan time.Time { return d.NewTicker(time.Second).C }()
		k := d.NewTicker(time.Second)
		for i := 0; d.Len() > 2 && i < 20; i++ {
			runtime.GC()
			time.Sleep(time.Second)
			<-c
		}
		if s := d.Stats(); s.Pending != 2 || s.Started != s.Pending+s.Fired+s.Stopped || s.Stopped != 20 || s.Lateness.Count() != s.Fired {
			t.Errorf("%+v, want 2 pending, 20 stopped, and the lateness of those that have fired", s)
		}
		mustBeEmpty(t, c)
		<-c
		k.Reset(time.Second)
		<-k.C
		k.Stop()
	})
}

// A value keeps its zone when no other reference to the zone exists.
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
