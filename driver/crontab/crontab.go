// Package crontab makes recurrences from cron expressions, for Every of package driver. The parser is that of
// github.com/robfig/cron/v3. The days are those of crontab(5), and the time of day is by a time zone.
package crontab

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/robfig/cron/v3"

	"github.com/timerbench/timerbench/driver"
)

// Parse returns the recurrence of a cron expression by the local time of loc. An expression has five fields, or six if
// the first is of seconds, or is a descriptor such as @daily. CRON_TZ=Zone or TZ=Zone before it replaces loc.
//
//   - * * * *          minute, hour, day of the month, month, day of the week
//     */15 8-17 * * 1-5  steps and ranges; Sunday is 0 or 7; months and days of the week may be names, such as MON-SUN
//     0 0 1,15 * FRI     two restricted day fields: on days that match either
//     0 0 1-7 * */7      a day field begins with *: on days that match both, here the first Sunday of the month
//     @every 90m         a period of whole seconds, from the time that is passed to Next
//
// Run times follow InZone when daylight saving time begins or ends. The next run may be up to 50 years away: 29 February
// is a Sunday every 28 years, and every 40 around 2100. Next returns the zero time if there is none. Parse panics if loc is nil.
func Parse(spec string, loc *time.Location) (driver.Recurrence, error) {
	if loc == nil {
		panic("crontab: Parse: the location is nil")
	}
	r, err := parse(strings.Fields(spec), loc)
	if err != nil {
		return nil, fmt.Errorf("cron expression %q: %w", spec, err)
	}
	return r, nil
}

var parser = cron.NewParser(cron.SecondOptional | cron.Minute | cron.Hour | cron.Dom | cron.Month | cron.Dow | cron.Descriptor)

func parse(fields []string, loc *time.Location) (driver.Recurrence, error) {
	if len(fields) > 0 {
		if key, zone, ok := strings.Cut(fields[0], "="); ok && (key == "CRON_TZ" || key == "TZ") {
			var err error
			if zone == "" {
				return nil, fmt.Errorf("%s names no time zone", fields[0])
			}
			if loc, err = time.LoadLocation(zone); err != nil {
				return nil, err
			}
			fields = fields[1:]
		}
	}
	n := len(fields)
	if n == 0 {
		return nil, fmt.Errorf("want five or six fields, or a descriptor such as @daily")
	}
	descriptor := fields[0][0] == '@'
	if !descriptor {
		for _, field := range fields {
			if !wellFormed.MatchString(field) {
				return nil, fmt.Errorf("field %q: want numbers, names, ranges such as 1-5, and steps such as */2, with commas between", field)
			}
		}
		fields[n-1] = sundays(fields[n-1])
	}
	s, err := parser.Parse(strings.Join(fields, " "))
	if err != nil {
		return nil, err
	}
	clock, ok := s.(*cron.SpecSchedule)
	if !ok {
		// The parser rounds a period to seconds, and up to one.
		if period, err := time.ParseDuration(fields[n-1]); err != nil || period < time.Second || period%time.Second != 0 {
			return nil, fmt.Errorf("period %s: want whole seconds, at least 1s", fields[n-1])
		}
		return s, nil
	}
	if !descriptor {
		clock.Dom, clock.Dow = star(clock.Dom, fields[n-3]), star(clock.Dow, fields[n-1])
	}
	clock.Location = time.Local // the schedule then uses the zone of the time passed to Next
	return driver.InZone(loc, schedule{clock}), nil
}

// wellFormed excludes what the parser ignores, such as an empty item, a sign, and the end of *-5.
var wellFormed = regexp.MustCompile(`^` + item + `(,` + item + `)*$`)

const item = `([*?]|\w+(-\w+)?)(/\d+)?`

var days = []string{"sun", "mon", "tue", "wed", "thu", "fri", "sat", "7"}

// sundays replaces day 7 of the week, which the parser does not know, by day 0.
func sundays(field string) string {
	items := strings.Split(field, ",")
	for i, item := range items {
		span, step, hasStep := strings.Cut(item, "/")
		first, last, isRange := strings.Cut(strings.ToLower(span), "-")
		from, by := slices.Index(days, first), 1
		if n, err := strconv.Atoi(first); err == nil {
			from = n
		}
		if hasStep {
			by, _ = strconv.Atoi(step)
		}
		switch {
		case from < 0 || from > 7 || by <= 0: // an error of the parser
		case !isRange && from == 7, isRange && last == "7", isRange && last == "sun" && from > 0:
			var list []string
			for day := from; day <= 7; day += min(by, 8) {
				list = append(list, strconv.Itoa(day%7))
			}
			items[i] = strings.Join(list, ",")
		}
	}
	return strings.Join(items, ",")
}

// starBit is the bit of the parser that makes a day match both fields instead of either. The parser also sets it for a star
// that is not at the beginning, and does not set it for a star with a step.
const starBit = 1 << 63

// star returns the bits of a day field, with starBit if the field begins with a star.
func star(bits uint64, field string) uint64 {
	bits &^= starBit
	if field[0] == '*' || field[0] == '?' {
		bits |= starBit
	}
	return bits
}

// schedule is a schedule without a time zone. It uses that of the time that is passed to Next.
type schedule struct{ clock *cron.SpecSchedule }

// Next calls Next of the parser's schedule, which gives up after the fifth year, up to nine times.
func (s schedule) Next(t time.Time) time.Time {
	for range 9 {
		if next := s.clock.Next(t); !next.IsZero() {
			return next
		}
		t = time.Date(t.Year()+6, 1, 1, 0, 0, 0, 0, t.Location()).Add(-1)
	}
	return time.Time{}
}
