package driver

import "time"

// InZone returns a recurrence by the clocks of a place, which go forward and back. r is one by
// clocks that never do: it is asked in UTC, and what it answers in UTC is the reading of the
// clocks there.
//
// A run at a time of the day happens once a day: if the clocks skip its time, at the moment at
// which they do, and if they show it twice, the first time. A run that r has at the same time
// of the hour before and of the hour after as well is one of every hour: it goes by the time
// that passes, and is neither made up for nor left out.
//
// InZone is for what is read off a clock, as cron expressions are, and not for Periodic. It
// panics if loc or r is nil.
func InZone(loc *time.Location, r Recurrence) Recurrence {
	if loc == nil || r == nil {
		panic("driver: InZone: the location or the recurrence is nil")
	}
	return zoned{loc, r}
}

type zoned struct {
	loc *time.Location
	r   Recurrence
}

// Next goes through the periods in which the clocks are not set, from that of t on.
func (z zoned) Next(t time.Time) time.Time {
	from := t
	begin, end, ahead := z.period(t)
	var before time.Duration // ahead in the period before
	if !begin.IsZero() {
		_, _, before = z.period(begin.Add(-1))
	}
	for {
		reading := z.r.Next(from.UTC().Add(ahead))
		if reading.IsZero() {
			return reading
		}
		at := reading.Add(-ahead)
		switch {
		case end.IsZero() || at.Before(end):
			if begin.IsZero() || !reading.Before(begin.Add(before)) || z.hourly(reading) {
				return at.In(t.Location())
			}
			from = at // the clocks have shown it before
		default:
			begin, before = end, ahead
			_, end, ahead = z.period(begin)
			if z.skips(reading, begin.Add(ahead)) {
				return begin.In(t.Location())
			}
			from = begin.Add(-1)
		}
	}
}

// period returns when the clocks were set the last time and will be next, and how far they are
// ahead of UTC meanwhile. The times are in UTC, and zero if there is no such time.
func (z zoned) period(t time.Time) (begin, end time.Time, ahead time.Duration) {
	t = t.In(z.loc)
	_, seconds := t.Zone()
	begin, end = t.ZoneBounds()
	if !begin.IsZero() {
		begin = begin.UTC()
	}
	if !end.IsZero() {
		end = end.UTC()
	}
	return begin, end, time.Duration(seconds) * time.Second
}

// skips reports whether a reading, or one that follows it, is before the one to which the clocks
// go forward, and not one of every hour.
func (z zoned) skips(reading, to time.Time) bool {
	for !reading.IsZero() && reading.Before(to) {
		if !z.hourly(reading) {
			return true
		}
		reading = z.r.Next(reading)
	}
	return false
}

// hourly reports whether there are runs an hour before a run and an hour after it.
func (z zoned) hourly(reading time.Time) bool {
	return z.runs(reading.Add(-time.Hour)) && z.runs(reading.Add(time.Hour))
}

func (z zoned) runs(reading time.Time) bool { return z.r.Next(reading.Add(-1)).Equal(reading) }
