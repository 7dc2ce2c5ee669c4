package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/stats"
	"github.com/timerbench/timerbench/internal/show"
	"github.com/timerbench/timerbench/report"
)

// summarize prints what a run has found: a line for each cell, and which
// structures were the fastest the most often.
func summarize(out io.Writer, r *results.Run) {
	summarizeCalls(out, r.Calls)
	verdicts := report.Verdicts(r)
	switch {
	case len(verdicts) == 0:
		return
	case r.Parameters.Lean:
		summarizeLean(out, r)
		return
	}
	t := show.Table{Align: "lrrrllrl",
		Header: []string{"workload", "n", "ns", "±", "per", "fastest", "unclear", "next",
			"slowest"}}
	for _, v := range verdicts {
		next, slowest := show.Unknown, show.Unknown
		if n := len(v.Others); n > 0 {
			m := v.Others[0]
			if next = multiple(m); m.Lo > 0 && !math.IsInf(m.Hi, 1) {
				next += fmt.Sprintf(" ±%.0f%%", 100*max(m.Hi/m.Times-1, 1-m.Lo/m.Times))
			}
			if n > 1 {
				slowest = multiple(v.Others[n-1])
			}
		}
		t.Add(v.Workload, show.Grouped(v.N), show.Figure(v.NS), known(v.Spread, percent),
			string(v.Unit),
			fastest(v.Fastest), known(float64(len(v.Unclear)), show.Figure), next, slowest)
	}
	fmt.Fprintln(out, t.Terminal())
	fmt.Fprintf(out,
		"ns: median of the fastest, ± its 95 %% interval. Fastest: more than one is a tie, within 5 %%.\n"+
			"Unclear: how many more may be the fastest. Next, slowest: times the fastest's, paired by round.\n")
	fmt.Fprintf(out, "Fastest or tied with it, of %d cells: %s.\n", len(verdicts),
		standings(verdicts))
}

// summarizeLean prints the cost of each contender: a table for each size.
func summarizeLean(out io.Writer, r *results.Run) {
	for _, n := range r.Parameters.N {
		cells := slices.DeleteFunc(slices.Clone(r.Cells),
			func(c results.Cell) bool { return c.N != n })
		if len(cells) == 0 {
			continue
		}
		t := show.Table{Header: []string{"structure"}}
		lines, memory := make(map[string]int), make(map[string]results.Row)
		for i, c := range cells {
			t.Header = append(t.Header, c.Workload)
			for _, row := range c.Rows {
				line, ok := lines[row.Structure]
				if !ok {
					line = len(t.Rows)
					lines[row.Structure] = line
					t.Add(append([]string{row.Structure},
						slices.Repeat([]string{show.Unknown}, len(cells))...)...)
				}
				ns, _ := stats.Center(results.Samples(row.Cost), stats.Options{})
				t.Rows[line][i+1] = show.Figure(ns.Center)
				if memory[row.Structure].BytesPerTimer == 0 {
					memory[row.Structure] = row
				}
			}
		}
		t.Header = append(t.Header, "bytes", "gc, ms")
		for i, cells := range t.Rows {
			bytes, collect := show.Unknown, show.Unknown
			if m := memory[cells[0]]; m.BytesPerTimer > 0 {
				bytes, collect = show.Figure(m.BytesPerTimer), show.Figure(m.CollectNS/1e6)
			}
			t.Rows[i] = append(cells, bytes, collect)
		}
		fmt.Fprintf(out,
			"%s timers: ns a lifecycle, or a move in reschedule; bytes a timer; ms added to a garbage collection\n%s\n", show.Grouped(n), t.Terminal())
		for _, f := range r.MemoryFloors {
			if f.N == n {
				fmt.Fprintf(out,
					"A record of 32 bytes takes %s ns where nothing waits for it, and %s ns where each names the next.\n", show.Figure(f.TouchNS), show.Figure(f.ChaseNS))
			}
		}
	}
}

// summarizeCalls prints the longest calls: a line for each workload and structure.
func summarizeCalls(out io.Writer, list []results.Calls) {
	if len(list) == 0 {
		return
	}
	t := show.Table{Align: "llrrlr",
		Header: []string{"workload", "structure", "n", "longest call, us", "operation", "at tick"}}
	for _, c := range list {
		longest := c.Max()
		t.Add(c.Workload, c.Structure, show.Grouped(c.N), show.Figure(longest.NS/1e3),
			string(longest.Operation), show.Grouped(int64(longest.At)))
	}
	fmt.Fprintln(out, t.Terminal())
}

func multiple(m report.Multiple) string { return m.Structure + " " + show.Times(m.Times) + "x" }

// percent is a share of 1 in whole percent.
func percent(share float64) string { return fmt.Sprintf("%.0f %%", 100*share) }

// known formats a figure; 0 is not known.
func known(v float64, format func(float64) string) string {
	if v == 0 {
		return show.Unknown
	}
	return format(v)
}

// fastest names the first of those that tie and counts the others.
func fastest(names []string) string {
	const named = 2 // chosen
	if more := len(names) - named; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:named], ", "), more)
	}
	return strings.Join(names, ", ")
}

// standings names the structures that were the fastest, or tied with it, in the
// most cells, and says in how many.
func standings(verdicts []report.Verdict) string {
	cells := make(map[string]int)
	for _, v := range verdicts {
		for _, name := range v.Fastest {
			cells[name]++
		}
	}
	const named = 3 // chosen
	most := slices.SortedFunc(maps.Keys(cells),
		func(a, b string) int { return cmp.Or(cells[b]-cells[a], strings.Compare(a, b)) })
	most = most[:min(named, len(most))]
	return strings.Join(names(most,
		func(name string) string { return fmt.Sprintf("%s %d", name, cells[name]) }), ", ")
}
