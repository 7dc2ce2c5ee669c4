package driver

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	_ "time/tzdata" // the tests use time zones

	"github.com/robfig/cron/v3"

	"github.com/timerbench/timerbench/structures/quadheap"
)

var _ Recurrence = cron.Schedule(nil)

// wallClock is a wall clock that can be set.
type wallClock struct {
	d      *Driver
	zone   *time.Location
	offset atomic.Int64 // ns from the clock of the bubble
	looks  atomic.Int64 // number of readings
}

// newWallClock returns a driver whose wall clock shows a time.
func newWallClock(t *testing.T, start string, opts ...Option) *wallClock {
	t.Helper()
	d := Made(t, opts...)
	zone, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	c := &wallClock{d: d, zone: zone}
	at, err := time.ParseInLocation(time.DateTime, start, zone)
	if err != nil {
		t.Fatal(err)
	}
	c.jump(time.Until(at))
	d.wall = func() time.Time {
		c.looks.Add(1)
		return c.now()
	}
	return c
}

func (c *wallClock) now() time.Time {
	return time.Now().Add(time.Duration(c.offset.Load())).In(c.zone)
}

func (c *wallClock) jump(by time.Duration) { c.offset.Add(int64(by)) }

const (
	ms = time.Millisecond
	s  = time.Second
	m  = time.Minute
	h  = time.Hour
)

// step is a jump of the wall clock, after which time passes.
type step struct{ jump, pass time.Duration }

// run performs the steps and returns the times of the wall clock at which the timer of start fired.
func run(t *testing.T, from string, steps []step, start func(c *wallClock, f func()) *Timer) (fired []string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		c := newWallClock(t, from, Tick(ms))
		var mu sync.Mutex
		start(c, func() {
			mu.Lock()
			defer mu.Unlock()
			fired = append(fired, c.now().Truncate(time.Millisecond).Format("01-02 15:04:05.999 MST"))
		})
		for _, s := range steps {
			c.jump(s.jump)
			Pass(s.pass)
		}
	})
	return fired
}

func TestAtFollowsTheWallClock(t *testing.T) {
	for _, c := range []struct {
		name  string
		at    time.Duration // after 12:00:00
		steps []step
		want  []string
	}{
		{"not set", 5 * m, []step{{0, h}}, []string{"03-01 12:05:00 EST"}},
		{"between ticks", 5*s + 300*time.Microsecond, []step{{0, h}}, []string{"03-01 12:00:05.001 EST"}},
		{"past", -h, []step{{0, 10 * ms}}, []string{"03-01 12:00:00 EST"}},
		{"now", 0, []step{{0, 10 * ms}}, []string{"03-01 12:00:00 EST"}},
		{"set forward", 5 * m, []step{{0, 10 * s}, {4 * m, h}}, []string{"03-01 12:05:00 EST"}},
		{"set forward past it", 5 * m, []step{{0, 10*s + 200*ms}, {h, h}}, []string{"03-01 13:00:11 EST"}},
		{"set back", 5 * m, []step{{0, 4 * m}, {-2 * h, 4 * h}}, []string{"03-01 12:05:00 EST"}},
		{"set back within the last second", 5 * m, []step{{0, 5*m - 500*ms}, {-10 * s, h}}, []string{"03-01 12:05:00 EST"}},
		{"set back and forward", 5 * m, []step{{-h, 10 * s}, {2 * h, h}}, []string{"03-01 13:00:11 EST"}},
		{"corrected bit by bit", h, slices.Repeat([]step{{-100 * ms, 900 * ms}}, 5000), []string{"03-01 13:00:00 EST"}},
		{"in two days", 48 * h, []step{{0, 24 * h}, {-5 * h, 23 * h}, {0, 7 * h}}, []string{"03-03 12:00:00 EST"}},
		{"never", 1<<63 - 1, []step{{0, 24 * h}}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := run(t, "2026-03-01 12:00:00", c.steps, func(w *wallClock, f func()) *Timer {
				return w.d.At(w.now().Add(c.at), f)
			})
			if !slices.Equal(got, c.want) {
				t.Errorf("fired at %q, want %q", got, c.want)
			}
		})
	}
}

// Timers that follow the wall clock share one reading a second, and the others cause none.
func TestTheWallClockIsLookedAtOnceASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		// A heap has no wake-ups of its own.
		c := newWallClock(t, "2026-03-01 12:00:00", Structure(quadheap.New[Task]))
		for i := range 10 {
			c.d.AfterFunc(time.Duration(i)*m, func() {})
		}
		time.Sleep(100 * ms)
		if n := c.looks.Load(); n != 0 {
			t.Errorf("%d looks for others", n)
		}
		before := c.d.Stats()
		for range 50 {
			c.d.At(c.now().Add(h), func() {})
			c.d.Every(Periodic(c.now(), h), func() {})
			time.Sleep(3 * ms)
		}
		looks := c.looks.Load()
		for i := range 600 { // it drifts too little to count as set
			c.jump(time.Duration(i%2*2-1) * 900 * time.Microsecond)
			time.Sleep(s)
		}
		after := c.d.Stats()
		if n := after.Wakeups - before.Wakeups; n > 601 || after.Pending != 100 {
			t.Errorf("%d wake-ups in 600 s, %d pending", n, after.Pending)
		}
		if n := c.looks.Load() - looks; n > 601*int64(len(c.d.shards)) {
			t.Errorf("the clock was looked at %d times in 600 s, by %d shards", n, len(c.d.shards))
		}
	})
}

// After the clock was set, the driver looks at all timers that follow it. Timers
// that were stopped or have fired are no longer in the list.
func TestAllTimersByTheWallClockAreLookedAtOnceItWasSet(t *testing.T) {
	const n = 1000
	for _, budget := range []int{1, 7, 256} {
		synctest.Test(t, func(t *testing.T) {
			c := newWallClock(t, "2026-03-01 12:00:00", Shards(3), Budget(budget))
			rng := rand.New(rand.NewPCG(1, uint64(budget)))
			var timers [n]*Timer
			var want [n]int32 // runs
			var got [n]atomic.Int32
			var at [n]time.Time
			for round := range 200 {
				for range 50 {
					i := rng.IntN(n)
					if timers[i] != nil && timers[i].Stop() {
						want[i]--
					}
					if rng.IntN(5) > 0 {
						want[i]++
						due := c.now().Add(time.Duration(rng.Int64N(int64(h))))
						at[i] = due
						timers[i] = c.d.At(due, func() {
							if got[i].Add(1); c.now().Before(due) {
								t.Errorf("round %d: timer %d runs %v early", round, i, due.Sub(c.now()))
							}
						})
					}
				}
				c.jump(time.Duration(rng.Int64N(int64(10*m)) - int64(5*m)))
				Pass(s + ms)
				for i := range timers {
					if timers[i] != nil && got[i].Load() < want[i] && !c.now().Before(at[i].Add(ms)) {
						t.Fatalf("round %d: timer %d is late", round, i)
					}
				}
			}
			Pass(2 * h)
			for i := range want {
				if got[i].Load() != want[i] {
					t.Errorf("budget %d: timer %d has run %d times, want %d", budget, i, got[i].Load(), want[i])
				}
			}
			if c.d.Len() != 0 {
				t.Errorf("budget %d: %d are pending", budget, c.d.Len())
			}
			for i := range c.d.shards {
				if wall := c.d.shards[i].wall; len(wall.list) != 0 || wall.look != never {
					t.Errorf("shard %d remembers %d timers", i, len(wall.list))
				}
			}
		})
	}
}

func TestStopAndResetOfTimersByTheWallClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, log := newWallClock(t, "2026-03-01 12:00:00"), NewLog()
		a, b := c.d.At(c.now().Add(m), log.Note("at")), c.d.At(c.now().Add(m), log.Note("delayed"))
		e := c.d.Every(Periodic(c.now(), m), log.Note("every"))
		time.Sleep(30 * s)
		if !a.Stop() || a.Stop() || !b.Reset(2*h) || c.d.Len() != 2 {
			t.Error("not pending")
		}
		time.Sleep(5 * m)
		log.Want(t, "1m0s every", "2m0s every", "3m0s every", "4m0s every", "5m0s every")
		if !e.Stop() || e.Stop() || c.d.Len() != 1 {
			t.Errorf("%d pending, want the one with a delay", c.d.Len())
		}
		c.jump(24 * h) // a timer with a delay ignores it
		time.Sleep(h)
		log.Want(t)
		if e.Reset(m) || a.Reset(m) {
			t.Error("pending after Stop")
		}
		time.Sleep(h)
		if log.Want(t, "1h6m30s at", "1h6m30s every", "2h0m30s delayed"); c.d.Len() != 0 {
			t.Errorf("%d pending", c.d.Len())
		}
	})
}

// MustParse parses a cron expression, by the rules of package cron.
func MustParse(t *testing.T, spec string) Recurrence {
	t.Helper()
	r, err := cron.ParseStandard(spec)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Daylight saving, jumps and stalls. In New York clocks are set from 02:00 to 03:00 on
// 2026-03-08, and from 02:00 to 01:00 on 2026-11-01.
func TestEvery(t *testing.T) {
	for _, c := range []struct {
		name, from, spec string
		missed           Missed
		steps            []step
		want             []string
	}{
		{"mondays", "2026-03-07 12:00:00", "0 9 * * MON", Coalesce, []step{{0, 48 * h}}, []string{"03-09 09:00:00 EDT"}},
		{"daily over the day with 23 hours", "2026-03-07 08:00:00", "0 9 * * *", Skip, []step{{0, 25 * h}}, []string{"03-07 09:00:00 EST", "03-08 09:00:00 EDT"}},
		{"daily at an hour that there is not", "2026-03-07 02:00:00", "30 2 * * *", CatchUp, []step{{0, 48 * h}}, []string{"03-07 02:30:00 EST", "03-09 02:30:00 EDT"}},
		{"daily over the day with 25 hours", "2026-10-31 08:00:00", "0 9 * * *", Skip, []step{{0, 27 * h}}, []string{"10-31 09:00:00 EDT", "11-01 09:00:00 EST"}},
		{"hourly over 02:00 that comes twice", "2026-11-01 00:30:00", "0 * * * *", Skip, []step{{0, 3 * h}}, []string{"11-01 01:00:00 EDT", "11-01 01:00:00 EST", "11-01 02:00:00 EST"}},
		{"a time zone of its own", "2026-03-01 12:00:00", "CRON_TZ=Asia/Tokyo 0 9 * * *", Skip, []step{{0, 12 * h}}, []string{"03-01 19:00:00 EST"}},

		{"set forward by less than to the next run", "2026-03-01 12:00:00", "0 * * * *", Skip, []step{{0, 10 * m}, {40 * m, 20 * m}}, []string{"03-01 13:00:00 EST"}},
		{"set forward, one run stands for all", "2026-03-01 12:00:00", "0 * * * *", Coalesce, []step{{0, 10 * m}, {5 * h, h}}, []string{"03-01 17:10:01 EST", "03-01 18:00:00 EST"}},
		{"set forward, runs are skipped", "2026-03-01 12:00:00", "0 * * * *", Skip, []step{{0, 10 * m}, {5 * h, h}}, []string{"03-01 18:00:00 EST"}},
		{"set forward, one run is skipped", "2026-03-01 12:00:00", "0 * * * *", Skip, []step{{0, 10 * m}, {55 * m, h}}, []string{"03-01 14:00:00 EST"}},
		{"set forward, a run is late by less than a minute", "2026-03-01 12:00:00", "0 * * * *", Skip, []step{{0, 10 * m}, {50*m + 30*s, h}}, []string{"03-01 13:00:31 EST", "03-01 14:00:00 EST"}},
		{"set forward, runs are made up for", "2026-03-01 12:00:00", "0 * * * *", CatchUp, []step{{0, 10 * m}, {3 * h, h}}, []string{"03-01 15:10:01 EST", "03-01 15:10:01.001 EST", "03-01 15:10:01.002 EST", "03-01 16:00:00 EST"}},
		{"set forward by a year", "2025-03-01 12:00:00", "* * * * *", Coalesce, []step{{0, 10 * s}, {365 * 24 * h, m}}, []string{"03-01 12:00:11 EST", "03-01 12:01:00 EST"}},

		{"set back, no run of the day is repeated", "2026-03-01 12:59:00", "0 13 * * *", CatchUp, []step{{0, 2 * m}, {-170 * m, 24 * h}, {0, 3 * h}}, []string{"03-01 13:00:00 EST", "03-02 13:00:00 EST"}},
		{"set back by less than half an hour, no hourly run is repeated", "2026-03-01 12:59:00", "0 * * * *", CatchUp, []step{{0, 2 * m}, {-29 * m, h}, {0, h}}, []string{"03-01 13:00:00 EST", "03-01 14:00:00 EST"}},
		{"set back by an hour, hourly runs go on", "2026-03-01 12:59:00", "0 * * * *", Coalesce, []step{{0, 2 * m}, {-h, 3 * h}}, []string{"03-01 13:00:00 EST", "03-01 13:00:00 EST", "03-01 14:00:00 EST", "03-01 15:00:00 EST"}},
		{"set back by two hours, runs of every minute go on", "2026-03-01 12:59:30", "* * * * *", CatchUp, []step{{0, m}, {-2 * h, 2 * m}}, []string{"03-01 13:00:00 EST", "03-01 11:01:00 EST", "03-01 11:02:00 EST"}},
		{"set back by a second, no run of every minute is repeated", "2026-03-01 12:59:30", "* * * * *", Skip, []step{{0, 30*s + 100*ms}, {-s, 2 * m}}, []string{"03-01 13:00:00 EST", "03-01 13:01:00 EST"}},
		{"set back before the run", "2026-03-01 12:59:00", "0 * * * *", Skip, []step{{0, 50 * s}, {-20 * s, m}}, []string{"03-01 13:00:00 EST"}},
		{"a clock that was wrong by a day", "2026-03-02 12:30:00", "0 * * * *", Skip, []step{{0, 10 * m}, {-24 * h, h}}, []string{"03-01 13:00:00 EST"}},
		{"a clock that was wrong by a year", "2026-03-01 12:30:00", "0 9 * * *", CatchUp, []step{{0, 10 * m}, {-365 * 24 * h, 21 * h}}, []string{"03-02 09:00:00 EST"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := run(t, c.from, c.steps, func(w *wallClock, f func()) *Timer {
				return w.d.Every(OnMissed(MustParse(t, c.spec), c.missed), f)
			})
			if !slices.Equal(got, c.want) {
				t.Errorf("ran at %q, want %q", got, c.want)
			}
		})
	}
}

// The runs at 20 and 30 are missed.
func TestEveryAfterAStall(t *testing.T) {
	for missed, want := range map[Missed]string{
		Coalesce: "[10 35 40]", Skip: "[10 40]", CatchUp: "[10 35 35 40]",
	} {
		Alone(t, func(t *testing.T, d *Driver) {
			start := time.Now()
			var got []int
			d.Every(OnMissed(Periodic(start, 10*s), missed), func() { got = append(got, int(time.Since(start)/s)) })
			d.AfterFunc(15*s, func() { time.Sleep(20 * s) })
			Pass(44 * s)
			if fmt.Sprint(got) != want {
				t.Errorf("%d: ran at %v, want %s", missed, got, want)
			}
		}, Inline())
	}
}

// asked is a recurrence that calls a function at the second call of Next, while a run is being handed over.
type asked struct {
	Recurrence
	n      int
	second func(time.Time) time.Time
}

func (a *asked) Next(t time.Time) time.Time {
	if a.n++; a.n == 2 {
		return a.second(t)
	}
	return a.Recurrence.Next(t)
}

// A recurrence ends in each way, and its timer can be started afterwards.
func TestARecurrenceThatEnds(t *testing.T) {
	pending := func(was bool) {
		if !was {
			t.Error("not pending while a run is on its way")
		}
	}
	for _, test := range []struct {
		name         string
		second       func(*Timer, time.Time) time.Time
		runs, panics int
	}{
		{"no other time", func(*Timer, time.Time) time.Time { return time.Time{} }, 1, 0},
		{"stopped", func(timer *Timer, at time.Time) time.Time { pending(timer.Stop()); return at.Add(m) }, 0, 0},
		{"reset", func(timer *Timer, at time.Time) time.Time { pending(timer.Reset(m)); return at.Add(m) }, 1, 0},
		{"panics", func(*Timer, time.Time) time.Time { panic("no next time") }, 0, 1},
		{"does not go on", func(_ *Timer, at time.Time) time.Time { return at }, 0, 1},
	} {
		synctest.Test(t, func(t *testing.T) {
			runs, panics := 0, 0
			c := newWallClock(t, "2026-03-01 12:00:00", OnPanic(func(any, []byte) { panics++ }))
			var timer *Timer
			started := make(chan struct{})
			timer = c.d.Every(&asked{Periodic(c.now(), m), 0, func(at time.Time) time.Time {
				<-started
				return test.second(timer, at)
			}}, func() { runs++ })
			close(started)
			Pass(h)
			if runs != test.runs || panics != test.panics || timer.Stop() || c.d.Len() != 0 {
				t.Errorf("%s: %d runs, %d panics, %d pending", test.name, runs, panics, c.d.Len())
			}
			if timer.Reset(h) || !timer.Stop() {
				t.Errorf("%s: the timer cannot be started again", test.name)
			}
			none := &asked{n: 1, second: func(time.Time) time.Time { return time.Time{} }}
			if c.d.Every(none, func() { runs++ }).Stop() {
				t.Error("a recurrence without a time is pending")
			}
		})
	}
}

func TestPeriodicDoesNotDrift(t *testing.T) {
	start := time.Date(2026, 3, 1, 12, 0, 0, 123, time.UTC)
	for _, period := range []time.Duration{1, 7, s, 90 * m, 24 * h, 1000 * 24 * h, math.MaxInt64} {
		r := Periodic(start, period)
		for _, t0 := range []time.Time{start, start.Add(-1), start.Add(1), start.Add(period), start.Add(-17 * period), {}, time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(-20_000_000, 1, 1, 0, 0, 0, 9, time.UTC)} {
			for range 3 {
				next := r.Next(t0)
				if d := next.Sub(t0); d <= 0 || d > period {
					t.Fatalf("period %v: %v comes after %v", period, next, t0)
				}
				distance := new(big.Int).Mul(big.NewInt(next.Unix()-start.Unix()), big.NewInt(int64(s))) // may be more than 292 years
				distance.Add(distance, big.NewInt(int64(next.Nanosecond()-start.Nanosecond())))
				if distance.Rem(distance, big.NewInt(int64(period))).Sign() != 0 {
					t.Fatalf("period %v: %v is no multiple of it after %v", period, next, start)
				}
				t0 = next
			}
		}
	}
}
