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
	w.write(&benchfmt.Result{
		Config: w.config, Name: benchfmt.Name(name), Iters: iterations, Values: values,
	})
}

// row writes the trials of one contender: the cost, then the time by kind of operation,
// then the latency percentiles, then the memory.
func (w *benchWriter) row(c Cell, row Row) {
	name := func(op string) string {
		return fmt.Sprintf("Timers/workload=%s/n=%d/structure=%s/op=%s",
			c.Workload, c.N, row.Structure, op)
	}
	for _, t := range row.Cost {
		w.line(name("per-"+string(c.Unit)), int(t.Units), nsPerOp(t.NS/t.Units),
			in("B/op", float64(t.AllocBytes)/t.Units), in("allocs/op", float64(t.Allocs)/t.Units))
	}
	for _, t := range row.ByKind {
		for _, k := range t.Kinds {
			w.line(name(k.Kind.String()), k.Count, nsPerOp(k.NS/float64(k.Count)))
		}
	}
	for _, l := range row.Latency {
		w.line(name(l.Kind.String()+"-latency"), int(l.Samples), in("p50-ns", l.P50),
			in("p90-ns", l.P90), in("p99-ns", l.P99), in("p99.9-ns", l.P999), in("max-ns", l.Max))
	}
	if row.BytesPerTimer > 0 {
		w.line(name("resident"), c.N, in("B/timer", row.BytesPerTimer), in("ns/gc", row.CollectNS))
	}
}

func in(unit string, value float64) benchfmt.Value {
	return benchfmt.Value{Value: value, Unit: unit}
}

// nsPerOp returns a time as benchfmt stores it: in seconds, with the original value in
// nanoseconds for printing.
func nsPerOp(ns float64) benchfmt.Value {
	tidied, unit := benchunit.Tidy(ns, "ns/op")
	return benchfmt.Value{Value: tidied, Unit: unit, OrigValue: ns, OrigUnit: "ns/op"}
}

func (w *benchWriter) idle(i Idle) {
	name := fmt.Sprintf("Idle/workload=%s/delays=%s/n=%d/structure=%s/driver=%s",
		i.Workload, i.Distribution, i.N, i.Structure, i.Driver)
	values := []benchfmt.Value{
		in("wakeups", float64(i.Wakeups)), in("idle-empty", float64(i.Empty)),
		in("idle-moved", float64(i.Moved)), in("idle-dropped", float64(i.Dropped)),
	}
	if i.NS > 0 && i.Wakeups > 0 {
		values = append(values, in("ns/wakeup", i.NS/float64(i.Wakeups)))
	}
	w.line(name, int(i.Ticks), values...)
}

// live writes the slices of throughput, the lateness and the idle times of a row.
func (w *benchWriter) live(row LiveRow) {
	timers := strings.NewReplacer(", ", "-", " ", "-", "/", "-").Replace(row.Name)
	name := func(op string) string {
		return fmt.Sprintf("Live/timers=%s/n=%d/op=%s", timers, row.Resident, op)
	}
	for _, t := range row.Throughput {
		w.line(name(fmt.Sprintf("%s/goroutines=%d", t.Op, t.Goroutines)), t.Ops,
			nsPerOp(t.NS/float64(t.Ops)), in("B/op", float64(t.AllocBytes)/float64(t.Ops)))
	}
	for _, d := range row.Lateness {
		if d.Timers > 0 {
			w.line(name("lateness"), d.Timers,
				in("p50-ns", d.P50), in("p99-ns", d.P99), in("max-ns", d.Max))
		}
	}
	for _, u := range row.Idle {
		w.line(name("idle"), 1, in("cpu-s/s", u.CPUSeconds/u.Seconds),
			in("wakeups/s", float64(u.Wakeups)/u.Seconds))
	}
}
