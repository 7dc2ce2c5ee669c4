package driver

import (
	"fmt"
	"math"
	"time"
)

// Recurrence says when something happens again and again. The schedules of
// github.com/robfig/cron/v3 are recurrences, and Periodic makes one.
type Recurrence interface {
	// Next returns the first time after t, or the zero time if there is none. It is
	// not called with a lock held.
	Next(t time.Time) time.Time
}

// Periodic returns a recurrence of the times that are multiples of period away from
// start, before and after it. It does not drift. It panics unless period is positive.
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
	// Sub saturates where the two are more than 292 years apart: go there in steps.
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

// Missed is what becomes of the runs of a recurrence that are missed. A run is missed if
// the one after it has come due as well, or if it is late by more than a minute: because
// the program or the machine stood still, or the wall clock was set forward.
type Missed int

// What can become of missed runs.
const (
	Coalesce Missed = iota // one run stands for all that were missed
	Skip                   // none of them is made up for
	CatchUp                // each of them is made up for, a tick apart
)

// OnMissed returns a recurrence whose missed runs are dealt with as it says. Without it
// they are coalesced. It panics if there is no such Missed.
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

// Spread returns a recurrence each of whose runs is later by a time that Every draws from the
// driver's random numbers: at least 0 and less than by, evenly. So many of them do not run at the
// same moment. by is to be less than the time between two runs: of those that come due while one
// is put off only the last one is made. It panics if by is negative.
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

// Jitter returns delay and a random time on top, at least 0 and less than by, evenly: delay
// itself unless by is positive. Seed makes it repeatable.
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
	// late is how late a run may be that is not missed.
	late = time.Minute
	// correction is how far the wall clock has to go back for runs to be repeated:
	// it was wrong before then. Vixie cron draws the line there too.
	correction = 3 * time.Hour
)

// every is a timer that runs a function at the times of a recurrence. While a run is
// being handed over it is in no structure and in no list, and pending all the same.
type every struct {
	wallTimer
	r      Recurrence
	missed Missed
	by     time.Duration // of Spread
	time   time.Time     // of the run, which is at that or later; guarded by the lock
	set    time.Time     // by the wall clock, when at was found; guarded by the lock
}

// Every makes f run at each time of r, by the wall clock, from now on. It follows that
// clock as At does: if it is set back by less than three hours no run is repeated; if by
// more, the recurrence starts anew from there. OnMissed says what becomes of missed runs.
//
// A run does not wait for the one before it to return. Stop ends the recurrence; so does
// Reset, which makes f run once more. After the last time of r the timer is not pending,
// nor after r.Next has panicked. Every panics if r or f is nil.
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
	next := e.next(wall)
	e.t.when.Store(byWall)
	e.again(next, wall)
	return &e.t
}

func (e *every) next(t time.Time) time.Time {
	next := e.r.Next(t)
	if !next.IsZero() && !next.After(t) {
		panic(fmt.Sprintf("driver: Next(%v) of %T returned %v, want a later time or the zero time",
			t, e.r, next))
	}
	return next
}

// due is called by the pass.
func (e *every) due() {
	sh := e.t.sh
	if e.corrected(sh.d.wall()) {
		sh.forget(&e.wallTimer)
		sh.put-- // nothing has fired
		// Next is not for the pass to call.
		sh.d.pass.batch = append(sh.d.pass.batch, call{e.run, &e.t})
		return
	}
	e.handOver(e.run, byWall)
}

// corrected reports whether the wall clock was set back so far that the time of the next
// run is to be found anew.
func (e *every) corrected(wall time.Time) bool { return e.set.Sub(wall) >= correction }

// run makes the run that has come due, and waits for the next one.
func (e *every) run() {
	sh := e.t.sh
	wall := sh.d.wall()
	at, now := e.time, true // nobody else is at it: the timer is not in the structure
	asked := false
	defer func() {
		if !asked { // Next has panicked
			e.again(time.Time{}, wall)
		}
	}()
	var next time.Time
	switch {
	case e.corrected(wall):
		next, now = e.next(wall), false
	case e.missed == CatchUp:
		next = e.next(at)
	default:
		if e.missed == Skip {
			second := e.next(at)
			now = wall.Sub(e.at) <= late && (second.IsZero() || second.After(wall))
		}
		next = e.next(wall)
	}
	asked = true
	if e.again(next, wall) && now {
		e.t.f()
	}
}

// again waits for the next run. It reports false if the recurrence was ended meanwhile.
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
