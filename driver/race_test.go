package driver_test

import (
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/timerbench/timerbench/driver"
)

// These tests use the real clock, because only then do goroutines interfere with each other. They
// wait for events and not for times.

// eachOnce waits until each value has ended, and checks that none has ended twice.
func eachOnce(t *testing.T, ends []atomic.Int32) {
	t.Helper()
	for value := range ends {
		for ends[value].Load() == 0 {
			runtime.Gosched()
		}
		if n := ends[value].Load(); n > 1 {
			t.Fatalf("value %d has ended %d times", value, n)
		}
	}
}

// A timer that goroutines start and stop while it fires runs once for each start that was not stopped: once for
// its creation and for each Reset that returned false, minus each Stop that returned true.
func TestStopAndResetRaceWithFire(t *testing.T) {
	bySetup(t, func(t *testing.T, d *driver.Driver) {
		for round := range 30 {
			var started, stopped, ran atomic.Int64
			started.Store(1)
			run := func() { ran.Add(1) }
			var stop func() bool
			var reset func(time.Duration) bool
			if round%2 == 0 {
				timer := d.AfterFunc(time.Hour, run)
				stop, reset = timer.Stop, timer.Reset
			} else {
				h := d.Schedule(100*µs, run)
				stop = h.Stop
				reset = func(delay time.Duration) bool { h.Reset(delay); return true } // it starts no timer
			}
			var wg sync.WaitGroup
			for g := range 4 {
				wg.Go(func() {
					rng := rand.New(rand.NewPCG(uint64(round), uint64(g)))
					for range 50 {
						if rng.IntN(3) == 0 && stop() {
							stopped.Add(1)
						} else if !reset(time.Duration(rng.IntN(200)) * µs) {
							started.Add(1)
						}
						for range rng.IntN(50) {
							runtime.Gosched()
						}
					}
				})
			}
			wg.Wait()
			if stop() {
				stopped.Add(1)
			}
			for ran.Load()+stopped.Load() < started.Load() {
				runtime.Gosched()
			}
			if ran.Load()+stopped.Load() > started.Load() {
				t.Fatalf("started %d times, stopped %d times, ran %d times", started.Load(), stopped.Load(), ran.Load())
			}
		}
		if s := d.Stats(); s.Pending != 0 {
			t.Errorf("%+v", s)
		}
	}, driver.Tick(50*µs))
}

// After a receive from one of two channel timers, Stop or Reset of the other tells whether there
// is a value to receive: there is one if it returns false.
func TestStopOfAChanTimerTellsWhetherThereIsAValue(t *testing.T) {
	for name, end := range map[string]func(*driver.ChanTimer) bool{
		"Stop":  (*driver.ChanTimer).Stop,
		"Reset": func(c *driver.ChanTimer) bool { return c.Reset(time.Hour) },
	} {
		t.Run(name, func(t *testing.T) {
			d := newDriver(t)
			var wg sync.WaitGroup
			for range 100 {
				wg.Go(func() {
					for range 10 {
						a, b := d.NewTimer(ms), d.NewTimer(ms)
						var other *driver.ChanTimer
						select {
						case <-a.C:
							other = b
						case <-b.C:
							other = a
						}
						if !end(other) {
							t.Error("a value of nobody's was received")
						}
						select {
						case <-other.C:
							t.Error("a stale value")
						default:
						}
					}
				})
			}
			wg.Wait()
		})
	}
}
