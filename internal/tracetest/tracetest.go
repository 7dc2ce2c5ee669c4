// Package tracetest writes the operations of workloads as traces, for tests.
package tracetest

import (
	"bytes"
	"testing"

	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/bench/workload"
	"github.com/timerbench/timerbench/internal/fail"
	"github.com/timerbench/timerbench/trace"
)

// File writes a trace of a workload with n timers to path. The trace has the name of the workload
// and holds the first ops operations of its script with seed 1, the fill included.
func File(t testing.TB, path, name string, n int, ops uint64) {
	t.Helper()
	w, ok := workload.Find(name)
	if !ok {
		t.Fatalf("no workload is called %q", name)
	}
	Write(t, path, trace.Header{Name: w.Name, Tick: w.Tick}, func(to *trace.Writer) {
		s := w.Script(n, 1)
		for b := s.Fill(); to.Err() == nil && to.Totals().Count() < ops; b = s.Next(20_000, b) {
			write(to, b, ops)
		}
	})
}

// Write writes the trace that use makes to path.
func Write(t testing.TB, path string, h trace.Header, use func(w *trace.Writer)) {
	t.Helper()
	var file bytes.Buffer
	w, err := trace.NewWriter(&file, h)
	fail.If(t, err)
	use(w)
	fail.If(t, w.Close())
	fail.Write(t, path, file.String())
}

// write writes a block, up to the number of operations of the trace. A timer has the same key in the block and the trace.
func write(to *trace.Writer, b *script.Block, ops uint64) {
	fires := b.Fires
	for kind, op := range b.All() {
		if to.Totals().Count() == ops {
			return
		}
		switch kind {
		case script.KindSchedule:
			to.Schedule(op.At)
		case script.KindReschedule:
			to.Reschedule(op.Key, op.At)
		case script.KindCancel:
			to.Cancel(op.Key)
		case script.KindFire, script.KindWake:
			var fired []uint32
			for ; len(fires) > 0 && fires[0].At == op.At; fires = fires[1:] {
				fired = append(fired, fires[0].Key)
			}
			to.Advance(op.At, fired...)
		}
	}
}
