package minheapstd

import (
	"fmt"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/snapshot"
	"github.com/timerbench/timerbench/structures/shape"
)

// CheckInvariants walks the whole heap and names the first broken invariant.
// O(n).
func (h *Heap[T]) CheckInvariants() error {
	if err := h.table.CheckInvariants(); err != nil {
		return err
	}
	items := h.queue.items
	if len(items) != h.table.Len() {
		return fmt.Errorf("minheapstd: %d items, want %d", len(items), h.table.Len())
	}
	for i, it := range items {
		if it == nil {
			return fmt.Errorf("minheapstd: no item at %d", i)
		}
		if it.index != i {
			return fmt.Errorf("minheapstd: the item at %d says it is at %d", i, it.index)
		}
		if slot := h.table.Find(it.id); slot != it.slot || *h.table.Value(slot) != it {
			return fmt.Errorf("minheapstd: the item at %d has ID %#x and slot %d, which name another timer or none",
				i, it.id, it.slot)
		}
		if parent := (i - 1) / 2; it.deadline < items[parent].deadline {
			return fmt.Errorf("minheapstd: the item at %d, deadline %d, is below that at %d, deadline %d",
				i, it.deadline, parent, items[parent].deadline)
		}
	}
	for i, it := range items[len(items):cap(items)] {
		if it != nil {
			return fmt.Errorf("minheapstd: an item that is gone is kept at %d", len(items)+i)
		}
	}
	return nil
}

// Snapshot returns the heap. It costs O(n), and is not for hot paths.
func (h *Heap[T]) Snapshot() shape.Snapshot {
	b := snapshot.Builder{Entry: func(place uint32, filed structures.Tick) shape.Entry {
		return shape.Entry{ID: h.queue.items[place].id, Deadline: filed, Filed: filed}
	}}
	b.Heap("binary heap", 2, func(yield func(uint32, structures.Tick) bool) {
		for place, it := range h.queue.items {
			if !yield(uint32(place), it.deadline) {
				return
			}
		}
	})
	return shape.Snapshot{Parts: b.Parts}
}
