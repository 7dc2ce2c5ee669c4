package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/internal/show"
	"github.com/timerbench/timerbench/structures/catalog"
)

// fact is a line about a structure.
type fact struct{ name, text string }

// facts returns what is known of a structure: what the catalog says, and what a run has
// measured, whose verdicts are given. Without a run, r is nil.
func facts(e catalog.Entry, r *results.Run, verdicts []Verdict) []fact {
	out := []fact{
		{"What it is", e.Summary},
		{"Idea", e.Source},
		{"Package", e.Package},
		{"Costs", fmt.Sprintf("schedule %s; cancel %s; pop %s", e.Costs.Schedule, e.Costs.Cancel, e.Costs.Pop)},
		{"Equal deadlines", map[catalog.Order]string{
			catalog.FIFO: "FIFO: in the order in which they were scheduled or rescheduled", catalog.Unspecified: "in any order",
		}[e.Ties]},
		{"Exactness", exactness(e)},
		{"Memory", memoryOf(e, r)},
	}
	if e.Limit > 0 {
		out = append(out, fact{"Limit", "made for up to " + show.Grouped(e.Limit) + " timers"})
	}
	if e.ThirdParty != "" {
		out = append(out, fact{"Off the shelf", e.ThirdParty})
	}
	return append(out, standing(e.Name, r, verdicts)...)
}

func exactness(e catalog.Entry) string {
	if e.Exact() {
		return "exact: each timer fires at its deadline"
	}
	return "coarse: never early, and late by " + e.Late
}

// memoryOf says what a timer takes: as declared, and as measured at the largest size.
func memoryOf(e catalog.Entry, r *results.Run) string {
	var out []string
	if e.MaxBytes > 0 {
		out = append(out, fmt.Sprintf("at most %d bytes a timer among 10,000 and more, its value of 8 bytes included", e.MaxBytes))
	}
	if e.Allocates {
		out = append(out, "allocates in the steady state")
	} else {
		out = append(out, "allocates nothing in the steady state")
	}
	if r != nil {
		var of []results.Memory
		for _, m := range r.Memory {
			if m.Structure == e.Name {
				of = append(of, m)
			}
		}
		if len(of) > 0 {
			m := slices.MaxFunc(of, func(a, b results.Memory) int { return cmp.Compare(a.N, b.N) })
			out = append(out, fmt.Sprintf("measured among %s: %s bytes, and %s after timers were replaced",
				show.Short(float64(m.N)), show.Figure(m.Bytes), show.Figure(m.AgedBytes)))
		}
	}
	return strings.Join(out, "; ")
}

// place is how a structure did in one cell.
type place struct {
	cell  string
	times float64 // its cost as a multiple of the fastest's; 1: the fastest, or tied with it
}

// namedPlaces is how many cells a fact names (chosen).
const namedPlaces = 4

// standing says where a structure wins and loses.
func standing(name string, r *results.Run, verdicts []Verdict) []fact {
	if r == nil {
		return []fact{{"Wins and loses", "there are no results that could tell"}}
	}
	var places, unclear []place
	for _, v := range verdicts {
		cell := fmt.Sprintf("%s, N = %s", v.Workload, show.Short(float64(v.N)))
		if slices.Contains(v.Fastest, name) {
			places = append(places, place{cell, 1})
			continue
		}
		if slices.Contains(v.Unclear, name) {
			unclear = append(unclear, place{cell: cell})
			continue
		}
		for _, other := range v.Others {
			if other.Structure == name {
				places = append(places, place{cell, other.Times})
			}
		}
	}
	all := len(places) + len(unclear)
	if all == 0 {
		return []fact{{"Wins and loses", "these results have no cost of it"}}
	}
	slices.SortStableFunc(places, func(a, b place) int { return cmp.Compare(a.times, b.times) })
	wins := 0
	logs := 0.0
	for _, p := range places {
		if p.times == 1 {
			wins++
		}
		logs += math.Log(p.times)
	}
	worst := slices.Clone(places[max(wins, len(places)-namedPlaces):])
	slices.Reverse(worst)
	out := []fact{{"Wins", fmt.Sprintf("fastest, or tied with the fastest, in %d of %d cells%s", wins, all, cellNames(places[:wins], ""))}}
	if len(unclear) > 0 {
		out = append(out, fact{"Unclear", fmt.Sprintf("may be the fastest, but its cost is not known well enough, in %d%s", len(unclear), cellNames(unclear, ""))})
	}
	if len(worst) > 0 {
		out = append(out, fact{"Loses", "most in" + strings.TrimPrefix(cellNames(worst, " × the fastest"), ":")})
	}
	if left := cellsWithout(name, r); len(left) > 0 {
		out = append(out, fact{"Left out", "among fewer timers it took a multiple of the fastest's time, so it was not measured in " + strings.TrimPrefix(cellNames(left, ""), ": ")})
	}
	if len(places) == 0 {
		return out
	}
	return append(out, fact{"Typical", fmt.Sprintf("%s × the fastest: the geometric mean over the cells that are clear, in which a tie counts as 1", show.Times(math.Exp(logs/float64(len(places)))))})
}

// cellsWithout returns the cells that leave a structure out.
func cellsWithout(name string, r *results.Run) []place {
	var out []place
	for _, c := range r.Cells {
		if slices.Contains(c.LeftOut, name) {
			out = append(out, place{cell: fmt.Sprintf("%s, N = %s", c.Workload, show.Short(float64(c.N)))})
		}
	}
	return out
}

// cellNames names the first of places, with their multiples if unit says what these are.
func cellNames(places []place, unit string) string {
	if len(places) == 0 {
		return ""
	}
	var out []string
	for _, p := range places[:min(len(places), namedPlaces)] {
		s := p.cell
		if unit != "" {
			s += " (" + show.Times(p.times) + unit + ")"
		}
		out = append(out, s)
	}
	if more := len(places) - namedPlaces; more > 0 {
		out = append(out, fmt.Sprintf("%d more", more))
	}
	return ": " + strings.Join(out, "; ")
}
