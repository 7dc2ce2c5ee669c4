// Package crontab makes recurrences from cron expressions, for Every of package driver. The days are those of crontab(5),
// and the time of day is by a time zone. github.com/robfig/cron/v3 computes the times.
package crontab

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/robfig/cron/v3"

	"github.com/timerbench/timerbench/driver"
)

// maxLength is the length of the longest expression, in bytes. A list of all numbers of each field has about 700.
const maxLength = 1000

// Parse returns the recurrence of a cron expression by the local time of loc. An expression has five fields, or six if
// the first is of seconds, or is a descriptor such as @daily. CRON_TZ=Zone or TZ=Zone before it replaces loc.
//
//	30 4 * * *          minute, hour, day of the month, month, day of the week
//	*/15 8-17 * * 1-5   steps and ranges; Sunday is 0 or 7; months and days of the week may be names, such as MON-SUN
//	0 0 1,15 * FRI      two restricted day fields: on days that match either
//	0 0 1-7 * */7       a day field begins with *: on days that match both, here the first Sunday of the month
//	@every 90m          a period of whole seconds, from the time that is passed to Next
//
// When daylight saving time begins or ends, the rule is that of crontab(8). Runs at a time of day that the clocks skip happen at the
// change, and runs at a time that they show twice happen the first time. If the minute or the hour begins with *, all
// runs follow the clocks as they are: `*/20 2 * * *` has no run in a night without 02:00, and `* 1 * * *` has 120 in a
// night with two. The next run may be up to 50 years away: 29 February
// is a Sunday every 28 years, and every 40 around 2100. An expression without any run, such as one for 31 February, is
// an error, and so is a nil loc.
func Parse(spec string, loc *time.Location) (driver.Recurrence, error) {
	if len(spec) > maxLength {
		return nil, fmt.Errorf("cron expression %q... has %d bytes: want at most %d", spec[:20], len(spec), maxLength)
	}
	r, err := parse(strings.Fields(spec), loc)
	if err != nil {
		return nil, fmt.Errorf("cron expression %q: %w", spec, err)
	}
	return r, nil
}

// descriptors are the expressions of those without a period.
var descriptors = map[string]string{"@yearly": "0 0 1 1 *", "@annually": "0 0 1 1 *", "@monthly": "0 0 1 * *", "@weekly": "0 0 * * 0",
	"@daily": "0 0 * * *", "@midnight": "0 0 * * *", "@hourly": "0 * * * *"}

// split returns the fields of an expression, or its descriptor, and its time zone.
func split(texts []string, loc *time.Location) ([]string, *time.Location, error) {
	if len(texts) > 0 {
		if key, zone, ok := strings.Cut(texts[0], "="); ok && (key == "CRON_TZ" || key == "TZ") {
			var err error
			if zone == "" {
				return nil, nil, fmt.Errorf("%s names no time zone", texts[0])
			}
			if loc, err = time.LoadLocation(zone); err != nil { // which repeats the name as it is
				return nil, nil, fmt.Errorf("unknown time zone %q", zone)
			}
			texts = texts[1:]
		}
	}
	if loc == nil {
		return nil, nil, fmt.Errorf("the location is nil: want one such as time.UTC")
	}
	return texts, loc, nil
}

func parse(texts []string, loc *time.Location) (driver.Recurrence, error) {
	texts, loc, err := split(texts, loc)
	if err != nil {
		return nil, err
	}
	if len(texts) == 2 && texts[0] == "@every" {
		period, err := time.ParseDuration(texts[1])
		if err != nil || period < time.Second || period%time.Second != 0 {
			return nil, fmt.Errorf("period %q: want whole seconds such as 90m, at least 1s", texts[1])
		}
		return cron.Every(period), nil
	}
	s, err := parseFields(texts)
	if err != nil {
		return nil, err
	}
	return InZone(loc, s), nil
}

// parseFields returns the schedule of five or six fields, or of a descriptor without a period.
func parseFields(texts []string) (schedule, error) {
	if len(texts) > 0 && texts[0][0] == '@' {
		fields, ok := descriptors[texts[0]]
		if !ok || len(texts) > 1 {
			return schedule{}, fmt.Errorf("descriptor %q: want @yearly, @monthly, @weekly, @daily, @hourly or one such as @every 90m", strings.Join(texts, " "))
		}
		texts = strings.Fields(fields)
	}
	if len(texts) == 5 {
		texts = slices.Insert(texts, 0, "0")
	}
	if len(texts) != len(fields) {
		return schedule{}, fmt.Errorf("it has %d fields: want five or six, or a descriptor such as @daily", len(texts))
	}
	var bits [len(fields)]uint64
	for i, f := range fields {
		for item := range strings.SplitSeq(texts[i], ",") {
			b, err := f.parse(item)
			if err != nil {
				return schedule{}, err
			}
			bits[i] |= b
		}
		if texts[i][0] == '*' || texts[i][0] == '?' {
			bits[i] |= starBit
		}
	}
	s := &cron.SpecSchedule{Second: bits[0], Minute: bits[1], Hour: bits[2], Dom: bits[3], Month: bits[4], Dow: bits[5],
		Location: time.Local} // the schedule then uses the zone of the time passed to Next
	if !runs(s) {
		return schedule{}, fmt.Errorf("it has no run: day of month %q does not exist in month %q", texts[3], texts[4])
	}
	frequent := slices.ContainsFunc(texts[:3], func(text string) bool { return text[0] == '*' || text[0] == '?' })
	return schedule{s, frequent}, nil
}

// starBit is the bit of cron.SpecSchedule that makes a day match both fields instead of either.
const starBit = 1 << 63

// runs reports whether some day matches. In the course of the years, each date is each day of the week.
func runs(s *cron.SpecSchedule) bool {
	if (s.Dom|s.Dow)&starBit == 0 { // any day of the week
		return true
	}
	for month, days := range []int{31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31} {
		if s.Month>>(month+1)&1 == 1 && s.Dom&(1<<(days+1)-1) != 0 {
			return true
		}
	}
	return false
}

// field is a field of an expression.
type field struct {
	name      string
	min, max  int    // of *
	sunday    int    // the day of the week that is accepted beyond max, and means min
	names     string // of the numbers from min, three letters each
	nameRange string // for errors
}

var fields = [...]field{
	{name: "second", max: 59}, {name: "minute", max: 59}, {name: "hour", max: 23}, {name: "day of month", min: 1, max: 31},
	{name: "month", min: 1, max: 12, names: "janfebmaraprmayjunjulaugsepoctnovdec", nameRange: ", or jan to dec"},
	{name: "day of week", max: 6, sunday: 7, names: "sunmontuewedthufrisat", nameRange: ", or sun to sat"},
}

// parse returns the bits of an item of a list: a star, a number, a name or a range, and a step.
func (f field) parse(item string) (bits uint64, err error) {
	span, stepText, hasStep := strings.Cut(item, "/")
	step := 1
	if hasStep {
		if step = number(stepText); step < 1 {
			return 0, fmt.Errorf("%s %q: want a step of at least 1", f.name, item)
		}
		step = min(step, 64) // of all numbers, the first
	}
	low, high := f.min, f.max
	if span != "*" && span != "?" {
		first, last, isRange := strings.Cut(span, "-")
		if low = f.value(first); isRange {
			high = f.value(last)
		} else if !hasStep || low > high {
			high = low
		}
		if limit := max(f.max, f.sunday); low < f.min || low > limit || high < f.min || high > limit {
			return 0, fmt.Errorf("%s %q: want %d to %d%s", f.name, span, f.min, limit, f.nameRange)
		}
		if high == 0 && low > 0 && strings.EqualFold(last, "sun") {
			high = f.sunday
		}
		if low > high {
			return 0, fmt.Errorf("%s %q: the range ends before it begins: write %s", f.name, item, f.unwrapped(low, high, step))
		}
	}
	for v := low; v <= high; v += step {
		bits |= 1 << f.fold(v)
	}
	return bits, nil
}

// fold returns v, or min for the other number of Sunday.
func (f field) fold(v int) int {
	if v > f.max {
		return f.min
	}
	return v
}

// unwrapped returns the list of numbers that a range beyond the end of a field means.
func (f field) unwrapped(low, high, step int) string {
	if low = f.fold(low); low <= high {
		return ranged(low, high)
	}
	if step == 1 {
		return ranged(low, f.max) + "," + ranged(f.min, high)
	}
	var list []string
	for v, size := low, f.max-f.min+1; v <= high+size; v += step {
		list = append(list, strconv.Itoa(f.min+(v-f.min)%size))
	}
	return strings.Join(list, ",")
}

// ranged writes a range of numbers.
func ranged(low, high int) string {
	if low == high {
		return strconv.Itoa(low)
	}
	return fmt.Sprintf("%d-%d", low, high)
}

// value returns the number of a number or a name, or -1.
func (f field) value(text string) int {
	if at := strings.Index(f.names, strings.ToLower(text)); len(text) == 3 && at >= 0 && at%3 == 0 {
		return f.min + at/3
	}
	return number(text)
}

// number returns the value of decimal digits, at most 2³¹-1, or -1.
func number(text string) int {
	n, err := strconv.ParseUint(text, 10, 31) // which allows no sign, and returns the largest number if it is too large
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return -1
	}
	return int(n)
}

// schedule is a schedule without a time zone. It uses that of the time that is passed to Next.
type schedule struct {
	clock    *cron.SpecSchedule
	frequent bool
}

// Frequent is documented at InZone.
func (s schedule) Frequent() bool { return s.frequent }

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
