package main

import (
	"fmt"
	"io"
	"slices"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/stats"
	"github.com/timerbench/timerbench/internal/show"
	"github.com/timerbench/timerbench/report"
)

// summarize prints what a run has found: a line for each cell, and which
// structures were the fastest the most often.
func summarize(out io.Writer, r *results.Run) {
	summarizeCalls(out, r.Calls)
	summary := report.Summary(r)
	if summary != "" && r.Parameters.Lean {
		summarizeLean(out, r)
		return
	}
	fmt.Fprint(out, summary)
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

// percent is a share of 1 in whole percent.
func percent(share float64) string { return fmt.Sprintf("%.0f %%", 100*share) }

// known formats a figure; 0 is not known.
func known(v float64, format func(float64) string) string {
	if v == 0 {
		return show.Unknown
	}
	return format(v)
}
