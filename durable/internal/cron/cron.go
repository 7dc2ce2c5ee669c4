// Package cron finds the times at which a cron expression is due.
package cron

import (
	"fmt"
	"strings"
	"time"

	"github.com/robfig/cron/v3"

	"github.com/timerbench/timerbench/driver"
)

var parser = cron.NewParser(cron.SecondOptional | cron.Minute | cron.Hour | cron.Dom | cron.Month | cron.Dow | cron.Descriptor)

// parse returns the schedule of an expression, which is in UTC unless it names a
// time zone. What runs once a day does so on the days as well on which the clocks there are
// set: see driver.InZone.
func parse(spec string) (driver.Recurrence, error) {
	zoned := spec
	if !strings.HasPrefix(spec, "CRON_TZ=") && !strings.HasPrefix(spec, "TZ=") {
		zoned = "CRON_TZ=UTC " + spec
	}
	s, err := parser.Parse(zoned)
	if err != nil {
		return nil, fmt.Errorf("cron expression %q: %w", spec, err)
	}
	if clock, ok := s.(*cron.SpecSchedule); ok && clock.Location != time.UTC {
		loc := clock.Location
		clock.Location = time.Local // which stands for that of the time it is asked with
		return driver.InZone(loc, clock), nil
	}
	return s, nil
}

// FirstRun returns the first time of spec after now.
func FirstRun(spec string, missed driver.Missed, now time.Time) (time.Time, error) {
	if missed < driver.Coalesce || missed > driver.CatchUp {
		return time.Time{}, fmt.Errorf("missed runs %d: want driver.Coalesce, driver.Skip or driver.CatchUp", missed)
	}
	s, err := parse(spec)
	if err != nil {
		return time.Time{}, err
	}
	first := s.Next(now)
	if first.IsZero() {
		return time.Time{}, fmt.Errorf("cron expression %q: there is no such time", spec)
	}
	return first, nil
}

// NextRun tells what to do at now with the run that is due at deadline: whether it
// fires, and the run after it, or the zero time if there is none. When it is asked
// again at a later now the same run fires, so that it has the same ID.
func NextRun(spec string, missed driver.Missed,
	deadline, now time.Time) (fires bool, next time.Time, err error) {
	s, err := parse(spec)
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
