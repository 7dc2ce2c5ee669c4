package dary

import (
	"fmt"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/snapshot"
)

// Check walks the heap. As pos names the index of each entry, no slot has two.
func (h *heap) Check(_ structures.Tick, size int, inUse func(slot uint32) bool) error {
	if n := h.Len(); n != size {
		return fmt.Errorf("dary: %d entries, want %d", n, size)
	}
	for i := h.root; i < len(h.entries); i++ {
		e := h.entries[i]
		if e.slot == 0 || !inUse(e.slot) || int(e.slot) >= len(h.pos) {
			return fmt.Errorf("dary: entry %d is of slot %d, which is not in use", i, e.slot)
		}
		if at := h.pos[e.slot]; int(at) != i {
			return fmt.Errorf("dary: slot %d has entry %d, its position says %d", e.slot, i, at)
		}
		if p := Parent(h.root+1, i); i > h.root && e.deadline < h.entries[p].deadline {
			return fmt.Errorf("dary: entry %d, deadline %d, is below entry %d, deadline %d",
				i, e.deadline, p, h.entries[p].deadline)
		}
	}
	return nil
}

// Show adds the heap.
func (h *heap) Show(b *snapshot.Builder) {
	b.Heap(map[int]string{2: "binary heap", 4: "4-ary heap"}[h.root+1], h.root+1, h.All())
}

// ShowIfAny adds the heap unless it is empty: for structures that seldom use it.
func (h *heap) ShowIfAny(b *snapshot.Builder) {
	if h.Len() > 0 {
		h.Show(b)
	}
}
