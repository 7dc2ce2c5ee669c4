package minheapstd

import (
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/snapshot"
)

// Snapshot returns the heap. It costs O(n), and is not for hot paths.
func (h *Heap[T]) Snapshot() structures.Snapshot {
	return structures.Snapshot{Parts: []structures.Part{snapshot.Heap("binary heap", 2, len(h.queue.items), func(i int) structures.Entry {
		it := h.queue.items[i]
		return structures.Entry{ID: it.id, Deadline: it.deadline, Filed: it.deadline}
	})}}
}
