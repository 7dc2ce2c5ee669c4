package store

import (
	"bufio"
	"fmt"
	"io"

	"github.com/timerbench/timerbench/bench/results"
)

// WriteBenchfmt writes r in the format of Go's benchmarks. Each trial is a line with a name of key=value
// pairs, so that benchstat can group by any key:
//
//	benchstat -col /structure -row /workload,/n bench.txt
//
// The lines have no seed and no date, because benchstat would put two runs with different ones into separate tables.
func WriteBenchfmt(out io.Writer, r *results.Run) error {
	w := benchWriter{bufio.NewWriter(out)}
	fmt.Fprintf(w, "goos: %s\ngoarch: %s\ncpu: %s\npkg: github.com/timerbench/timerbench/bench\n\n",
		r.Environment.OS, r.Environment.Arch, r.Environment.CPU)
	for _, c := range r.Cells {
		for _, row := range c.Rows {
			w.row(c, row)
		}
	}
	for _, m := range r.Memory {
		w.line(fmt.Sprintf("Memory/n=%d/structure=%s", m.N, m.Structure), m.N,
			m.Bytes, "B/timer", m.AgedBytes, "aged-B/timer", m.CollectNS, "ns/gc")
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("writing benchmark lines: %w", err)
	}
	return nil
}

// benchWriter writes lines. Flush returns the first error.
type benchWriter struct{ *bufio.Writer }

func (w benchWriter) line(name string, iterations any, values ...any) {
	fmt.Fprintf(w, "Benchmark%s %d ", name, iterations)
	fmt.Fprintln(w, values...)
}

// row writes the trials of one contender: the cost, then the time by kind of operation, then the latency percentiles.
func (w benchWriter) row(c results.Cell, row results.Row) {
	name := func(op string) string {
		return fmt.Sprintf("Timers/workload=%s/n=%d/structure=%s/op=%s", c.Workload, c.N, row.Structure, op)
	}
	for _, t := range row.Cost {
		w.line(name("per-"+string(c.Unit)), int(t.Units), t.NS/t.Units, "ns/op",
			float64(t.AllocBytes)/t.Units, "B/op", float64(t.Allocs)/t.Units, "allocs/op")
	}
	for _, t := range row.ByKind {
		for _, k := range t.Kinds {
			w.line(name(k.Kind.String()), k.Count, k.NS/float64(k.Count), "ns/op")
		}
	}
	for _, l := range row.Latency {
		w.line(name(l.Kind.String()+"-latency"), l.Samples, l.P50, "p50-ns", l.P90, "p90-ns",
			l.P99, "p99-ns", l.P999, "p99.9-ns", l.Max, "max-ns")
	}
}
