package crontab

import (
	"fmt"
	"time"

	"github.com/robfig/cron/v3"

	"github.com/timerbench/timerbench/driver"
)

// InZone returns a recurrence by the local time of loc, which skips and repeats hours when daylight saving time
// begins and ends. r is a recurrence in UTC; InZone reads its times as local times.
//
// A run at a time of day happens once a day. If the clocks skip its time, it happens at the moment of the
// change. If they show its time twice, it happens the first time. Runs that are frequent, as for Every of package
// driver, follow elapsed time: a change neither adds nor removes one. So do all runs of a recurrence with a method
// Frequent() bool that returns true, as that of a cron expression whose minute or hour begins with a star.
//
// InZone is for times that are read off a clock, and not for Periodic. Parse applies it to cron expressions. The options
// of OnMissed and Spread stay those of the recurrence. Next returns the zero time if it has not found a run after 100,000
// times of r.
//
// InZone panics if loc or r is nil, or if r has a time zone of its own: if it is the result of InZone, or a schedule of
// github.com/robfig/cron/v3 with a Location other than time.Local and time.UTC, as CRON_TZ sets it.
func InZone(loc *time.Location, r driver.Recurrence) driver.Recurrence {
	if loc == nil || r == nil {
		panic("crontab: InZone: the location or the recurrence is nil")
	}
	switch r := r.(type) {
	case interface {
		Within(func(driver.Recurrence) driver.Recurrence) driver.Recurrence
	}:
		return r.Within(func(r driver.Recurrence) driver.Recurrence { return InZone(loc, r) })
	case zoned:
		panic(fmt.Sprintf("crontab: InZone(%s): the recurrence is in the time zone %s already", loc, r.loc))
	case *cron.SpecSchedule:
		if own := r.Location; own != time.Local && own != time.UTC {
			panic(fmt.Sprintf("crontab: InZone(%s): the %T has a time zone of its own, %s: remove CRON_TZ from the expression", loc, r, own))
		}
	}
	return zoned{loc, r}
}

type zoned struct {
	loc *time.Location
	r   driver.Recurrence
}

const (
	day = 24 * time.Hour
	// maxTimes is more than the seconds of a day, by which a zone may move. It bounds a search.
	maxTimes = 100_000
)

// Frequent is that of the recurrence.
func (z zoned) Frequent() bool {
	f, ok := z.r.(interface{ Frequent() bool })
	return ok && f.Frequent()
}

// next returns the first reading after t. It panics if that is not a later one.
func (z zoned) next(t time.Time) time.Time {
	reading := z.r.Next(t)
	if !reading.IsZero() && !reading.After(t) {
		panic(fmt.Sprintf("crontab: Next(%v) of %T returned %v, want a later time or the zero time", t, z.r, reading))
	}
	return reading
}

// Next goes through the periods between two changes of the clocks, starting with the period of t.
func (z zoned) Next(t time.Time) time.Time {
	from := t
	begin, end, ahead := z.period(t)
	before := z.aheadBefore(begin)
	for times := 0; times < maxTimes; times++ {
		reading := z.next(from.UTC().Add(ahead))
		if reading.IsZero() {
			return reading
		}
		at := reading.Add(-ahead)
		switch {
		case end.IsZero() || at.Before(end):
			if begin.IsZero() || !reading.Before(begin.Add(before)) || driver.Frequent(z.r, reading) {
				return at.In(t.Location())
			}
			from = at // the clocks have shown it before
		case at.Sub(end) > 3*day:
			from = at.Add(-2 * day) // no change before has anything to do with it
			begin, end, ahead = z.period(from)
			before = z.aheadBefore(begin)
		default:
			begin, before = end, ahead
			_, end, ahead = z.period(begin)
			if z.skips(reading, begin.Add(ahead), &times) {
				return begin.In(t.Location())
			}
			from = begin.Add(-1)
		}
	}
	return time.Time{}
}

// aheadBefore returns how far the clocks were ahead of UTC before a change.
func (z zoned) aheadBefore(change time.Time) time.Duration {
	if change.IsZero() {
		return 0
	}
	_, _, ahead := z.period(change.Add(-1))
	return ahead
}

// period returns the last change of the clocks before t, the next one, and how far the clocks are ahead of UTC in
// between. The times are in UTC, and zero if there is no such change. A period may also begin or end without a change.
func (z zoned) period(t time.Time) (begin, end time.Time, ahead time.Duration) {
	t = t.In(z.loc)
	_, seconds := t.Zone()
	begin, end = t.ZoneBounds()
	if !begin.IsZero() {
		begin = begin.UTC()
	}
	if !end.IsZero() {
		if !end.After(t) { // go.dev/issue/81583: on the last day of a leap year
			end = t.Add(day)
			if change, _ := end.ZoneBounds(); change.After(t) {
				end = change
			}
		}
		end = end.UTC()
	}
	return begin, end, time.Duration(seconds) * time.Second
}

// skips reports whether a reading, or one after it, is before the reading to which the clocks go
// forward, and is not of a frequent run. It adds the readings to times.
func (z zoned) skips(reading, to time.Time, times *int) bool {
	for !reading.IsZero() && reading.Before(to) && *times < maxTimes {
		if !driver.Frequent(z.r, reading) {
			return true
		}
		reading = z.next(reading)
		*times++
	}
	return false
}
