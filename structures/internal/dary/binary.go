package dary

import (
	"math"
	"slices"

	"github.com/timerbench/timerbench/structures"
)

// Binary is a heap of slots with two children a node. It keeps slotted.Queue. Ties are unspecified.
type Binary struct{ heap }

const binaryRoot = 1

// NewBinary returns an empty heap with room for capacity slots.
func NewBinary(capacity int) Binary {
	return Binary{heap{
		entries: make([]entry, binaryRoot, binaryRoot+capacity),
		pos:     make([]uint32, 1, 1+capacity), // slot 0 is never issued
		root:    binaryRoot,
	}}
}

// Add adds an entry for slot.
func (h *Binary) Add(slot uint32, deadline structures.Tick) {
	if int(slot) >= len(h.pos) {
		h.makePlace(slot)
	}
	n := len(h.entries)
	if n == cap(h.entries) {
		h.entries = slices.Grow(h.entries, 1)
	}
	h.entries = h.entries[:n+1]
	up[two](&h.heap, n, entry{deadline, slot})
}

// Pop removes the earliest entry if it is due.
func (h *Binary) Pop(clock structures.Tick) (slot uint32, at structures.Tick) {
	if len(h.entries) == binaryRoot {
		return 0, math.MaxInt64
	}
	first := h.entries[binaryRoot]
	if first.deadline > clock {
		return 0, first.deadline
	}
	if last := h.shrink(); len(h.entries) > binaryRoot {
		down[two](&h.heap, binaryRoot, last)
	}
	return first.slot, first.deadline
}

// Remove removes the entry of slot, as Quad.Remove does.
func (h *Binary) Remove(slot uint32) {
	i := h.pos[slot]
	if last := h.shrink(); int(i) < len(h.entries) {
		h.pos[last.slot] = i
		h.Move(last.slot, last.deadline)
	}
}

// Move gives the entry of slot another deadline, as Quad.Move does.
func (h *Binary) Move(slot uint32, deadline structures.Tick) {
	i := int(h.pos[slot])
	h.comparisons++
	if deadline < h.entries[i].deadline {
		up[two](&h.heap, i, entry{deadline, slot})
	} else {
		down[two](&h.heap, i, entry{deadline, slot})
	}
}
