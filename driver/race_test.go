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

// These tests go by the real clock: only that gets goroutines into each other's way. None
// of them waits for a time to pass, but for something to happen.

// eachOnce waits until each of the values that are counted has ended, and makes sure that
// none has twice.
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

// A timer that is started and stopped as it fires either runs or was stopped.
func TestStopRacesWithFire(t *testing.T) {
	for _, s := range setups {
		t.Run(s.name, func(t *testing.T) {
			d := newDriver(t, append([]driver.Option{driver.Tick(50 * µs)}, s.opts...)...)
			var ran, stopped atomic.Int64
			var all, goroutines sync.WaitGroup
			const n = 2000
			for g := range 4 {
				goroutines.Go(func() {
					rng := rand.New(rand.NewPCG(1, uint64(g)))
					for range n {
						all.Add(1)
						delay := time.Duration(rng.IntN(200)) * µs
						var stop func() bool
						f := func() {
							ran.Add(1)
							all.Done()
						}
						if rng.IntN(2) == 0 {
							stop = d.AfterFunc(delay, f).Stop
						} else {
							stop = d.Schedule(delay, f).Stop
						}
						for range rng.IntN(100) {
							runtime.Gosched()
						}
						var two sync.WaitGroup
						for range 2 { // at most one of them stops it
							two.Go(func() {
								if stop() {
									stopped.Add(1)
									all.Done()
								}
							})
						}
						two.Wait()
					}
				})
			}
			goroutines.Wait()
			all.Wait()
			if ran.Load()+stopped.Load() != 4*n {
				t.Errorf("%d have run, %d were stopped, of %d", ran.Load(), stopped.Load(), 4*n)
			}
			if s := d.Stats(); int64(s.Fired) != ran.Load() || int64(s.Stopped) != stopped.Load() || s.Pending != 0 {
				t.Errorf("%d have run, %d were stopped, %+v", ran.Load(), stopped.Load(), s)
			}
		})
	}
}

// A timer that is reset as it fires, by several goroutines, runs as often as it was started:
// when it was made, and by each Reset that returned false.
func TestResetRacesWithFire(t *testing.T) {
	for _, s := range setups {
		t.Run(s.name, func(t *testing.T) {
			d := newDriver(t, append([]driver.Option{driver.Tick(50 * µs)}, s.opts...)...)
			for range 4 {
				var started, ran atomic.Int64
				started.Store(1)
				var timer *driver.Timer
				begin, done := make(chan struct{}), make(chan struct{})
				timer = d.AfterFunc(time.Hour, func() {
					if ran.Add(1); ran.Load() == 10 {
						close(done)
					}
				})
				var wg sync.WaitGroup
				for g := range 3 {
					wg.Go(func() {
						rng := rand.New(rand.NewPCG(2, uint64(g)))
						<-begin
						for {
							select {
							case <-done:
								return
							default:
							}
							if !timer.Reset(time.Duration(rng.IntN(100)) * µs) {
								started.Add(1)
							}
							for range rng.IntN(20) {
								runtime.Gosched()
							}
						}
					})
				}
				close(begin)
				wg.Wait()
				if timer.Stop() {
					started.Add(-1)
				}
				for ran.Load() < started.Load() {
					runtime.Gosched()
				}
				if ran.Load() > started.Load() {
					t.Fatalf("started %d times, ran %d times", started.Load(), ran.Load())
				}
			}
		})
	}
}

// Where one of two channel timers is received from, the other one says by Stop or Reset
// whether there is a value to be received: there is one if it returns false.
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

// Many goroutines receive from one timer, which any of them resets.
func TestManyGoroutinesShareAChanTimer(t *testing.T) {
	d := newDriver(t)
	c, k := d.NewTimer(1), d.NewTicker(1)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 20 {
				select {
				case <-c.C:
				case <-k.C:
				case <-d.After(time.Minute):
					t.Error("nothing for a minute")
				}
				c.Reset(1)
			}
		})
	}
	wg.Wait()
}

// A timer that is moved to earlier again and again fires all the same.
func TestATimerMovedToEarlierAgainAndAgainFires(t *testing.T) {
	d := newDriver(t)
	for range 200 {
		c := make(chan struct{}, 1)
		timer := d.AfterFunc(time.Hour, func() { c <- struct{}{} })
		for range 10 {
			if !timer.Stop() {
				<-c
			}
			timer.Reset(-time.Hour)
		}
		select {
		case <-c:
		case <-time.After(time.Minute):
			t.Fatal("the timer does not fire")
		}
	}
}

// No timer is early by the clock that those see who start it and those whom it runs.
func TestNoTimerIsEarly(t *testing.T) {
	for _, tick := range []time.Duration{1, 10 * µs, 100 * µs, ms} {
		t.Run(tick.String(), func(t *testing.T) {
			d := newDriver(t, driver.Tick(tick))
			var wg, fired sync.WaitGroup
			for g := range 4 {
				wg.Go(func() {
					rng := rand.New(rand.NewPCG(4, uint64(g)))
					for range 5000 {
						fired.Add(1)
						delay := time.Duration(rng.IntN(int(3 * ms)))
						start := time.Now()
						d.Schedule(delay, func() {
							if took := time.Since(start); took < delay {
								t.Errorf("%v passed, want at least %v", took, delay)
							}
							fired.Done()
						})
					}
				})
			}
			wg.Wait()
			fired.Wait()
		})
	}
}
