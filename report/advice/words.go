package advice

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/internal/show"
)

// namedTies is the largest number of tied structures that a sentence names (chosen).
const namedTies = 3

// after returns the words of an answer that follow the leader. Only the intervals of the ranking decide which others may be
// the best.
func (a Answer) after() string {
	leader, tied := a.Ranking[0], a.Tied
	if more := len(tied) - namedTies; more > 0 {
		tied = append(slices.Clone(tied[:namedTies]), fmt.Sprintf("one of %d more", more))
	}
	figure := ""
	if e := a.Evidence[0]; leader.NS > 0 && len(a.Matters.names()) == 0 {
		figure = fmt.Sprintf("%s ns per %s", show.Figure(leader.NS), unit(e.Unit))
		if len(a.Evidence) > 1 || e.Distance > Measured {
			figure += fmt.Sprintf(" in %s with %s", e.Workload, timers(float64(e.N)))
		}
	}
	var b strings.Builder
	b.WriteString(strings.TrimPrefix(show.Or(append([]string{a.Leader}, tied...)), a.Leader))
	switch {
	case a.Open:
		b.WriteString(": too close to tell in this run")
		if figure != "" {
			fmt.Fprintf(&b, ". %s takes %s", a.Leader, figure)
		}
	case len(tied) > 0:
		b.WriteString(", the same within 5 %")
		if figure != "" {
			b.WriteString(": " + figure)
		}
	case figure != "":
		b.WriteString(", " + figure)
	}
	if leader.Late != "" {
		fmt.Fprintf(&b, ". %s is late by %s", a.Leader, leader.Late)
	}
	if a.Next != nil {
		fmt.Fprintf(&b, ". Next: %s, %s", a.Next.Structure, a.times(*a.Next))
	} else if len(a.Ranking) == 1 {
		b.WriteString(". Nothing else was measured")
	}
	if a.Exact != nil && a.Exact != a.Next {
		fmt.Fprintf(&b, ". The best exact one: %s, %s", a.Exact.Structure, a.times(*a.Exact))
	}
	b.WriteString(".")
	return b.String()
}

func unit(u script.Unit) string {
	if u == script.PerLifecycle {
		return "timer"
	}
	return string(u)
}

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

// Words describes the question in the words of the sentence of its answer.
func (q Question) Words() string { return q.population() + q.wish() }

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

// far says in what the cell differs from the question, unless it is the question itself. For a program that is not
// recorded it also says how to measure the program.
func (e Evidence) far(recorded bool) string {
	if e.Distance <= Measured {
		return ""
	}
	is := "near"
	if e.Distance > TooFar {
		is = "far from"
	}
	out := fmt.Sprintf("Nobody has measured just that. The nearest cell, %s with %s, is %s it: %s.",
		e.Workload, timers(float64(e.N)), is, cmp.Or(e.Differs, "a little of everything differs"))
	if !recorded {
		out += " To know it of your program, record it and use timerbench trace replay."
	}
	return out
}

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
