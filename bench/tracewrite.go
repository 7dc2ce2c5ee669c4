package bench

import (
	"context"

	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/bench/workload"
	"github.com/timerbench/timerbench/trace"
)

// WriteTrace writes the first ops operations of a script as a trace, the fill
// included. workload, n and seed determine the script. Errors of the trace are returned
// by w.Close.
func WriteTrace(
	ctx context.Context, w *trace.Writer, workload workload.Workload, n int, seed uint64, ops uint64,
) error {
	const atOnce = 20_000 // operations in memory
	t := traceWriter{w: w, maxOps: ops}
	s := workload.Script(n, seed)
	b, err := s.FillContext(ctx)
	for err == nil && t.write(b) {
		b, err = s.NextContext(ctx, atOnce, b)
	}
	return err
}

// traceWriter writes blocks into a trace. The keys of timers in a trace differ from
// those in blocks.
type traceWriter struct {
	w       *trace.Writer
	keys    []uint32 // keys of the trace, by key of the block
	maxOps  uint64   // operations
	written uint64
}

// write writes a block and reports whether more operations may be written.
func (t *traceWriter) write(b *script.Block) bool {
	for len(t.keys) < b.Keys {
		t.keys = append(t.keys, 0)
	}
	fires := b.Fires
	var fired []uint32
	for kind, op := range b.All() {
		if t.written == t.maxOps || t.w.Err() != nil {
			return false
		}
		t.written++
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
