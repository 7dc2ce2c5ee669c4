package main

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/report"
)

// namedTies is how many of the structures that tie are named in a line of the
// summary (chosen).
const namedTies = 2

// namedMost is how many structures are named as the fastest the most often (chosen).
const namedMost = 3

// summarize prints what a run has found: a line for each cell, and which
// structures were the fastest the most often.
func summarize(out io.Writer, r *results.Run) {
	summarizeCalls(out, r.Calls)
	verdicts := report.Verdicts(r)
	if len(verdicts) == 0 {
		return
	}
	t := newTable("workload", "n", "ns", "±", "per", "fastest", "unclear", "next", "slowest")
	for _, v := range verdicts {
		next, slowest := "–", "–"
		if n := len(v.Others); n > 0 {
			next = multiple(v.Others[0])
			if m := v.Others[0]; m.Lo > 0 && !math.IsInf(m.Hi, 1) {
				next += fmt.Sprintf(" ±%.0f%%", 100*max(m.Hi/m.Times-1, 1-m.Lo/m.Times))
			}
			if n > 1 {
				slowest = multiple(v.Others[n-1])
			}
		}
		t.AppendRow(table.Row{v.Workload, v.N, nanoseconds(v.NS), spread(v.Spread), v.Unit, fastest(v.Fastest), unclear(v.Unclear), next, slowest})
	}
	fmt.Fprintln(out, aligned(t, 2, 4))
	fmt.Fprintf(out, "ns: median of the fastest, ± its 95 %% interval. Fastest: more than one is a tie, within 5 %%.\n"+
		"Unclear: how many more may be the fastest. Next, slowest: times the fastest's, paired by round.\n")
	fmt.Fprintf(out, "Fastest or tied with it, of %d cells: %s.\n", len(verdicts), standings(verdicts))
}

// summarizeCalls prints the longest calls: a line for each workload and structure.
func summarizeCalls(out io.Writer, list []results.Calls) {
	if len(list) == 0 {
		return
	}
	t := newTable("workload", "structure", "n", "longest call, us", "operation", "at tick")
	for _, c := range list {
		longest := c.Max()
		t.AppendRow(table.Row{c.Workload, c.Structure, c.N, nanoseconds(longest.NS / 1e3), longest.Operation, longest.At})
	}
	fmt.Fprintln(out, aligned(t, 3, 4))
}

func multiple(m report.Multiple) string {
	digits := 1
	if m.Times < 2 {
		digits = 2
	}
	return fmt.Sprintf("%s %.*fx", m.Structure, digits, m.Times)
}

func nanoseconds(ns float64) string {
	digits := 1
	if ns >= 100 {
		digits = 0
	}
	return strconv.FormatFloat(ns, 'f', digits, 64)
}

func spread(share float64) string {
	if share == 0 {
		return "–"
	}
	return fmt.Sprintf("%.0f %%", 100*share)
}

// unclear counts the structures that may be the fastest, too.
func unclear(names []string) string {
	if len(names) == 0 {
		return "–"
	}
	return strconv.Itoa(len(names))
}

// fastest names the first of those that tie and counts the others.
func fastest(names []string) string {
	more := len(names) - namedTies
	if more <= 0 {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:namedTies], ", "), more)
}

// standings names the structures that were the fastest, or tied with it, in the
// most cells, and says in how many.
func standings(verdicts []report.Verdict) string {
	counts := make(map[string]int)
	for _, v := range verdicts {
		for _, name := range v.Fastest {
			counts[name]++
		}
	}
	type standing struct {
		name  string
		cells int
	}
	var all []standing
	for name, n := range counts {
		all = append(all, standing{name, n})
	}
	slices.SortFunc(all, func(a, b standing) int {
		return cmp.Or(cmp.Compare(b.cells, a.cells), strings.Compare(a.name, b.name))
	})
	var parts []string
	for _, s := range all[:min(namedMost, len(all))] {
		parts = append(parts, fmt.Sprintf("%s %d", s.name, s.cells))
	}
	return strings.Join(parts, ", ")
}
