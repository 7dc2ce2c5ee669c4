// Package cron computes when a cron expression is due.
package cron

import (
	"fmt"
	"strings"
	"time"

	"github.com/robfig/cron/v3"

	"github.com/timerbench/timerbench/driver"
)

var parser = cron.NewParser(cron.SecondOptional | cron.Minute | cron.Hour | cron.Dom | cron.Month | cron.Dow | cron.Descriptor)

// Canonical returns spec with single spaces between its fields. A message header holds no
// other whitespace, so this is the form that can be stored and compared.
func Canonical(spec string) string { return strings.Join(strings.Fields(spec), " ") }

// parse returns the schedule of an expression. The zone is UTC unless the expression names
// one. A job that runs once a day runs on the days of a clock change too: see driver.InZone.
func parse(spec string) (driver.Recurrence, error) {
	zoned := Canonical(spec)
	if !strings.HasPrefix(zoned, "CRON_TZ=") && !strings.HasPrefix(zoned, "TZ=") {
		zoned = "CRON_TZ=UTC " + zoned
	}
	zone, rest, found := strings.Cut(zoned, " ")
	if !found || strings.HasSuffix(zone, "=") { // the parser panics, or takes the zone for UTC
		return nil, fmt.Errorf("cron expression %q: want a time zone, a space and an expression", spec)
	}
	s, err := parser.Parse(zone + " " + rest)
	if err != nil {
		return nil, fmt.Errorf("cron expression %q: %w", spec, err)
	}
	if clock, ok := s.(*cron.SpecSchedule); ok && clock.Location != time.UTC {
		loc := clock.Location
		clock.Location = time.Local // the schedule then uses the zone of the time passed to Next
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
	// The parser rounds any period to seconds, and up to one. NextRun accepts such an
	// expression because older versions stored it.
	if _, period, ok := strings.Cut(Canonical(spec), "@every "); ok {
		d, err := time.ParseDuration(period)
		if err != nil || d < time.Second || d%time.Second != 0 {
			return time.Time{}, fmt.Errorf("cron expression %q: want a period of whole seconds, at least 1s", spec)
		}
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
