package minheapstd

import (
	"github.com/timerbench/timerbench/structures/internal/snapshot"
	"github.com/timerbench/timerbench/structures/shape"
)

// Snapshot returns the heap. It costs O(n), and is not for hot paths.
func (h *Heap[T]) Snapshot() shape.Snapshot {
	return shape.Snapshot{Parts: []shape.Part{snapshot.Heap("binary heap", 2, len(h.queue.items), func(i int) shape.Entry {
		it := h.queue.items[i]
		return shape.Entry{ID: it.id, Deadline: it.deadline, Filed: it.deadline}
	})}}
}
