// Package recur has what the driver and package crontab ask of a recurrence.
package recur

import (
	"fmt"
	"time"
)

// Recurrence is that of package driver.
type Recurrence interface{ Next(t time.Time) time.Time }

// MaxTimes is more than the seconds of a day, by which a zone may move. It bounds a search.
const MaxTimes = 100_000

// Next returns r.Next(t). It panics if that is not a later time.
func Next(r Recurrence, t time.Time) time.Time {
	next := r.Next(t)
	if !next.IsZero() && !next.After(t) {
		panic(fmt.Sprintf("driver: Next(%v) of %T returned %v, want a later time or the zero time", t, r, next))
	}
	return next
}

// Frequent reports whether r says that its runs are frequent, or has runs in each of the two hours before a run and of the
// two hours after it.
func Frequent(r Recurrence, run time.Time) bool {
	if SaysFrequent(r) {
		return true
	}
	within := func(from, to time.Time) bool { // from is included
		next := r.Next(from.Add(-1))
		return !next.IsZero() && !next.After(to)
	}
	return within(run.Add(-2*time.Hour), run.Add(-time.Hour)) && within(run.Add(-time.Hour), run.Add(-1)) &&
		within(run.Add(1), run.Add(time.Hour)) && within(run.Add(time.Hour), run.Add(2*time.Hour))
}

// SaysFrequent reports whether r has a method Frequent that returns true.
func SaysFrequent(r Recurrence) bool {
	f, ok := r.(interface{ Frequent() bool })
	return ok && f.Frequent()
}
