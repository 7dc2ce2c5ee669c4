package quad

import (
	"fmt"
	"iter"

	"github.com/timerbench/timerbench/structures"
)

// All returns an iterator over the slots of the heap and their deadlines, in any order.
func (h *Heap) All() iter.Seq2[uint32, structures.Tick] {
	return func(yield func(uint32, structures.Tick) bool) {
		for _, e := range h.entries[Root:] {
			if !yield(e.slot, e.deadline) {
				return
			}
		}
	}
}

// Check walks the heap. As pos names the index of each entry, no slot has two.
func (h *Heap) Check(_ structures.Tick, size int, inUse func(slot uint32) bool) error {
	if n := len(h.entries) - Root; n != size {
		return fmt.Errorf("quad: %d entries, want %d", n, size)
	}
	for i := Root; i < len(h.entries); i++ {
		e := h.entries[i]
		if e.slot == 0 || !inUse(e.slot) || int(e.slot) >= len(h.pos) {
			return fmt.Errorf("quad: entry %d is of slot %d, which is not in use", i, e.slot)
		}
		if at := h.pos[e.slot]; int(at) != i {
			return fmt.Errorf("quad: slot %d has entry %d, its position says %d", e.slot, i, at)
		}
		if p := Parent(i); i > Root && e.deadline < h.entries[p].deadline {
			return fmt.Errorf("quad: entry %d, deadline %d, is below entry %d, deadline %d",
				i, e.deadline, p, h.entries[p].deadline)
		}
	}
	return nil
}
