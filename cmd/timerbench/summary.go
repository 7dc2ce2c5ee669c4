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
	"github.com/timerbench/timerbench/bench/stats"
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
	if r.Parameters.Lean {
		summarizeLean(out, r)
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

// summarizeLean prints the cost of each contender: a table for each size.
func summarizeLean(out io.Writer, r *results.Run) {
	for _, n := range r.Parameters.N {
		header := table.Row{"structure"}
		rows, filled := make(map[string]table.Row), make(map[string]results.Row)
		var names []string
		for _, c := range r.Cells {
			if c.N != n {
				continue
			}
			header = append(header, c.Workload)
			for _, row := range c.Rows {
				if rows[row.Structure] == nil {
					names = append(names, row.Structure)
					rows[row.Structure] = table.Row{row.Structure}
				}
				if row.BytesPerTimer > 0 && filled[row.Structure].BytesPerTimer == 0 {
					filled[row.Structure] = row
				}
				ns, _ := stats.Center(results.Samples(row.Cost), stats.Options{})
				rows[row.Structure] = append(padded(rows[row.Structure], len(header)-1), nanoseconds(ns.Center))
			}
		}
		if len(names) == 0 {
			continue
		}
		t := newTable(append(header, "bytes", "gc, ms")...)
		for _, name := range names {
			memory := table.Row{"–", "–"}
			if row := filled[name]; row.BytesPerTimer > 0 {
				memory = table.Row{nanoseconds(row.BytesPerTimer), nanoseconds(row.CollectNS / 1e6)}
			}
			t.AppendRow(append(padded(rows[name], len(header)), memory...))
		}
		fmt.Fprintf(out, "%d timers: ns a lifecycle, or a move in reschedule; bytes a timer; ms added to a garbage collection\n%s\n", n, aligned(t, 2, len(header)+2))
		for _, f := range r.MemoryFloors {
			if f.N == n {
				fmt.Fprintf(out, "A record of 32 bytes takes %.1f ns where nothing waits for it, and %.0f ns where each names the next.\n", f.TouchNS, f.ChaseNS)
			}
		}
	}
}

// padded returns a row with that many cells.
func padded(row table.Row, cells int) table.Row {
	for len(row) < cells {
		row = append(row, "–")
	}
	return row
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
