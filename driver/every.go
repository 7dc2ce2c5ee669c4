package driver

import (
	"fmt"
	"math"
	"time"
)

// Recurrence is a series of times. Periodic makes one, and Parse of package crontab makes one of a cron expression.
// Schedules of github.com/robfig/cron/v3 are recurrences, too, but without InZone they skip the runs of an hour that
// daylight saving time skips, and repeat those of the hour that comes twice.
type Recurrence interface {
	// Next returns the first time after t, or the zero time if there is none. The driver holds no
	// lock while it calls Next.
	Next(t time.Time) time.Time
}

// Periodic returns the times whose distance from start is a multiple of period, before and after
// start. They do not drift. Periodic panics if period is not positive.
func Periodic(start time.Time, period time.Duration) Recurrence {
	if period <= 0 {
		panic(fmt.Sprintf("driver: Periodic(%v): want a period of at least 1ns", period))
	}
	return periodic{start.Round(0), period}
}

type periodic struct {
	start  time.Time
	period time.Duration
}

func (p periodic) Next(t time.Time) time.Time {
	// Sub saturates at 292 years, so larger differences need several steps.
	start := p.start
	since := t.Sub(start)
	for since == math.MinInt64 || since == math.MaxInt64 {
		start = start.Add(since - since%p.period)
		since = t.Sub(start)
	}
	into := since % p.period
	if into < 0 {
		into += p.period
	}
	return t.Add(p.period - into)
}

// Missed says what happens to missed runs of a recurrence. A run is missed if the next one has
// come due as well, or if it is more than a minute late: because the program or the machine was
// suspended, or because the wall clock was set forward.
type Missed int

// The ways to treat missed runs.
const (
	Coalesce Missed = iota // one run replaces all missed runs
	Skip                   // missed runs are dropped
	CatchUp                // every missed run happens, a tick apart
)

// OnMissed returns a recurrence like r whose missed runs are treated as missed says. The default
// is Coalesce. OnMissed panics if missed is not one of the three constants.
func OnMissed(r Recurrence, missed Missed) Recurrence {
	if missed < Coalesce || missed > CatchUp {
		panic(fmt.Sprintf("driver: OnMissed(%d): want Coalesce, Skip or CatchUp", missed))
	}
	return missing{r, missed}
}

type missing struct {
	Recurrence
	missed Missed
}

// Spread returns a recurrence like r whose runs are delayed by random times, so that runs of many recurrences
// do not coincide. Every draws the times from the driver's random numbers, evenly from 0 up to but not
// including by. by should be less than the time between two runs: of the runs that come due while one is
// delayed, only the last happens. Spread panics if by is negative.
func Spread(r Recurrence, by time.Duration) Recurrence {
	if by < 0 {
		panic(fmt.Sprintf("driver: Spread(%v): want a duration of at least 0s", by))
	}
	return spread{r, by}
}

type spread struct {
	Recurrence
	by time.Duration
}

// Jitter returns delay plus a random time, evenly from 0 up to but not including by. It returns delay if by is
// not positive. Seed makes the times repeatable. Jitter panics if d is the zero Driver.
//
//	d.AfterFunc(d.Jitter(time.Minute, 10*time.Second), retry)
func (d *Driver) Jitter(delay, by time.Duration) time.Duration {
	if d.random.Rand == nil {
		panic(errZero)
	}
	if by <= 0 {
		return delay
	}
	d.random.Lock()
	defer d.random.Unlock()
	return time.Duration(after(int64(delay), d.random.Int64N(int64(by))))
}

const (
	// late is the most by which a run may be late without being missed.
	late = time.Minute
	// correction is the smallest backward step of the wall clock after which runs are repeated,
	// because the clock was wrong before. It is the limit of Vixie cron, too.
	correction = 3 * time.Hour
)

// every is a timer that runs a function at the times of a recurrence. While a run is handed over,
// the timer is pending, but it is in no structure and in no list.
type every struct {
	wallTimer
	r      Recurrence
	missed Missed
	by     time.Duration // of Spread
	time   time.Time     // of the run in the recurrence, without the spread; guarded by the lock
	set    time.Time     // wall clock at the time when at was computed; guarded by the lock
}

// Every runs f at each time of r, from now on, by the wall clock. It follows the clock as At does. If the clock
// is set back by less than three hours, no run is repeated. If it is set back further, the recurrence starts
// again from the new time. OnMissed says what happens to missed runs.
//
// A run does not wait for the previous one to return. Stop ends the recurrence. Reset ends it,
// too, and runs f once more after its delay. The timer is not pending after the last time of r,
// or after r.Next has panicked. Every panics if r or f is nil.
func (d *Driver) Every(r Recurrence, f func()) *Timer {
	mustRun(f, "Every")
	e := &every{r: r}
	for wrapped := true; wrapped; {
		switch r := e.r.(type) {
		case missing:
			e.r, e.missed = r.Recurrence, r.missed
		case spread:
			e.r, e.by = r.Recurrence, r.by
		default:
			wrapped = false
		}
	}
	if e.r == nil {
		panic("driver: Every: the recurrence is nil")
	}
	e.t.sh, e.t.f, e.owner = d.assign(), f, e
	wall := d.wall()
	next := nextRun(e.r, wall)
	e.t.when.Store(byWall)
	e.again(next, wall)
	return &e.t
}

// nextRun returns r.Next(t). It panics if that is not a later time.
func nextRun(r Recurrence, t time.Time) time.Time {
	next := r.Next(t)
	if !next.IsZero() && !next.After(t) {
		panic(fmt.Sprintf("driver: Next(%v) of %T returned %v, want a later time or the zero time", t, r, next))
	}
	return next
}

// due is called by the pass.
func (e *every) due() {
	sh := e.t.sh
	if e.corrected(sh.d.wall()) {
		sh.forget(&e.wallTimer)
		sh.put-- // nothing has fired
		// The pass must not call Next.
		sh.d.pass.batch = append(sh.d.pass.batch, call{e.run, &e.t})
		return
	}
	e.handOver(e.run, byWall)
}

// corrected reports whether the wall clock was set back so far that the next run must be computed again.
func (e *every) corrected(wall time.Time) bool { return e.set.Sub(wall) >= correction }

// run makes the run that has come due, and waits for the next one.
func (e *every) run() {
	sh := e.t.sh
	wall := sh.d.wall()
	at, now := e.time, true // without the lock: the timer is not in the structure
	asked := false
	defer func() {
		if !asked { // Next has panicked
			e.again(time.Time{}, wall)
		}
	}()
	var next time.Time
	switch {
	case e.corrected(wall):
		next, now = nextRun(e.r, wall), false
	case e.missed == CatchUp:
		next = nextRun(e.r, at)
	default:
		if e.missed == Skip {
			second := nextRun(e.r, at)
			now = wall.Sub(e.at) <= late && (second.IsZero() || second.After(wall))
		}
		next = nextRun(e.r, wall)
	}
	asked = true
	if e.again(next, wall) && now {
		e.t.f()
	}
}

// again waits for the next run. It reports false if the recurrence has been ended.
func (e *every) again(next, wall time.Time) bool {
	sh := e.t.sh
	put := sh.d.Jitter(0, e.by)
	now, wake := sh.clock.now(), never
	sh.mu.Lock()
	goesOn := e.t.when.Load() == byWall && !sh.closed.Load()
	switch {
	case !goesOn:
	case next.IsZero():
		e.t.when.Store(idle)
		if sh.watch != nil {
			sh.watch.ended(recordFire, timerKey{t: &e.t})
		}
	default:
		e.time, e.set = next.Round(0), wall
		e.at = e.time.Add(put)
		wake = e.wait(now, wall)
	}
	sh.unlock(wake, now)
	return goesOn
}
