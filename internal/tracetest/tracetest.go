// Package tracetest writes the operations of workloads as traces, for tests.
package tracetest

import (
	"bytes"
	"errors"
	"os"
	"testing"

	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/bench/workload"
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
	var file bytes.Buffer
	to, err := trace.NewWriter(&file, trace.Header{Name: w.Name, Tick: w.Tick})
	if err != nil {
		t.Fatal(err)
	}
	s := w.Script(n, 1)
	for b := s.Fill(); to.Err() == nil && to.Totals().Count() < ops; b = s.Next(20_000, b) {
		write(to, b, ops)
	}
	if err := errors.Join(to.Close(), os.WriteFile(path, file.Bytes(), 0o644)); err != nil {
		t.Fatal(err)
	}
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
