package main

import (
	"fmt"
	"io"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/internal/show"
	"github.com/timerbench/timerbench/report"
	"github.com/timerbench/timerbench/structures/catalog"
)

// summarize prints a line for each cell of a run, and the structures that were the fastest most often.
func summarize(out io.Writer, r *results.Run) {
	summarizeCalls(out, r.Calls)
	fmt.Fprint(out, report.Summary(r, catalog.All()))
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
