package quadheaplazy

import (
	"github.com/timerbench/timerbench/structures/internal/dary"
	"github.com/timerbench/timerbench/structures/internal/snapshot"
	"github.com/timerbench/timerbench/structures/shape"
)

// Snapshot returns the heap, dead entries included. It costs O(n), and is not for hot
// paths.
func (h *Heap[T]) Snapshot() shape.Snapshot {
	held := h.core.heap[dary.Root:]
	return shape.Snapshot{Parts: []shape.Part{snapshot.Heap("4-ary heap", 4, len(held), func(i int) shape.Entry {
		return h.entry(held[i])
	})}}
}

func (h *Heap[T]) entry(e entry) shape.Entry {
	slot := e.ref.slot()
	if h.core.isDead(e) {
		return shape.Entry{Deadline: e.deadline, Filed: e.deadline}
	}
	out := h.table.Entry(slot, e.deadline)
	if h.core.marks[slot] == e.ref.mark().with(early) {
		out.Deadline = h.core.times[slot].deadline
	}
	return out
}
