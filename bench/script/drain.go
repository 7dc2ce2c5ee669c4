package script

import (
	"cmp"
	"context"
	"slices"

	"github.com/timerbench/timerbench/structures"
)

// Drain returns the last block of the script: it goes from deadline to deadline until no timer is pending.
func (s *Script) Drain(ctx context.Context) (*Block, error) {
	return s.Write(ctx, nil, func(w *Writer) {
		for at, ok := w.NextDeadline(); ok; at, ok = w.NextDeadline() {
			w.Advance(at)
		}
	})
}

type pendingAt struct {
	now    structures.Tick
	timers []Fire
}

func (p *pendingAt) Fill(w *Writer, _ *Rand) {
	w.Advance(p.now)
	for _, t := range p.timers {
		w.Schedule(t.At)
	}
}

func (*pendingAt) Step(*Writer, *Rand) {}

// Copy returns the blocks that fill a fresh structure with the timers that were pending at a tick, and drain it. drain is
// the block that drained the original. The timers are scheduled in the order in which the original scheduled them.
func Copy(ctx context.Context, now structures.Tick, drain *Block) (fill, drained *Block, err error) {
	p := &pendingAt{now, slices.SortedFunc(slices.Values(drain.Fires), func(a, b Fire) int { return cmp.Compare(a.Value, b.Value) })}
	s := New(p, nil)
	s.Reserve(len(p.timers))
	if fill, err = s.FillContext(ctx); err == nil {
		drained, err = s.Drain(ctx)
	}
	return fill, drained, err
}
