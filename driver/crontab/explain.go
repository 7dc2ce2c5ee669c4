package crontab

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/timerbench/timerbench/driver"
)

// Explanation says when a cron expression runs, and where other systems read it in another way.
type Explanation struct {
	Runs     []time.Time // the next five, in the time zone of the expression
	Warnings []string    // in sentences that name the systems; docs/cron.md has their versions
}

// explained is the number of runs of an explanation.
const explained = 5

// Explain explains a cron expression from now on. It takes the expressions of Parse, with the same errors. Warnings about changes of
// the clocks cover the next year. It costs milliseconds.
func Explain(spec string, loc *time.Location) (Explanation, error) {
	r, err := Parse(spec, loc)
	if err != nil {
		return Explanation{}, err
	}
	texts, loc, _ := split(strings.Fields(spec), loc) // Parse has looked at the error
	out := Explanation{Warnings: aboutFields(strings.Fields(spec)[0], texts)}
	now := time.Now().In(loc)
	far := false
	for at := now; len(out.Runs) < explained; {
		next := r.Next(at)
		at, far = next, far || next.Year() > at.Year()+5
		out.Runs = append(out.Runs, at.In(loc))
	}
	if far {
		out.Warnings = append(out.Warnings, "A run is more than five years after the one before: robfig/cron, NATS and hashicorp/cronexpr find none.")
	}
	if s, err := parseFields(texts); err == nil { // and no period
		out.Warnings = append(out.Warnings, aboutClocks(s, loc, now)...)
	}
	return out, nil
}

// String has a line for each run and each warning.
func (e Explanation) String() string {
	var out strings.Builder
	for _, at := range e.Runs {
		fmt.Fprintln(&out, inWords(at))
	}
	for _, w := range e.Warnings {
		fmt.Fprintf(&out, "warning: %s\n", w)
	}
	return out.String()
}

func inWords(at time.Time) string {
	clock := "15:04"
	if at.Second() != 0 {
		clock = time.TimeOnly
	}
	return at.Format("Monday, 2 January 2006, at " + clock + " MST")
}

// aboutFields warns of other readings of the fields. first is the first word of the expression.
func aboutFields(first string, texts []string) (out []string) {
	warn := func(is bool, format string, args ...any) {
		if is {
			out = append(out, fmt.Sprintf(format, args...))
		}
	}
	warn(strings.Contains(first, "TZ="), "%s: Debian's cron and busybox ignore the time zone.", first)
	warn(texts[0] == "@every", "@every: cron, cronie and bcron refuse a period.")
	if texts[0][0] == '@' {
		return out
	}
	warn(len(texts) == 6, "Six fields: cron, cronie, busybox and bcron have no seconds, and take the last field for the command.")
	if len(texts) == 5 {
		texts = slices.Insert(slices.Clone(texts), 0, "0")
	}
	for i, f := range fields {
		for item := range strings.SplitSeq(texts[i], ",") {
			span, stepText, _ := strings.Cut(item, "/")
			step := number(stepText)
			star, size := span == "*" || span == "?", f.max-f.min+1
			warn(span == "?", "%s ?: cron and cronie refuse the question mark.", f.name)
			warn(step > 0 && !star && !strings.Contains(span, "-"),
				"%s %s: here it begins with %s and goes on to the end; cron, cronie, croner and node-cron refuse it, and busybox, bcron and systemd-cron run at %[3]s alone.", f.name, item, span)
			switch {
			case !star || step <= 1:
			case f.name == "day of month":
				warn(true, "%s %s: it begins anew each month, so the last step of a month is shorter; busybox counts from 0.", f.name, item)
			case f.sunday > 0:
				warn(true, "%s %s: it begins anew each week on Sunday.", f.name, item)
			case size%step != 0 && step < size:
				left := size % step
				warn(true, "%s %s: gaps of %d and %d, not of %[3]d alone.", f.name, item, step, left)
			case step >= size:
				warn(true, "%s %s: it is %d alone.", f.name, item, f.min)
			}
			low, high, isRange := strings.Cut(span, "-")
			warn(f.sunday > 0 && !isRange && low == "7", "day of week 7: robfig/cron and NATS refuse it, and busybox runs every day.")
			warn(f.sunday > 0 && isRange && high == "7", "day of week %s: robfig/cron and NATS refuse it, busybox and systemd-cron run every day, and hashicorp/cronexpr leaves Sunday out.", span)
		}
	}
	dom, dow := texts[3], texts[5]
	whole := func(text string) bool { return text == "*" || text == "?" || text == "*/1" }
	switch both := dom[0] == '*' || dow[0] == '*'; {
	case whole(dom) || whole(dow):
	case both:
		warn(true, "day of month %s and day of week %s: one begins with a star, so a day must match both, as in cron and cronie; busybox, robfig/cron, NATS, hashicorp/cronexpr, cron-parser, croner and cron for Node take either.", dom, dow)
	default:
		warn(true, "day of month %s and day of week %s: a day must match either, as in cron and cronie; node-cron, bcron and systemd-cron want both.", dom, dow)
	}
	return out
}

// around is how far from a change of the clocks a run may be moved by it.
const around = 26 * time.Hour

// aboutClocks warns of runs that a change of the clocks moves, adds or removes within a year, by comparison with the other rule of crontab(8).
func aboutClocks(s schedule, loc *time.Location, now time.Time) (out []string) {
	other := schedule{s.clock, !s.frequent}
	for at, end := now, now.AddDate(1, 0, 0); ; {
		_, change := at.ZoneBounds()
		if change.IsZero() || change.After(end) {
			return out
		}
		at = change.In(loc)
		is, would := runsAround(InZone(loc, s), at), runsAround(InZone(loc, other), at)
		only := func(a, b []time.Time) (list []string, n int) {
			for _, run := range a {
				if !slices.ContainsFunc(b, run.Equal) {
					list = append(list, run.Format("15:04 MST"))
				}
			}
			if n = len(list); n > 3 {
				list = append(list[:2], "...", list[n-1])
			}
			return list, n
		}
		mine, more := only(is, would)
		theirs, less := only(would, is)
		day := at.Format("Monday, 2 January 2006")
		switch {
		case s.frequent && less > 0:
			out = append(out, fmt.Sprintf("%s: the clocks skip %s, and there is no run in its place, as in cron and cronie: a field that begins with a star follows the clocks.", day, skipped(at)))
		case s.frequent && more > 0:
			out = append(out, fmt.Sprintf("%s: the clocks go back, and the runs at %s are additional, as in cron and cronie: a field that begins with a star follows the clocks.", day, strings.Join(mine, ", ")))
		case more > 0:
			out = append(out, fmt.Sprintf("%s: the clocks skip %s, and the run happens at %s, as in cron, cronie and croner; busybox, systemd-cron, robfig/cron, NATS, hashicorp/cronexpr and node-cron leave it out.", day, skipped(at), strings.Join(mine, ", ")))
		case less > 0:
			out = append(out, fmt.Sprintf("%s: the clocks go back, and there is no second run at %s, as in cron and cronie; busybox, robfig/cron, NATS and hashicorp/cronexpr run twice.", day, strings.Join(theirs, ", ")))
		}
	}
}

// skipped names the times of day that a change leaves out.
func skipped(change time.Time) string {
	_, before := change.Add(-1).Zone()
	return change.UTC().Add(time.Duration(before)*time.Second).Format("15:04") + " to " + change.Format("15:04")
}

// runsAround returns the runs near a change of the clocks.
func runsAround(r driver.Recurrence, change time.Time) (out []time.Time) {
	for at := r.Next(change.Add(-around)); !at.IsZero() && at.Before(change.Add(around)); at = r.Next(at) {
		out = append(out, at)
	}
	return out
}
