package results

import (
	"fmt"
	"io"
	"strings"

	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchunit"
)

// WriteBenchfmt writes r in the format of Go's benchmarks: a line per trial,
// named key=value, so that benchstat can group by any key:
//
//	benchstat -col /structure -row /workload,/n bench.txt
//
// Exact counts carry assume=exact. The seed and the date are left out, because benchstat
// would put runs that differ in them into separate tables.
func WriteBenchfmt(out io.Writer, r *Run) error {
	w := &benchWriter{out: benchfmt.NewWriter(out)}
	env := r.Environment
	w.config = []benchfmt.Config{
		{Key: "goos", Value: []byte(env.OS), File: true},
		{Key: "goarch", Value: []byte(env.Arch), File: true},
		{Key: "cpu", Value: []byte(env.CPU), File: true},
		{Key: "pkg", Value: []byte("github.com/timerbench/timerbench/bench"), File: true},
	}
	for _, unit := range []string{"wakeups", "idle-empty", "idle-moved", "idle-dropped"} {
		w.write(&benchfmt.UnitMetadata{
			UnitMetadataKey: benchfmt.UnitMetadataKey{Unit: unit, Key: "assume"},
			OrigUnit:        unit, Value: "exact",
		})
	}
	for _, c := range r.Cells {
		for _, row := range c.Rows {
			w.row(c, row)
		}
	}
	for _, i := range r.Idle {
		w.idle(i)
	}
	if r.Live != nil {
		for _, row := range r.Live.Rows {
			w.live(row)
		}
	}
	if w.err != nil {
		return fmt.Errorf("writing benchmark lines: %w", w.err)
	}
	return nil
}

type benchWriter struct {
	out    *benchfmt.Writer
	config []benchfmt.Config
	err    error
}

func (w *benchWriter) write(rec benchfmt.Record) {
	if w.err == nil {
		w.err = w.out.Write(rec)
	}
}

func (w *benchWriter) line(name string, iterations int, values ...benchfmt.Value) {
	w.write(&benchfmt.Result{Config: w.config, Name: benchfmt.Name(name), Iters: iterations, Values: values})
}

// row writes the trials of one contender: the cost, then the time by kind of operation,
// then the latency percentiles, then the memory.
func (w *benchWriter) row(c Cell, row Row) {
	name := func(op string) string {
		return fmt.Sprintf("Timers/workload=%s/n=%d/structure=%s/op=%s", c.Workload, c.N, row.Structure, op)
	}
	for _, t := range row.Cost {
		w.line(name("per-"+string(c.Unit)), int(t.Units), nsPerOp(t.NS/t.Units),
			benchfmt.Value{Value: float64(t.AllocBytes) / t.Units, Unit: "B/op"},
			benchfmt.Value{Value: float64(t.Allocs) / t.Units, Unit: "allocs/op"})
	}
	for _, t := range row.ByKind {
		for _, k := range t.Kinds {
			w.line(name(k.Kind.String()), k.Count, nsPerOp(k.NS/float64(k.Count)))
		}
	}
	for _, l := range row.Latency {
		w.line(name(l.Kind.String()+"-latency"), int(l.Samples),
			benchfmt.Value{Value: l.P50, Unit: "p50-ns"}, benchfmt.Value{Value: l.P90, Unit: "p90-ns"},
			benchfmt.Value{Value: l.P99, Unit: "p99-ns"}, benchfmt.Value{Value: l.P999, Unit: "p99.9-ns"},
			benchfmt.Value{Value: l.Max, Unit: "max-ns"})
	}
	if row.BytesPerTimer > 0 {
		w.line(name("resident"), c.N, benchfmt.Value{Value: row.BytesPerTimer, Unit: "B/timer"},
			benchfmt.Value{Value: row.CollectNS, Unit: "ns/gc"})
	}
}

// nsPerOp returns a time as benchfmt stores it: in seconds, with the original value in
// nanoseconds for printing.
func nsPerOp(ns float64) benchfmt.Value {
	tidied, unit := benchunit.Tidy(ns, "ns/op")
	return benchfmt.Value{Value: tidied, Unit: unit, OrigValue: ns, OrigUnit: "ns/op"}
}

func (w *benchWriter) idle(i Idle) {
	name := fmt.Sprintf("Idle/workload=%s/delays=%s/n=%d/structure=%s/driver=%s", i.Workload, i.Distribution, i.N, i.Structure, i.Driver)
	var values []benchfmt.Value
	for _, c := range []struct {
		unit  string
		count uint64
	}{{"wakeups", i.Wakeups}, {"idle-empty", i.Empty}, {"idle-moved", i.Moved}, {"idle-dropped", i.Dropped}} {
		values = append(values, benchfmt.Value{Value: float64(c.count), Unit: c.unit})
	}
	if i.NS > 0 && i.Wakeups > 0 {
		values = append(values, benchfmt.Value{Value: i.NS / float64(i.Wakeups), Unit: "ns/wakeup"})
	}
	w.line(name, int(i.Ticks), values...)
}

// live writes the slices of throughput, the lateness and the idle times of a row.
func (w *benchWriter) live(row LiveRow) {
	name := func(rest string) string {
		return fmt.Sprintf("Live/timers=%s/n=%d/%s", strings.NewReplacer(", ", "-", " ", "-", "/", "-").Replace(row.Name), row.Resident, rest)
	}
	for _, t := range row.Throughput {
		w.line(name(fmt.Sprintf("op=%s/goroutines=%d", t.Op, t.Goroutines)), t.Ops, nsPerOp(t.NS/float64(t.Ops)),
			benchfmt.Value{Value: float64(t.AllocBytes) / float64(t.Ops), Unit: "B/op"})
	}
	for _, d := range row.Lateness {
		if d.Timers > 0 {
			w.line(name("op=lateness"), d.Timers,
				benchfmt.Value{Value: d.P50, Unit: "p50-ns"}, benchfmt.Value{Value: d.P99, Unit: "p99-ns"}, benchfmt.Value{Value: d.Max, Unit: "max-ns"})
		}
	}
	for _, u := range row.Idle {
		w.line(name("op=idle"), 1, benchfmt.Value{Value: u.CPUSeconds / u.Seconds, Unit: "cpu-s/s"}, benchfmt.Value{Value: float64(u.Wakeups) / u.Seconds, Unit: "wakeups/s"})
	}
}
