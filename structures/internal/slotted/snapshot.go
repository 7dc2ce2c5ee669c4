package slotted

import (
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/snapshot"
	"github.com/timerbench/timerbench/structures/shape"
)

// Shown is a queue that shows its shape. Parts calls show with each slot and the deadline
// under which that is filed. It must not change the queue.
type Shown interface {
	Parts(clock structures.Tick, show snapshot.Show) []shape.Part
}

// Snapshot returns the shape of the queue, without parts if the queue does not show it.
// It costs O(n), and is not for hot paths.
func (s *Scheduler[T, C, Q]) Snapshot() shape.Snapshot {
	q, ok := any(Q(&s.queue)).(Shown)
	if !ok {
		return shape.Snapshot{}
	}
	return shape.Snapshot{Parts: q.Parts(s.clock.Now(), s.table.Entry)}
}
