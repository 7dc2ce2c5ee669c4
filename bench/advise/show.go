package advise

import (
	"cmp"
	"fmt"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"github.com/timerbench/timerbench/internal/show"
	"github.com/timerbench/timerbench/trace"
	"github.com/timerbench/timerbench/trace/tracestat"
)

// Sentence is the advice in one sentence: the cheapest way, if it saves enough.
func (a *Advice) Sentence() string {
	now := &a.Ways[0]
	best := slices.MinFunc(a.Ways, func(x, y Way) int { return cmp.Compare(x.Core.Center, y.Core.Center) })
	saved, sure := now.Core.Center-best.Core.Center, best.Core.Hi < now.Core.Lo
	if sure && saved >= a.Core {
		saves := fmt.Sprintf("%s of a core (%s to %s)", show.Percent(saved), show.Percent(now.Core.Center), show.Percent(best.Core.Center))
		switch bytes := now.Bytes - best.Bytes; {
		case bytes >= a.Bytes:
			saves += " and " + show.Bytes(bytes)
		case bytes <= -a.Bytes:
			saves += ", and take " + show.Bytes(-bytes) + " more"
		}
		return best.Subject + " would save " + saves + "."
	}
	for _, w := range a.Ways[1:] {
		if bytes := now.Bytes - w.Bytes; bytes >= a.Bytes && w.Core.Center-now.Core.Center < a.Core {
			return fmt.Sprintf("%s would save %s (%s to %s).", w.Subject, show.Bytes(bytes), show.Bytes(now.Bytes), show.Bytes(w.Bytes))
		}
	}
	keep := fmt.Sprintf("Keep %s: your timers cost %s of a core", now.Name, show.Percent(now.Core.Center))
	if a.Kept == 1 {
		return keep + ", and the driver can hold none of them."
	}
	keep += " and " + show.Bytes(now.Bytes)
	switch {
	case now.Core.Center < a.Core && now.Bytes < a.Bytes:
	case sure:
		keep += ", and the best change below would save only " + show.Percent(saved)
	default:
		keep += ", and nothing below is certainly cheaper"
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
	var text show.Text
	for _, warning := range []string{s.Brief(), s.Monitor()} { // before the headline that rests on it
		if warning != "" {
			text = append(text, show.Warning(strings.ToUpper(warning[:1])+warning[1:]+".")...)
		}
	}
	text = slices.Concat(text, show.Para(a.Sentence()), show.Para(limits), show.Tables(a.costs()), a.notes())
	if s.Placed() {
		text = slices.Concat(text, show.Tables(Places(s, a.Sites)))
	}
	return slices.Concat(text, a.patterns())
}

func (a *Advice) costs() *show.Table {
	t := &show.Table{Header: []string{"", "of a core", "for calls", "for wake-ups", "an hour", "memory"}}
	for i := range a.Ways {
		w := &a.Ways[i]
		t.Add(w.Name, share(w.Core.Center).With(show.Interval(100*w.Core.Lo, 100*w.Core.Hi, show.Figure, "–")),
			share(w.CallsCore), share(w.Core.Center-w.CallsCore), show.Number(w.PerHour(), show.Figure(w.PerHour())), show.Number(w.Bytes, show.Bytes(w.Bytes)))
	}
	return t
}

func share(of float64) show.Cell { return show.Number(of, show.Percent(of)) }

var goVersion = regexp.MustCompile(`\bgo1\.\d+(\.\d+)?\b`)

// notes returns the conditions under which the figures hold.
func (a *Advice) notes() show.Text {
	s := a.Summary
	out := fmt.Sprintf("The calls and wake-ups of the trace, times what one costs on this machine with %s in a process that sleeps until it "+
		"wakes up. A process that is awake pays less for wake-ups. The program's own work, which evicts the timers from the caches, is left out.", runtime.Version())
	if of := goVersion.FindString(s.Header.Description); of != "" && of != runtime.Version() {
		out += fmt.Sprintf(" The program was built with %s, whose timers may cost more or less.", of)
	}
	if a.Kept > 0 {
		out += fmt.Sprintf(" %s of the calls are on deadlines of package net and sleeps, which the driver cannot hold: they stay "+
			"with package time, and their memory is not counted.", show.Percent(a.Kept))
	}
	var unknown, all uint64
	for _, p := range s.Sites {
		if all += p.Timers; p.Form == trace.UnknownForm {
			unknown += p.Timers
		}
	}
	if unknown > all/100 {
		out += fmt.Sprintf(" The trace does not tell the form of %s of the timers. They count as functions, which "+
			"the driver can hold.", show.Percent(float64(unknown)/float64(all)))
	}
	return show.Para(out)
}

// short writes a place without the folders of its package, which the bullets below a table have.
func short(place string) string {
	if slash := strings.LastIndexByte(place[:strings.IndexByte(place+"(", '(')], '/'); slash >= 0 {
		place = place[slash+1:]
	}
	if r := []rune(place); len(r) > widest {
		place = "…" + string(r[len(r)-widest:])
	}
	return place
}

// widest is the number of characters of a place in a table (chosen): the table has at most 120 columns.
const widest = 40

// mostPlaces is the number of places in a table (chosen).
const mostPlaces = 10

// Places lists the places of a trace. If the costs are known, the most expensive place comes first.
func Places(s *tracestat.Summary, cost []float64) *show.Table {
	t := &show.Table{Align: "llr", Header: []string{"set by", "form", "timers", "moves", "50 %", "99 %", "stopped", "early", "an hour"}}
	if cost != nil {
		t.Header = append(t.Header, "of a core")
	}
	order := make([]int, len(s.Sites))
	for i := range order {
		order[i] = i
	}
	if cost != nil {
		slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(cost[j], cost[i]) })
	}
	for _, i := range order[:min(mostPlaces, len(order))] {
		p := s.Sites[i]
		left := any(nil)
		if p.Left.Count > 0 {
			left = show.Number(p.Left.P50, show.Delay(p.Left.P50))
		}
		row := []any{cmp.Or(short(p.Name), "(not known)"), cmp.Or(p.Form.String(), show.Unknown), p.Timers, p.Moves,
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
		var remedies []string
		places := make(map[string][][]show.Span) // by remedy
		for _, f := range a.Found {
			if f.Rule != rule {
				continue
			}
			p := a.Summary.Sites[f.Site]
			remedy := rule.RemedyFor(p.Form)
			if places[remedy] == nil {
				remedies = append(remedies, remedy)
			}
			places[remedy] = append(places[remedy], show.Line(show.Mono(cmp.Or(p.Name, "(not known)")),
				fmt.Sprintf(": %s; %s of a core", f.Evidence, show.Percent(a.Sites[f.Site]))))
		}
		for _, remedy := range remedies {
			lead := show.Line(show.Strong(strings.ToUpper(rule.Pattern[:1])+rule.Pattern[1:]+"."), " "+remedy)
			out = slices.Concat(out, show.Text{{Spans: lead}}, show.Bullets(places[remedy]...))
		}
		if len(remedies) > 0 {
			out = slices.Concat(out, show.Para("See "+rule.Source))
		}
	}
	return out
}
