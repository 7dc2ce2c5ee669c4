package driver

import (
	"fmt"
	"math/bits"
	"slices"
	"time"

	"github.com/timerbench/timerbench/structures"
)

// Recurrence is a series of times. Periodic makes one, and Parse of package crontab makes one of a cron expression.
// Schedules of github.com/robfig/cron/v3 are recurrences, too, but without InZone of package crontab they skip the runs of an
// hour that daylight saving time skips, and repeat those of the hour that comes twice.
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
	// The distance may be more than a Duration holds, which is 292 years.
	period := uint64(p.period)
	rest := func(n int64) uint64 { // of n, divided by the period, from 0 on
		if n %= int64(period); n < 0 {
			n += int64(period)
		}
		return uint64(n)
	}
	hi, lo := bits.Mul64(rest(t.Unix()-p.start.Unix()), uint64(time.Second))
	into := bits.Rem64(hi, lo, period) + rest(int64(t.Nanosecond()-p.start.Nanosecond()))
	return t.Add(time.Duration(period - into%period))
}

// Missed says what happens to missed runs of a recurrence. A run is missed if another one has
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
	o := optionsOf(r)
	o.missed = missed
	return o
}

// Spread returns a recurrence like r whose runs are delayed by random times, so that runs of many recurrences
// do not coincide. Every draws the times from the driver's random numbers, evenly from 0 up to but not
// including by. by should be less than the time between two runs: of the runs that come due while one is
// delayed, only the last happens. Spread panics if by is negative.
func Spread(r Recurrence, by time.Duration) Recurrence {
	if by < 0 {
		panic(fmt.Sprintf("driver: Spread(%v): want a duration of at least 0s", by))
	}
	o := optionsOf(r)
	o.spread = by
	return o
}

// withOptions is a recurrence with the options of OnMissed and Spread.
type withOptions struct {
	Recurrence
	missed Missed
	spread time.Duration
}

// Within applies f to the recurrence that has the options. It is for InZone of package crontab.
func (o withOptions) Within(f func(Recurrence) Recurrence) Recurrence {
	o.Recurrence = f(o.Recurrence)
	return o
}

// optionsOf returns the options of r, or the defaults if it has none.
func optionsOf(r Recurrence) withOptions {
	if o, ok := r.(withOptions); ok {
		return o
	}
	return withOptions{Recurrence: r}
}

// Jitter returns delay plus a random time, evenly from 0 up to but not including by. It returns delay if by is
// not positive. Seed makes the times repeatable. Jitter panics if d is the zero Driver.
//
//	d.AfterFunc(d.Jitter(time.Minute, 10*time.Second), retry)
func (d *Driver) Jitter(delay, by time.Duration) time.Duration {
	mustDrive(d, "Jitter")
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
	// correction is how far before the last run the wall clock must be to have been wrong then. It is the limit of Vixie
	// cron, too.
	correction = 3 * time.Hour
	// maxTimes is more than the seconds of a day. It bounds a search.
	maxTimes = 100_000
)

// every is a timer that runs a function at the times of a recurrence. From the moment at which a run is handed over until
// it begins, the timer is pending, but it is in no structure and in no list.
type every struct {
	internal
	withOptions
	place int // in the list of the shard, from 1; 0 if it is not there; guarded by the lock of the shard

	// The lock guards the fields below while the timer is in the structure. Otherwise only run uses them.
	at   time.Time // of the next run
	time time.Time // of the next run in the recurrence, without the spread
	set  time.Time // time is the first one after set that is to be run
	came bool      // run was handed over because time has come, not because the wall clock was set back

	done  time.Time // runs up to this time of the wall clock have happened; the zero time if there was none
	begun int64     // when the last run began, by the clock of the driver, in ns
}

// Every runs f at each time of r, from now on, by the wall clock. It follows the clock as At does.
//
// If the clock is set back, runs that have happened do not happen again, unless they are frequent: r has further runs in
// each of the two hours before and of the two hours after. A frequent run happens again if at least half the time between
// two runs has passed since the last one. If the clock is then three hours or more before the last run, it was wrong, and
// the recurrence starts again from the new time. OnMissed says what happens to runs that the clock skips if it is set
// forward.
//
// A run does not wait for the previous one to return. Stop ends the recurrence. Reset ends it,
// too, and runs f once more after its delay. The timer is not pending after the last time of r,
// or after r.Next has panicked. Every panics if r or f is nil.
func (d *Driver) Every(r Recurrence, f func()) *Timer {
	mustRun(f, "Every")
	mustDrive(d, "Every")
	return d.recur(r, f, d.wall())
}

// recur is Every from a time of the wall clock on.
func (d *Driver) recur(r Recurrence, f func(), wall time.Time) *Timer {
	e := &every{withOptions: optionsOf(r)}
	if e.Recurrence == nil {
		panic("driver: Every: the recurrence is nil")
	}
	e.t.sh, e.t.f, e.owner = d.assign(), f, e
	next, put := nextRun(e.Recurrence, wall), d.Jitter(0, e.spread)
	sh, wake := e.t.sh, never
	now := sh.clock.now()
	sh.mu.Lock()
	if !next.IsZero() && !sh.closed.Load() {
		wake = e.await(now, next, put, wall, true)
	}
	sh.unlock(wake, now)
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

// Frequent reports whether the runs of r near a run are frequent, as Every and InZone of package crontab ask: r has a method
// Frequent() bool that returns true, or runs in each of the two hours before the run and of the two hours after it.
func Frequent(r Recurrence, run time.Time) bool {
	if f, ok := r.(interface{ Frequent() bool }); ok && f.Frequent() {
		return true
	}
	within := func(from, to time.Time) bool { // from is included
		next := r.Next(from.Add(-1))
		return !next.IsZero() && !next.After(to)
	}
	return within(run.Add(-2*time.Hour), run.Add(-time.Hour)) && within(run.Add(-time.Hour), run.Add(-1)) &&
		within(run.Add(1), run.Add(time.Hour)) && within(run.Add(time.Hour), run.Add(2*time.Hour))
}

// due is called by the pass.
func (e *every) due() bool {
	sh := e.t.sh
	wall := sh.d.wall()
	e.came = !wall.Before(e.at)
	if !e.came {
		if !wall.Before(e.set) {
			e.wait(sh.clock.now())
			return false
		}
		// The next run may be another one, but the pass must not call Next. The clock was set since the last look at it.
		e.set = wall.Add(-max(lookEvery, time.Duration(sh.clock.tick)))
	}
	sh.forget(e)
	sh.handed++
	sh.d.pass.batch = append(sh.d.pass.batch, call{t: &e.t})
	return e.came
}

// run makes the run that has come due, if there is one, and waits for the next one.
func (e *every) run() {
	sh := e.t.sh
	wall := sh.d.wall()
	asked := false
	defer func() {
		if !asked { // Next has panicked
			e.again(time.Time{}, wall, false)
		}
	}()
	from, runs := wall, e.came || !wall.Before(e.at)
	switch {
	case !runs: // since the clock was set back, time has passed
		from = earlier(e.set, wall)
	case e.time.Sub(wall) >= correction:
		runs = false
	case e.missed == CatchUp:
		from = earlier(e.time, wall)
		e.done = later(e.done, e.time)
	default:
		if e.missed == Skip {
			second := nextRun(e.Recurrence, e.time)
			runs = wall.Sub(e.at) <= late && (second.IsZero() || second.After(wall))
		}
		e.done = later(e.done, e.time, wall)
	}
	if runs {
		e.begun = sh.clock.now()
	}
	next := e.following(from, wall)
	asked = true
	if e.again(next, from, runs) && runs {
		e.t.f()
	}
}

// following returns the first run after a time of the wall clock, which now shows wall, that is not one that has happened.
func (e *every) following(from, wall time.Time) time.Time {
	switch back := e.done.Sub(from); {
	case e.done.IsZero() || back <= 0:
		return nextRun(e.Recurrence, from)
	case back >= correction:
		e.done = time.Time{}
		return nextRun(e.Recurrence, from)
	}
	passed := time.Duration(e.t.sh.clock.now() - e.begun)
	next := nextRun(e.Recurrence, from)
	for times := 0; !next.IsZero() && !next.After(e.done); times++ {
		if times == maxTimes {
			return nextRun(e.Recurrence, e.done)
		}
		second := nextRun(e.Recurrence, next)
		if Frequent(e.Recurrence, next) && passed+next.Sub(wall) >= second.Sub(next)/2 {
			break
		}
		next = second
	}
	return next
}

func earlier(times ...time.Time) time.Time { return slices.MinFunc(times, time.Time.Compare) }
func later(times ...time.Time) time.Time   { return slices.MaxFunc(times, time.Time.Compare) }

// again waits for the next run. ran says that the run that was handed over begins. It reports false if the recurrence has
// been ended.
func (e *every) again(next, from time.Time, ran bool) bool {
	sh := e.t.sh
	put := sh.d.Jitter(0, e.spread)
	now, wake := sh.clock.now(), never
	sh.mu.Lock()
	goesOn := e.t.when.Load() == byWall && !sh.closed.Load()
	if goesOn {
		sh.handed--
		if ran {
			sh.fired++
		}
		if !next.IsZero() {
			wake = e.await(now, next, put, from, ran)
		} else {
			if !ran {
				sh.stopped++
			}
			e.t.when.Store(idle)
			if sh.watch != nil {
				sh.watch.noteEnd(recordFire, timerKey{t: &e.t})
			}
		}
	}
	sh.unlock(wake, now)
	return goesOn
}

// await puts the timer into the structure, for a run that is put off by a spread. started says that it counts as a start.
// It returns the tick to which the alarm must be set, or never. The lock is held.
func (e *every) await(now int64, next time.Time, put time.Duration, from time.Time, started bool) (wake structures.Tick) {
	e.time, e.set = next.Round(0), from
	e.at = e.time.Add(put)
	deadline, wake := e.wait(now)
	if started {
		e.t.sh.countStart(deadline.at - now)
	}
	return wake
}
