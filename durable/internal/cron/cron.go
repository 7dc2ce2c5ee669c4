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
	s, err := crontab.Parse(spec, time.UTC)
	if err != nil {
		return time.Time{}, err
	}
	first := s.Next(now)
	if first.IsZero() {
		return time.Time{}, fmt.Errorf("cron expression %q: no such time exists", spec)
	}
	return first, nil
}

// NextRun decides at now about the run due at deadline: whether it fires, and when the run
// after it is due, or the zero time if none follows. A later now gives the same answer about
// whether that run fires, so its ID stays the same.
func NextRun(spec string, missed driver.Missed, deadline, now time.Time) (fires bool, next time.Time, err error) {
	s, err := crontab.Parse(spec, time.UTC)
	if err != nil {
		return false, time.Time{}, err
	}
	next = s.Next(deadline)
	if missed == driver.CatchUp || next.IsZero() || next.After(now) {
		return true, next, nil
	}
	if every, ok := s.(cron.ConstantDelaySchedule); ok {
		periods := now.Sub(deadline)/every.Delay + 1
		next = deadline.Add(periods * every.Delay)
	} else {
		next = s.Next(now)
	}
	return missed != driver.Skip, next, nil
}
