package advise

import (
	"cmp"
	"fmt"
	"regexp"
	"runtime"
	"slices"
	"time"

	"github.com/timerbench/timerbench/internal/show"
	"github.com/timerbench/timerbench/trace"
	"github.com/timerbench/timerbench/trace/tracestat"
)

// Sentence is the advice in one sentence.
func (a *Advice) Sentence() string {
	now := a.Now
	if a.Kept == 1 {
		return fmt.Sprintf("Keep package time: your timers cost %s of a core, and the driver can replace none of them.", show.Percent(now.Core.Center))
	}
	for _, way := range []struct {
		name string
		Use
	}{{"The driver", a.OnDriver}, {"The driver, with timers that are fields of your structs,", a.InStructs}} {
		core, bytes := now.Core.Center-way.Core.Center, now.Bytes-way.Bytes
		if way.Core.Hi >= now.Core.Lo { // not certain
			core = min(core, 0)
		}
		saves := ""
		if core >= a.Core {
			saves = fmt.Sprintf("%s of a core (%s to %s)", show.Percent(core), show.Percent(now.Core.Center), show.Percent(way.Core.Center))
		}
		switch {
		case core <= -a.Core:
			continue
		case bytes >= a.Bytes && saves == "":
			saves = fmt.Sprintf("%s (%s to %s)", show.Bytes(bytes), show.Bytes(now.Bytes), show.Bytes(way.Bytes))
		case bytes >= a.Bytes:
			saves += " and " + show.Bytes(bytes)
		case bytes <= -a.Bytes && saves != "":
			saves += ", and take " + show.Bytes(-bytes) + " more"
		}
		if saves != "" {
			return way.name + " would save " + saves + "."
		}
	}
	keep := fmt.Sprintf("Keep package time: your timers cost %s of a core and %s", show.Percent(now.Core.Center), show.Bytes(now.Bytes))
	if now.Core.Center >= a.Core || now.Bytes >= a.Bytes {
		keep += ", and the driver would save too little of it"
	}
	return keep + "."
}

// Text is the whole advice.
func (a *Advice) Text() show.Text {
	s := a.Summary
	limits := fmt.Sprintf("Less than %s of a core and %s does not matter. ", show.Percent(a.Core), show.Bytes(a.Bytes))
	if most := slices.Max(a.Sites); most < a.Core {
		limits += fmt.Sprintf("No place in the program costs more than %s of a core, so none is worth a change.", show.Percent(most))
	} else {
		limits += fmt.Sprintf("A change can be worth its while at the places that cost more (%s at most).", show.Percent(most))
	}
	text := show.Para(a.Sentence())
	if brief := s.Brief(); brief != "" {
		text = append(text, show.Warning("But "+brief+".")...)
	}
	text = append(text, show.Para(limits)...)
	if a.Changed != nil {
		text = slices.Concat(text, show.Tables(a.whatIf()))
	}
	text = slices.Concat(text, show.Tables(a.costs()), a.notes())
	if s.Header.Sites {
		text = slices.Concat(text, show.Tables(a.places()))
	}
	return slices.Concat(text, a.patterns())
}

func (a *Advice) costs() *show.Table {
	t := &show.Table{Header: []string{"", "of a core", "for calls", "for wake-ups", "an hour", "memory"}}
	add := func(name string, u *Use) {
		t.Add(name, core(u), share(u.Calls), share(u.Core.Center-u.Calls), show.Number(u.Wakeups, show.Figure(u.Wakeups)), show.Number(u.Bytes, show.Bytes(u.Bytes)))
	}
	add("package time", &a.Now)
	if a.Lazily != nil {
		add("package time, moved lazily", a.Lazily)
	}
	if a.Kept < 1 {
		add("the driver", &a.OnDriver)
		add("the driver, timers in structs", &a.InStructs)
	}
	return t
}

// core is the share of a core and its interval.
func core(u *Use) show.Cell {
	return share(u.Core.Center).With(show.Interval(100*u.Core.Lo, 100*u.Core.Hi, show.Figure, "–"))
}

func share(of float64) show.Cell { return show.Number(of, percent(of)) }

// percent writes a share. Shares of less than 0.001 % are alike.
func percent(of float64) string {
	const least = 0.00001
	if of > 0 && of < least {
		return "< " + show.Percent(least)
	}
	return show.Percent(of)
}

// whatIf compares the present with the change that was asked for.
func (a *Advice) whatIf() *show.Table {
	t := &show.Table{Header: []string{"what if", "of a core", "wake-ups an hour", "most at once", "late by", "at most", "memory"}}
	add := func(name string, u *Use) {
		t.Add(name, core(u), show.Number(u.Wakeups, show.Figure(u.Wakeups)), u.AtOnce, show.Number(u.Late, show.Delay(u.Late)),
			show.Number(u.Latest, show.Delay(u.Latest)), show.Number(u.Bytes, show.Bytes(u.Bytes)))
	}
	name := ""
	for _, part := range []struct {
		on   bool
		name string
	}{
		{a.Driver, "the driver"}, {a.Change.Lazy, "moved lazily"}, {a.Change.Tick > 0, fmt.Sprintf("tick %v", a.Change.Tick)},
		{a.Change.Spread > 0, fmt.Sprintf("spread %s", show.Percent(a.Change.Spread))},
	} {
		if part.on {
			name += ", " + part.name
		}
	}
	add("now", &a.Now)
	add(name[2:], a.Changed)
	return t
}

var goVersion = regexp.MustCompile(`\bgo1\.\d+(\.\d+)?\b`)

// notes returns the conditions under which the figures hold.
func (a *Advice) notes() show.Text {
	s := a.Summary
	out := fmt.Sprintf("Measured on this machine with %s: the calls of the trace, and wake-ups of a process that sleeps until "+
		"then. A process that is awake pays less for them. The program's own work, which evicts the timers from the caches, is left out.", runtime.Version())
	if a.Partial > 0 {
		out += fmt.Sprintf(" Of the trace, the first %v were replayed.", a.Partial.Round(time.Millisecond))
	}
	if of := goVersion.FindString(s.Header.Description); of != "" && of != runtime.Version() {
		out += fmt.Sprintf(" The program was built with %s, whose timers may cost more or less.", of)
	}
	if a.Kept > 0 {
		out += fmt.Sprintf(" %s of the calls are on deadlines, sleeps and tickers, which the driver cannot replace: they stay "+
			"with package time, and their memory is not counted.", show.Percent(a.Kept))
	}
	var unknown, all uint64
	for _, p := range s.Sites {
		if all += p.Timers; p.Form == trace.UnknownForm {
			unknown += p.Timers
		}
	}
	if unknown > all/100 {
		out += fmt.Sprintf(" The trace does not tell the form of %s of the timers. They count as functions, which cost more than deadlines "+
			"and which the driver can replace.", show.Percent(float64(unknown)/float64(all)))
	}
	return show.Para(out)
}

// places lists the places in the program that cost most.
func (a *Advice) places() *show.Table {
	order := make([]int, len(a.Sites))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(a.Sites[j], a.Sites[i]) })
	return Places(a.Summary, order, a.Sites)
}

// mostPlaces is the number of places in a table (chosen).
const mostPlaces = 10

// Places lists the places of a trace in an order, with their costs if they are known.
func Places(s *tracestat.Summary, order []int, cost []float64) *show.Table {
	t := &show.Table{Align: "llr", Header: []string{"set by", "form", "timers", "moves", "delay 50 %", "99 %", "cancelled", "early by", "wakes an hour"}}
	if cost != nil {
		t.Header = append(t.Header, "of a core")
	}
	for _, i := range order[:min(mostPlaces, len(order))] {
		p := s.Sites[i]
		left := any(nil)
		if p.Left.Count > 0 {
			left = show.Number(p.Left.P50, show.Delay(p.Left.P50))
		}
		row := []any{cmp.Or(p.Name, "(not known)"), cmp.Or(p.Form.String(), show.Unknown), p.Timers, p.Moves,
			show.Number(p.Delays.P50, show.Delay(p.Delays.P50)), show.Number(p.Delays.P99, show.Delay(p.Delays.P99)),
			share(p.CancelRate()), left, show.Number(s.PerHour(p.Wakes), show.Figure(s.PerHour(p.Wakes)))}
		if cost != nil {
			row = append(row, share(cost[i]))
		}
		t.Add(row...)
	}
	if more := len(order) - mostPlaces; more > 0 {
		t.Add(fmt.Sprintf("and %d more", more))
	}
	return t
}

// patterns lists the patterns that were found, with their places and remedies.
func (a *Advice) patterns() show.Text {
	var out show.Text
	for r := range tracestat.Rules {
		rule := &tracestat.Rules[r]
		var places [][]show.Span
		for _, f := range a.Found {
			if f.Rule != rule {
				continue
			}
			p := a.Summary.Sites[f.Site]
			places = append(places, show.Line(show.Mono(cmp.Or(p.Name, "(not known)")),
				fmt.Sprintf(": %s; %s of a core", f.Evidence, percent(a.Sites[f.Site]))))
		}
		if len(places) == 0 {
			continue
		}
		remedy := rule.Remedy
		switch {
		case rule.Lazy:
			remedy += fmt.Sprintf(" Measured: %s of a core for the calls, not %s, and %s wake-ups an hour, not %s.", percent(a.Lazily.Calls),
				percent(a.Now.Calls), show.Figure(a.Lazily.Wakeups), show.Figure(a.Now.Wakeups))
		case rule.Spread:
			remedy += fmt.Sprintf(" With 5 %%, at most %s fire at once, not %s, at %s wake-ups an hour, not %s.", show.Grouped(a.Spread.AtOnce),
				show.Grouped(a.Now.AtOnce), show.Figure(a.Spread.Wakeups), show.Figure(a.Now.Wakeups))
		}
		out = slices.Concat(out, show.Para(show.Strong(upper(rule.Pattern)+"."), " "+remedy+" See "+rule.Source), show.Bullets(places...))
	}
	return out
}

// upper makes the first letter of a pattern a capital.
func upper(s string) string { return string(s[0]-'a'+'A') + s[1:] }
