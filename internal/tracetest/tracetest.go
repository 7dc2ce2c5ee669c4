// Package tracetest writes the operations of workloads as traces, for tests.
package tracetest

import (
	"bytes"
	"context"
	"testing"

	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/bench/workload"
	"github.com/timerbench/timerbench/internal/files"
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
	tw, err := trace.NewWriter(&file, trace.Header{Name: w.Name, Tick: w.Tick})
	if err == nil {
		err = write(tw, w.Script(n, 1), ops)
	}
	if err == nil {
		err = files.WriteBytes(path, file.Bytes())
	}
	if err != nil {
		t.Fatal(err)
	}
}

func write(w *trace.Writer, s *script.Script, ops uint64) error {
	const atOnce = 20_000 // operations in memory
	ctx := context.Background()
	t := writer{w: w, left: ops}
	b, err := s.FillContext(ctx)
	for err == nil && t.write(b) {
		b, err = s.NextContext(ctx, atOnce, b)
	}
	if err != nil {
		return err
	}
	return w.Close()
}

// writer writes blocks into a trace. A timer has one key in the blocks and another in the trace.
type writer struct {
	w    *trace.Writer
	keys []uint32 // keys in the trace, by key in the block
	left uint64   // operations
}

// write writes a block and reports whether the trace takes more operations.
func (t *writer) write(b *script.Block) bool {
	for len(t.keys) < b.Keys {
		t.keys = append(t.keys, 0)
	}
	fires := b.Fires
	var fired []uint32
	for kind, op := range b.All() {
		if t.left == 0 || t.w.Err() != nil {
			return false
		}
		t.left--
		switch kind {
		case script.KindSchedule:
			t.keys[op.Key] = t.w.Schedule(op.At)
		case script.KindReschedule:
			t.w.Reschedule(t.keys[op.Key], op.At)
		case script.KindCancel:
			t.w.Cancel(t.keys[op.Key])
		case script.KindFire, script.KindWake:
			fired = fired[:0]
			for len(fires) > 0 && fires[0].At == op.At {
				fired = append(fired, t.keys[fires[0].Key])
				fires = fires[1:]
			}
			t.w.Advance(op.At, fired...)
		}
	}
	return true
}
