package quadheaplazy

import (
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/quad"
	"github.com/timerbench/timerbench/structures/internal/snapshot"
)

// Snapshot returns the heap, dead entries included. It costs O(n), and is not for hot
// paths.
func (h *Heap[T]) Snapshot() structures.Snapshot {
	held := h.core.heap[quad.Root:]
	return structures.Snapshot{Parts: []structures.Part{snapshot.Heap("4-ary heap", quad.Arity, len(held), func(i int) structures.Entry {
		return h.entry(held[i])
	})}}
}

func (h *Heap[T]) entry(e entry) structures.Entry {
	slot := e.ref.slot()
	if h.core.isDead(e) {
		return structures.Entry{Deadline: e.deadline, Filed: e.deadline}
	}
	out := h.table.Entry(slot, e.deadline)
	if h.core.marks[slot] == e.ref.mark().with(early) {
		out.Deadline = h.core.times[slot].deadline
	}
	return out
}
