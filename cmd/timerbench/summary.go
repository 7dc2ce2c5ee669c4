package main

import (
	"fmt"
	"io"

	"github.com/timerbench/timerbench/bench/cost"
	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/internal/show"
	"github.com/timerbench/timerbench/report"
)

// summarize prints a line for each cell of a run, and the structures that were the fastest most often.
func summarize(out io.Writer, r *results.Run) {
	summarizeCalls(out, r.Calls)
	summary := report.Summary(r)
	if summary != "" && r.Parameters.Lean {
		summarizeLean(out, r)
		return
	}
	fmt.Fprint(out, summary)
}

// summarizeLean prints a table for each size: the cost of each contender in each workload.
func summarizeLean(out io.Writer, r *results.Run) {
	for _, n := range r.Parameters.N {
		t := show.Table{Header: []string{"structure"}}
		costs, memory := make(map[[2]string]any), make(map[string][]any)
		var structures []string
		for i := range r.Cells {
			if r.Cells[i].N != n {
				continue
			}
			c := cost.Of(r, &r.Cells[i])
			t.Header = append(t.Header, c.Workload)
			for _, row := range c.Rows {
				if memory[row.Structure] == nil {
					structures = append(structures, row.Structure)
					memory[row.Structure] = []any{nil, nil}
				}
				costs[[2]string{row.Structure, c.Workload}] = c.Cost(row).Center
			}
		}
		for _, m := range r.Memory {
			if m.N == n {
				memory[m.Structure] = []any{m.AgedBytes, m.CollectNS / 1e6}
			}
		}
		if len(structures) == 0 {
			continue
		}
		for _, name := range structures {
			row := []any{name}
			for _, workload := range t.Header[1:] {
				row = append(row, costs[[2]string{name, workload}])
			}
			t.Add(append(row, memory[name]...)...)
		}
		t.Header = append(t.Header, "bytes", "gc, ms")
		fmt.Fprintf(out, "%s timers: ns per lifecycle (in reschedule, per move), bytes per timer, ms per garbage collection\n%s\n",
			show.Grouped(n), t.Terminal())
	}
}

// summarizeCalls prints the longest call of each structure in each workload.
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

// known formats a figure; 0 means unknown.
func known(v float64, format func(float64) string) string {
	if v == 0 {
		return show.Unknown
	}
	return format(v)
}
