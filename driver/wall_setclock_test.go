package driver

import (
	"fmt"
	"math"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// repeated is a recurrence, all of whose timers share a driver, and what is expected of its runs.
type repeated struct {
	name   string
	r      Recurrence
	period time.Duration // of a frequent recurrence; 0: it is due at 13:00 once a day
	missed Missed

	mu   sync.Mutex
	runs []ran
}

// ran is a run: the time since the start, and the reading of the wall clock.
type ran struct {
	at   time.Duration
	wall time.Time
}

// The wall clock is set once, by a second to a day, at each phase of a run at 13:00. Frequent recurrences go on within two
// periods, and do not run twice within half of one. A daily run happens once, unless the clock is three hours or more
// before it, or its time was skipped.
func TestEveryWhenTheClockIsSet(t *testing.T) {
	phases := []struct {
		name   string
		at     time.Duration // from 12:58:00
		slow   time.Duration // how long runs take
		opts   []Option
		queued bool // behind a function that runs from 12:59:59 to 13:00:19
	}{
		{"between runs", 90 * s, 0, nil, false},
		{"just before a run", 2*m - 500*ms, 0, nil, false},
		{"in a queue", 2*m + 5*s, 0, []Option{Workers(1)}, true},
		{"running", 2*m + 2*s, 5 * s, nil, false},
		{"after a run", 2*m + 30*s, 0, []Option{Inline()}, false},
		{"ten minutes after a run", 12*m + 10*s, 0, nil, false},
	}
	jumps := []time.Duration{s, 10 * m, 179 * m, 181 * m, 24 * h}
	if testing.Short() {
		jumps = []time.Duration{s, h, 181 * m}
	}
	for _, phase := range phases {
		for _, by := range jumps {
			for _, jump := range []time.Duration{-by, by} {
				synctest.Test(t, func(t *testing.T) {
					c := newWallClock(t, "2026-03-01 12:58:00", phase.opts...)
					start, begin := time.Now(), c.now()
					all := repeatedAll(t, c, jump)
					for _, x := range all {
						c.d.Every(OnMissed(x.r, x.missed), func() {
							x.mu.Lock()
							x.runs = append(x.runs, ran{time.Since(start), c.now()})
							x.mu.Unlock()
							time.Sleep(min(phase.slow, x.period/4))
						})
					}
					if phase.queued {
						c.d.AfterFunc(2*m-s, func() { time.Sleep(20 * s) })
					}
					time.Sleep(phase.at)
					c.jump(jump)
					if by == 24*h { // runs go on at once
						time.Sleep(70 * m)
					} else {
						time.Sleep(min(by+70*m, 190*m))
					}
					_, _ = c.d.Shutdown(t.Context())
					for _, x := range all {
						if err := x.check(begin, phase.at, jump, phase.queued, c.now()); err != nil {
							t.Errorf("%s, set by %v: %s, %d: %v", phase.name, jump, x.name, x.missed, err)
						}
					}
				})
			}
		}
	}
}

// InZone is that of package crontab, which imports this package.
var InZone func(*time.Location, Recurrence) Recurrence

func repeatedAll(t *testing.T, c *wallClock, jump time.Duration) (all []*repeated) {
	t.Helper()
	daily := MustParse(t, "0 13 * * *")
	for _, missed := range []Missed{Coalesce, Skip, CatchUp} {
		for _, x := range []*repeated{
			{name: "second", r: Periodic(c.now(), s), period: s}, {name: "minute", r: MustParse(t, "* * * * *"), period: m},
			{name: "7 minutes", r: Periodic(c.now(), 7*m), period: 7 * m}, {name: "20 minutes", r: MustParse(t, "*/20 * * * *"), period: 20 * m},
			{name: "hour", r: MustParse(t, "0 * * * *"), period: h}, {name: "minute of a zone", r: InZone(c.zone, MustParse(t, "* * * * *")), period: m},
			{name: "daily", r: daily}, {name: "daily in a zone", r: InZone(c.zone, daily)}, {name: "yearly", r: MustParse(t, "0 13 1 3 *")},
		} {
			x.missed = missed
			if x.period == s && missed != Coalesce || x.name == "yearly" && jump == 24*h {
				continue // it takes long, and the time passes twice
			}
			all = append(all, x)
		}
	}
	return all
}

// check compares the runs with what is expected if the clock is set after a time.
func (x *repeated) check(begin time.Time, at, jump time.Duration, queued bool, end time.Time) error {
	const slack = 25 * s // for the look at the clock, and for the queue
	due := begin.Add(2 * m)
	before := begin.Add(at)
	now := before.Add(jump)
	if x.period == 0 {
		want := 0
		switch {
		case queued && jump < 0: // it begins 14 s after the clock was set
			if due.Sub(now.Add(14*s)) < correction || end.After(due) {
				want = 1
			}
		case before.Before(due) || queued: // there is no run before, and up to two become due
			wall := now.Add(s) // when the change is noticed
			if queued {
				wall = now.Add(14 * s)
			}
			switch late := wall.Sub(due); {
			case late < 0: // the time comes, perhaps that of the day before
				if x.r.Next(now).Before(end) {
					want = 1
				}
			case x.missed == Coalesce, late <= time.Minute:
				want = 1
			case x.missed == CatchUp:
				want = 1 + int(late/(24*h))
			}
			if tomorrow := due.Add(24 * h); now.After(due) && wall.Before(tomorrow) && end.After(tomorrow) {
				want++
			}
		case jump > 0:
			want = 1
			if late := now.Sub(due) - 24*h; late >= 0 && (x.missed != Skip || late <= time.Minute) {
				want = 2
			}
		default:
			want = 1
			if due.Sub(now) >= correction && end.After(due) {
				want = 2
			}
		}
		if len(x.runs) != want {
			return fmt.Errorf("%d runs, want %d: %v", len(x.runs), want, x.runs)
		}
		return nil
	}
	last := time.Duration(0)
	for _, run := range append(x.runs, ran{at: end.Sub(begin) - jump}) {
		gap := run.at - last
		if gap > 2*x.period+slack {
			return fmt.Errorf("no run for %v until %v", gap, run.at)
		}
		if jump < 0 && jump > -correction && x.period >= m && !run.wall.IsZero() && gap < x.period/2-slack && last > 0 {
			return fmt.Errorf("two runs within %v at %v", gap, run.at)
		}
		last = run.at
	}
	if want := float64(end.Sub(begin)) / float64(x.period); jump > 0 && x.missed == CatchUp && math.Abs(float64(len(x.runs))-want) > 1+float64(slack/x.period) {
		return fmt.Errorf("%d runs, want %v", len(x.runs), want)
	}
	return nil
}

// A wall clock that shows a time centuries away is before or after, whatever the driver's clock shows.
func TestAFarWallClockDoesNotOverflow(t *testing.T) {
	Alone(t, func(t *testing.T, d *Driver) {
		time.Sleep(h)
		var before int64
		for i, year := range []int{-20_000, 1700, 2000, 2060, 2400, 20_000} {
			d.wall = func() time.Time { return time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC) }
			ahead := d.ahead()
			if i > 0 && (ahead < before || ahead-before < 0) {
				t.Errorf("in %d the clock is %d ns ahead, and %d before", year, ahead, before)
			}
			before = ahead
			fired := make(chan bool, 1)
			past := d.At(time.Date(-30_000, 1, 1, 0, 0, 0, 0, time.UTC), func() { fired <- true })
			if <-fired; past.Stop() || !d.At(time.Date(30_000, 1, 1, 0, 0, 0, 0, time.UTC), func() { t.Error("fired") }).Stop() {
				t.Errorf("in %d: a time in the past is pending, or one in the future is not", year)
			}
		}
	})
}
