package bench

import (
	"context"

	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/bench/workload"
	"github.com/timerbench/timerbench/trace"
)

// WriteTrace writes the script that workload, n and seed name as a trace: its fill,
// and what follows, until there are so many operations. What goes wrong with the
// trace is what its Close returns.
func WriteTrace(ctx context.Context, w *trace.Writer, workload workload.Workload, n int, seed uint64, ops uint64) error {
	const atOnce = 20_000 // operations in memory
	t := tracer{w: w, most: ops}
	s := workload.Script(n, seed)
	b, err := s.FillContext(ctx)
	for err == nil && t.write(b) {
		b, err = s.NextContext(ctx, atOnce, b)
	}
	return err
}

// tracer writes blocks into a trace. Blocks and traces name timers by keys of
// their own.
type tracer struct {
	w    *trace.Writer
	keys []uint32 // of the trace, by key of the block
	most uint64   // operations
	done uint64
}

// write writes a block and reports whether there is room for more.
func (t *tracer) write(b *script.Block) bool {
	for len(t.keys) < b.Keys {
		t.keys = append(t.keys, 0)
	}
	ops, fires := b.Ops, b.Fires
	var fired []uint32
	for _, batch := range b.Batches {
		for _, op := range ops[:batch.Len] {
			if t.done == t.most || t.w.Err() != nil {
				return false
			}
			t.done++
			switch batch.Kind {
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
		ops = ops[batch.Len:]
	}
	return true
}
