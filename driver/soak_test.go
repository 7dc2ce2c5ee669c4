package driver_test

import (
	"context"
	"flag"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/timerbench/timerbench/driver"
	"github.com/timerbench/timerbench/driver/crontab"
	"github.com/timerbench/timerbench/structures/auto"
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

var (
	soakTime   = flag.Duration("soak", time.Second/2, "how long to soak a driver")
	soakTimers = flag.Int("soak-timers", 10_000, "how many timers are soaked")
)

// TestSoak performs all operations on many timers from eight goroutines, by the real clock, and
// checks them against a model: each timer runs once for each start that was not stopped, none of
// them early, and no timer is left over at the end.
func TestSoak(t *testing.T) {
	each := *soakTime / time.Duration(3+len(setups))
	for _, s := range setups {
		t.Run(s.name, func(t *testing.T) { soak(t, each, s.opts...) })
	}
	t.Run("precise", func(t *testing.T) { soak(t, each, driver.Precise()) })
	t.Run("short-tick", func(t *testing.T) { soak(t, each, driver.Tick(1)) })
	t.Run("all-options", func(t *testing.T) {
		opts := []driver.Option{
			driver.Profiling(10), driver.Seed(1), driver.Tick(100 * µs),
			driver.Workers(8), driver.Budget(16), driver.Shards(5), driver.Structure(auto.New[driver.Task]),
			driver.OnPanic(func(value any, stack []byte) { t.Errorf("%v\n%s", value, stack) }),
		}
		if runtime.GOOS == "linux" {
			opts = append(opts, driver.Boottime())
		}
		soak(t, each, opts...)
	})
}

// soaked is a timer of TestSoak and its model.
type soaked struct {
	changing sync.Mutex // held during a change; other goroutines skip the timer
	mu       sync.Mutex
	soak     *soaking
	timer    *driver.Timer
	own      driver.Timer // timer, unless AfterFunc has made it
	handle   driver.Handle
	c        *driver.ChanTimer
	due      []time.Duration // deadlines of the starts that have not run yet
	pending  bool            // whether the last start is pending, as far as the model knows
}

type soaking struct {
	t       *testing.T
	d       *driver.Driver
	start   time.Time
	ran     atomic.Int64
	timers  []soaked
	changes sync.RWMutex // held while a timer is changed
	over    bool         // changes have ended; guarded by changes
}

func soak(t *testing.T, duration time.Duration, opts ...driver.Option) {
	d := newDriver(t, opts...)
	s := &soaking{t: t, d: d, start: time.Now(), timers: make([]soaked, *soakTimers)}
	for i := range s.timers {
		x := &s.timers[i]
		x.soak = s
		switch i % 8 {
		case 0:
			x.c = d.NewTimer(time.Hour)
			x.c.Stop()
		case 1, 2, 3:
			x.timer = d.AfterFunc(time.Hour, x.run)
			x.timer.Stop()
		case 4, 5:
			x.timer = &x.own
			d.Init(x.timer, x.run)
		}
	}
	begin := time.Now()
	var jobs []*driver.Timer
	var runs [3]atomic.Int64
	second := driver.Periodic(begin, time.Second)
	for i, r := range []driver.Recurrence{
		second, driver.Spread(second, 500*ms), crontab.InZone(time.Local, second),
	} {
		jobs = append(jobs, d.Every(r, func() { runs[i].Add(1) }))
	}
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			rng := rand.New(rand.NewPCG(8, uint64(g)))
			for i := 0; i%64 != 0 || !t.Failed() && (time.Since(begin) < duration || s.ran.Load() < 100); i++ {
				s.timers[rng.IntN(len(s.timers))].change(rng, true)
				for i%64 == 0 && d.Waiting() > 1000 {
					runtime.Gosched() // the functions do not keep up
				}
			}
		})
	}
	wg.Wait()
	for i, job := range jobs {
		if err := job.StopWait(context.Background()); err != nil {
			t.Errorf("StopWait of a job: %v", err)
		}
		if most := int64(time.Since(begin)/time.Second) + 1; runs[i].Load() > most {
			t.Errorf("job %d ran %d times, want %d at most", i, runs[i].Load(), most)
		}
	}
	s.end()
}

// someTime returns a delay: most are some seconds, some less than a tick.
func someTime(rng *rand.Rand) time.Duration {
	return time.Duration(math.Exp(rng.Float64()*17)*float64(µs)) - ms // to 24 s
}

// change performs an operation on a timer, unless another goroutine does. It waits for functions only
// if it may: two functions that wait for each other would never end.
func (x *soaked) change(rng *rand.Rand, mayWait bool) {
	if !x.changing.TryLock() {
		return
	}
	defer x.changing.Unlock()
	x.soak.changes.RLock()
	defer x.soak.changes.RUnlock()
	if x.soak.over {
		return
	}
	if mayWait && x.timer != nil && rng.IntN(16) == 0 {
		x.stopWait()
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	delay := x.soak.d.Jitter(someTime(rng), ms)
	at := time.Since(x.soak.start) + max(0, delay)
	switch op := rng.IntN(4); {
	case x.c != nil:
		x.changeChan(rng, delay)
	case x.timer != nil && op == 0:
		x.note(x.timer.Stop())
	case x.timer != nil && op == 1:
		x.note(x.timer.ResetWindow(delay, delay+delay.Abs()/8))
		x.begin(at)
	case x.timer != nil:
		x.note(x.timer.Reset(delay))
		x.begin(at)
	case op < 2:
		if x.handle.Reset(delay) { // else it may be due and wait to run
			x.note(true)
			x.begin(at)
		}
	default:
		if x.note(x.handle.Stop()); op == 2 {
			x.begin(at)
			x.handle = x.soak.d.Schedule(delay, x.run)
		}
	}
}

// stopWait stops the timer and waits for its function, after which no start is left.
func (x *soaked) stopWait() {
	if err := x.timer.StopWait(context.Background()); err != nil {
		x.soak.t.Errorf("StopWait: %v", err)
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.due, x.pending = x.due[:0], false
}

// begin records a start.
func (x *soaked) begin(at time.Duration) {
	x.due = append(x.due, at)
	x.pending = true
}

// note records whether the last start was pending. It no longer is.
func (x *soaked) note(was bool) {
	if was && (!x.pending || len(x.due) == 0) {
		x.soak.t.Errorf("a timer is pending that was not started; %d starts have not run", len(x.due))
	} else if was {
		x.due = x.due[:len(x.due)-1]
	}
	x.pending = false
}

// run is the function of the timer.
func (x *soaked) run() {
	x.mu.Lock()
	now := time.Since(x.soak.start)
	x.soak.ran.Add(1)
	if len(x.due) == 0 {
		x.soak.t.Errorf("a timer runs that was not started or was stopped")
		x.mu.Unlock()
		return
	}
	// If the timer was started again meanwhile, several runs are due, in any order.
	first := slices.Index(x.due, slices.Min(x.due))
	late := now - x.due[first]
	x.due = slices.Delete(x.due, first, first+1)
	if len(x.due) == 0 {
		x.pending = false
	}
	x.mu.Unlock()
	if late < 0 {
		x.soak.t.Errorf("a timer is early by %v", -late)
	}
	if rng := rand.New(rand.NewPCG(9, uint64(now))); rng.IntN(4) == 0 {
		x.soak.timers[rng.IntN(len(x.soak.timers))].change(rng, false)
	}
}

// changeChan performs an operation on a channel timer.
func (x *soaked) changeChan(rng *rand.Rand, delay time.Duration) {
	was := len(x.due) > 0
	switch rng.IntN(4) {
	case 0:
		if got := x.c.Stop(); got != was {
			x.soak.t.Errorf("Stop of a channel timer returned %t", got)
		}
		x.due = x.due[:0]
	case 1, 2:
		at := time.Since(x.soak.start) + max(0, delay)
		if got := x.c.Reset(delay); got != was {
			x.soak.t.Errorf("Reset of a channel timer returned %t", got)
		}
		x.due = append(x.due[:0], at)
	case 3:
		select {
		case at := <-x.c.C:
			if !was || at.Sub(x.soak.start) < x.due[0] {
				x.soak.t.Errorf("received %v, due at %v", at.Sub(x.soak.start), x.due)
			}
			x.due = x.due[:0]
		default:
			if was {
				x.soak.overdue(time.Since(x.soak.start) - x.due[0])
			}
		}
	}
}

// overdue gets the lateness of a timer that has not fired yet. It is an error if a busy machine cannot explain it.
func (s *soaking) overdue(by time.Duration) {
	if by > 10*time.Second {
		s.t.Errorf("a timer is overdue by %v", by)
	}
}

// end checks that no timer is left.
func (s *soaking) end() {
	s.changes.Lock()
	s.over = true
	s.changes.Unlock()
	pending, err := s.d.Shutdown(context.Background())
	if err != nil {
		s.t.Error(err)
	}
	now := time.Since(s.start)
	left := 0
	for i := range s.timers {
		x := &s.timers[i]
		for _, due := range x.due {
			s.overdue(now - due)
		}
		if x.c == nil {
			left += len(x.due)
		} else if x.c.Stop() {
			x.due = nil // fired, not received
		} else if len(x.due) > 0 {
			left++
		}
	}
	if left != pending {
		s.t.Errorf("%d timers have not run, and %d are pending", left, pending)
	}
	s.t.Logf("%d ran, %d pending, %+v", s.ran.Load(), pending, s.d.Stats())
}

func init() { driver.InZone = crontab.InZone }
