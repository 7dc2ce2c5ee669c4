// Package cron computes when a cron expression is due.
package cron

import (
	"fmt"
	"strings"
	"time"

	"github.com/robfig/cron/v3"

	"github.com/timerbench/timerbench/driver"
	"github.com/timerbench/timerbench/driver/crontab"
)

// Canonical returns spec with single spaces between its fields. A message header holds no
// other whitespace, so this is the form that can be stored and compared.
func Canonical(spec string) string { return strings.Join(strings.Fields(spec), " ") }

// FirstRun returns the first time of spec after now. The zone is UTC unless the expression names one.
func FirstRun(spec string, missed driver.Missed, now time.Time) (time.Time, error) {
	if missed < driver.Coalesce || missed > driver.CatchUp {
		return time.Time{}, fmt.Errorf("missed runs %d: want driver.Coalesce, driver.Skip or driver.CatchUp", missed)
	}
	s, err := parse(spec)
	if err != nil {
		return time.Time{}, err
	}
	return next(s, now)
}

// parse returns the recurrence of spec. It refuses Local, and the files of a machine, such as localtime and right/UTC: the
// names of time zones begin with capitals.
func parse(spec string) (driver.Recurrence, error) {
	r, err := crontab.Parse(spec, time.UTC)
	if err != nil {
		return nil, err
	}
	key, zone, _ := strings.Cut(strings.Fields(spec)[0], "=")
	if (key == "CRON_TZ" || key == "TZ") && (zone == "Local" || zone[0] < 'A' || zone[0] > 'Z') {
		return nil, fmt.Errorf("cron expression %q: time zone %q depends on the machine: want one such as Europe/Berlin", spec, zone)
	}
	return r, nil
}

// next returns the first time of r after t. An expression has runs for ever, so it is an error if there is none, or none later.
func next(r driver.Recurrence, t time.Time) (time.Time, error) {
	at := r.Next(t)
	if !at.After(t) {
		return at, fmt.Errorf("the cron expression has no run after %v", t.UTC())
	}
	return at, nil
}

// last returns the last time of r at or before now. first is an earlier one.
func last(r driver.Recurrence, first, now time.Time) (time.Time, error) {
	// All times after end are after now. The time between first and end halves in each round: 64 rounds are enough.
	end := now
	for range 64 {
		after, err := next(r, first)
		if err != nil || after.After(now) {
			return first, err
		}
		first = after
		middle := first.Add(end.Sub(first) / 2)
		if after, err = next(r, middle); err != nil {
			return first, err
		}
		if after.After(now) {
			end = middle
		} else {
			first = after
		}
	}
	return first, nil
}

// maxMove is more than the rules of a time zone move a run.
const maxMove = 26 * time.Hour

// RightRun returns the run that a timer should have by the rules that its time zone has now. The timer was stored with
// the run at, by the rules of that time or of another machine. RightRun returns at, if it is a run now, and the nearest
// run otherwise, but no earlier one that was over when the timer was stored.
func RightRun(spec string, stored, at time.Time) (time.Time, error) {
	s, err := parse(spec)
	if _, period := s.(cron.ConstantDelaySchedule); period || err != nil {
		return at, err
	}
	after, err := next(s, at.Add(-1))
	if err != nil || after.Equal(at) {
		return at, err
	}
	before, err := next(s, at.Add(-maxMove))
	if err == nil && before.Before(at) {
		before, err = last(s, before, at)
		if err == nil && before.After(stored) && at.Sub(before) <= after.Sub(at) {
			return before, nil
		}
	}
	return after, err
}

// NextRun decides at now about the run due at deadline: whether it fires, and when the timer is due next. A later now
// gives the same answer about whether that run fires, so its ID stays the same.
//
// Missed runs that fire as one fire at the last of their times. The timer first moves to that time, which is not
// after now, without firing. Then isLast tells NextRun that this run fires even if the next one is due as well:
// otherwise a slow worker would move the timer again and again.
func NextRun(spec string, missed driver.Missed, isLast bool, deadline, now time.Time) (fires bool, at time.Time, err error) {
	s, err := parse(spec)
	if err != nil {
		return false, time.Time{}, err
	}
	at, err = next(s, deadline)
	if err != nil || missed == driver.CatchUp || isLast || at.After(now) {
		return err == nil, at, err
	}
	if every, ok := s.(cron.ConstantDelaySchedule); ok { // it keeps its phase
		s = driver.Periodic(at, every.Delay)
	}
	if missed == driver.Skip {
		at, err = next(s, now)
	} else {
		at, err = last(s, at, now)
	}
	return false, at, err
}
