package dary

import (
	"fmt"
	"math"
	"slices"

	"github.com/timerbench/timerbench/structures"
)

// Quad is a heap of slots with four children a node. It keeps slotted.Queue. Ties are unspecified. Binary and Quad each
// have Add, Pop, Remove and Move, because with a type parameter each call would go through a wrapper.
type Quad struct{ heap }

// NewQuad returns an empty heap with room for capacity slots.
func NewQuad(capacity int) Quad {
	return Quad{heap{
		entries: New[entry](Root + capacity),
		pos:     make([]uint32, 1, 1+capacity), // slot 0 is never issued
		root:    Root,
	}}
}

// Add adds an entry for slot.
func (h *Quad) Add(slot uint32, deadline structures.Tick) {
	if int(slot) >= len(h.pos) {
		h.makePlace(slot)
	}
	if len(h.entries) == cap(h.entries) {
		h.grow()
	}
	n := len(h.entries)
	h.entries = h.entries[:n+1]
	up[four](&h.heap, n, entry{deadline, slot})
}

func (h *Quad) grow() {
	if len(h.entries)-Root == MaxLen {
		panic(fmt.Sprintf("dary: more than %d timers pending", MaxLen))
	}
	h.entries = Grow(h.entries)
}

// Pop removes the earliest entry if it is due.
func (h *Quad) Pop(clock structures.Tick) (slot uint32, at structures.Tick) {
	if len(h.entries) == Root {
		return 0, math.MaxInt64
	}
	first := h.entries[Root]
	if first.deadline > clock {
		return 0, first.deadline
	}
	if last := h.shrink(); len(h.entries) > Root {
		down[four](&h.heap, Root, last)
	}
	return first.slot, first.deadline
}

// Remove removes the entry of slot. The last entry takes its place, and is moved from there.
func (h *Quad) Remove(slot uint32) {
	i := h.pos[slot]
	if last := h.shrink(); int(i) < len(h.entries) {
		h.pos[last.slot] = i
		h.Move(last.slot, last.deadline)
	}
}

// Move gives the entry of slot another deadline. Sifting one way is enough: an entry that moves to an earlier
// deadline is before all entries below, and any other entry is after all entries above.
func (h *Quad) Move(slot uint32, deadline structures.Tick) {
	i := int(h.pos[slot])
	h.comparisons++
	if deadline < h.entries[i].deadline {
		up[four](&h.heap, i, entry{deadline, slot})
	} else {
		down[four](&h.heap, i, entry{deadline, slot})
	}
}

// First returns the earliest entry, or slot 0 if there is none.
func (h *Quad) First() (slot uint32, at structures.Tick) {
	if len(h.entries) == Root {
		return 0, math.MaxInt64
	}
	return h.entries[Root].slot, h.entries[Root].deadline
}

// Replace puts slot in the place of old. The deadline of old is not later.
func (h *Quad) Replace(old, slot uint32, deadline structures.Tick) {
	if int(slot) >= len(h.pos) {
		h.makePlace(slot)
	}
	down[four](&h.heap, int(h.pos[old]), entry{deadline, slot})
}

// Has reports whether slot has an entry.
func (h *Quad) Has(slot uint32) bool {
	if len(h.entries) == Root || int(slot) >= len(h.pos) {
		return false
	}
	i := int(h.pos[slot])
	return i >= Root && i < len(h.entries) && h.entries[i].slot == slot
}

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
