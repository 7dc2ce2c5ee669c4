package advice

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"github.com/timerbench/timerbench/bench/stats"
	"github.com/timerbench/timerbench/internal/show"
)

// namedTies is how many structures a sentence names that tie or are unclear (chosen).
const namedTies = 3

// sentence is the answer in words.
func (a Answer) sentence() string {
	first := a.Ranking[0]
	var b strings.Builder
	fmt.Fprintf(&b, "For %s: %s", a.Words(), first.Structure)
	if e := a.Evidence[0]; first.NS > 0 && len(a.Matters.names()) == 0 {
		where := ""
		if len(a.Evidence) > 1 || e.Distance > Measured {
			where = fmt.Sprintf(" in %s with %s", e.Workload, timers(float64(e.N)))
		}
		fmt.Fprintf(&b, " (%s ns a %s%s)", show.Figure(first.NS), e.Unit, where)
	}
	if first.Late != "" {
		fmt.Fprintf(&b, ", which is late by %s", first.Late)
	}
	b.WriteString("; ")
	exact, coarse := a.exact()
	if len(a.Ranking) == 1 {
		b.WriteString("nothing else was measured")
	} else {
		s := a.Ranking[1]
		fmt.Fprintf(&b, "next %s, ", s.Structure)
		if coarse && s.Structure == exact.Structure {
			b.WriteString("which is exact, ")
			coarse = false
		}
		b.WriteString(a.times(s))
	}
	if coarse {
		fmt.Fprintf(&b, "; the best exact one %s, %s", exact.Structure, a.times(exact))
	}
	fmt.Fprintf(&b, ". Ties: %s.", a.named(stats.Tie))
	if unclear := a.named(stats.Unclear); unclear != "none" {
		fmt.Fprintf(&b, " Unclear: %s.", unclear)
	}
	return b.String()
}

// exact returns the best exact structure where the best one is coarse.
func (a Answer) exact() (Ranked, bool) {
	if a.Ranking[0].Late == "" {
		return Ranked{}, false
	}
	for _, s := range a.Ranking {
		if s.Late == "" {
			return s, true
		}
	}
	return Ranked{}, false
}

// named names the structures after the first one that have a standing.
func (a Answer) named(standing stats.Standing) string {
	var names []string
	for _, s := range a.Ranking[1:] {
		if s.Times.Standing() == standing {
			names = append(names, s.Structure)
		}
	}
	if len(names) == 0 {
		return "none"
	}
	if more := len(names) - namedTies; more > 0 {
		names = append(names[:namedTies], fmt.Sprintf("%d more", more))
	}
	return strings.Join(names, ", ")
}

// times says how a structure compares with the first.
func (a Answer) times(s Ranked) string {
	what := " times as long"
	if len(a.Matters.names()) > 0 {
		what = " times its score"
	}
	lo, hi := show.Times(s.Times.Lo), show.Times(s.Times.Hi)
	if !s.Times.Bounded() || lo == hi {
		return show.Times(s.Times.Center) + what
	}
	return lo + " to " + hi + what
}

// Words describes a question as the sentence of its answer does.
func (q Question) Words() string { return q.population() + q.wish() }

// population describes the timers.
func (q Question) population() string {
	parts := []string{"about " + timers(q.N)}
	switch {
	case q.Reschedule == Unknown && q.Cancel == Unknown:
		parts = append(parts, "any share cancelled or moved")
	case q.Reschedule > 0 && q.Cancel > 0:
		parts = append(parts, fmt.Sprintf("%s of the calls move a timer, %s of the timers cancelled", show.Percent(q.Reschedule), show.Percent(q.Cancel)))
	case q.Reschedule > 0:
		parts = append(parts, show.Percent(q.Reschedule)+" of the calls move a timer")
	case q.Cancel == Unknown:
		parts = append(parts, "any share cancelled, none moved")
	case q.Cancel == 0:
		parts = append(parts, "none cancelled")
	default:
		parts = append(parts, show.Percent(q.Cancel)+" cancelled")
	}
	delays := "any delays"
	if q.Delays != "" {
		delays = q.Delays + " delays"
	}
	return strings.Join(append(parts, delays), ", ")
}

// wish describes what is asked of the structure.
func (q Question) wish() string {
	out := ""
	if q.Late {
		out = ", late or not"
	}
	if names := q.Matters.names(); len(names) > 0 {
		out += ", by " + show.And(names)
	}
	return out
}

// far says in what the cell differs from the question, unless it is the question itself.
func (e Evidence) far() string {
	if e.Distance <= Measured {
		return ""
	}
	is := "near"
	if e.Distance > TooFar {
		is = "far from"
	}
	return fmt.Sprintf("Nobody has measured just that. The nearest cell, %s with %s, is %s it: %s. "+
		"To know it of your program, record it and use timerbench trace replay.",
		e.Workload, timers(float64(e.N)), is, cmp.Or(e.Differs, "a little of everything differs"))
}

// differs says in what a cell differs from a question.
func differs(q, c place) string {
	var out []string
	if d := decades(q.n, c.n); d >= 0.1 {
		more := "more"
		if c.n < q.n {
			more = "fewer"
		}
		out = append(out, fmt.Sprintf("%s times %s timers", show.Times(math.Pow(10, d)), more))
	}
	if q.cancel != Unknown && math.Abs(q.cancel-c.cancel) >= 0.02 && min(q.moved, c.moved) < 0.9 {
		out = append(out, show.Percent(c.cancel)+" cancelled")
	}
	if q.moved != Unknown && math.Abs(q.moved-c.moved) >= 0.02 {
		out = append(out, show.Percent(c.moved)+" of the calls move a timer")
	}
	if q.perWake > 0 && decades(min(q.perWake, mostPerWake), c.perWake) >= 0.3 {
		if c.perWake >= mostPerWake {
			out = append(out, "1,000 calls or more a wake-up")
		} else {
			out = append(out, show.Figure(c.perWake)+" calls a wake-up")
		}
	}
	if q.delays != "" && q.delays != c.delays {
		if c.delays == "" {
			out = append(out, "mixed delays")
		} else {
			out = append(out, c.delays+" delays")
		}
	}
	return strings.Join(out, ", ")
}

func timers(n float64) string {
	switch {
	case n >= 1e6:
		return show.Figure(n/1e6) + " million timers"
	case n == 1:
		return "1 timer"
	}
	return show.Grouped(int64(math.Round(n))) + " timers"
}
