package batched

import (
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/fifo"
	"github.com/timerbench/timerbench/structures/internal/snapshot"
	"github.com/timerbench/timerbench/structures/shape"
)

// Shown is a wheel that shows its shape. Parts calls show with each slot in its lists. It
// must not change the wheel.
type Shown interface {
	Parts(nodes *fifo.Lists, clock structures.Tick, show snapshot.Show) []shape.Part
}

// Snapshot returns the shape of the wheel, and the timers that are not linked yet. It is
// without parts if the wheel does not show its shape. An entry of a cancelled timer that
// is still linked is stale. It costs O(n + slots), and is not for hot paths.
func (s *Scheduler[T, C, W]) Snapshot() shape.Snapshot {
	w, ok := any(W(&s.wheel)).(Shown)
	if !ok {
		return shape.Snapshot{}
	}
	parts := w.Parts(&s.nodes, s.clock.Now(), s.table.Entry)
	if entries := s.arrivals.Entries(&s.nodes, s.table.Entry); len(entries) > 0 {
		parts = append(parts, snapshot.List("new timers, linked in batches", entries))
	}
	return shape.Snapshot{Parts: parts}
}
