package fifo

import (
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/snapshot"
)

// Arrivals holds the slots of scheduled timers that are in no list yet, in the order in which they came. They
// are linked in batches, as Removals are unlinked. A timer that is cancelled soon is never linked.
//
// A bitmap marks the slots that are held. It stays in the cache when the nodes do not, so Cancel reads no node
// to learn that a timer is not held.
type Arrivals struct {
	slots [batch]uint32 // by place; none: cancelled or moved since
	n     int           // places taken, of which the last is not none
	held  []uint64      // a bit for each slot; next of the node of a slot that is held is its place
}

// NewArrivals returns Arrivals with room for slots up to capacity. The zero value is ready for use.
func NewArrivals(capacity int) Arrivals { return Arrivals{held: make([]uint64, 0, capacity>>6+1)} }

// Len returns the number of places in use, including the places of removed slots.
func (a *Arrivals) Len() int { return a.n }

// Add adds a slot that is in no list, and reports whether Take must be called before the next Add.
func (a *Arrivals) Add(ls *Lists, slot uint32) (full bool) {
	for int(slot>>6) >= len(a.held) {
		a.held = append(a.held, 0)
	}
	a.held[slot>>6] |= 1 << (slot & 63)
	ls.nodes[slot].next = uint32(a.n)
	a.slots[a.n] = slot
	a.n++
	return a.n == batch
}

// Remove removes a slot if it is held, and reports whether it was.
func (a *Arrivals) Remove(ls *Lists, slot uint32) bool {
	if a.held[slot>>6]>>(slot&63)&1 == 0 {
		return false
	}
	a.held[slot>>6] &^= 1 << (slot & 63)
	a.slots[ls.nodes[slot].next] = none
	for a.n > 0 && a.slots[a.n-1] == none {
		a.n--
	}
	return true
}

// Take removes and returns all slots, with 0 for each removed one. The slice is valid until the next Add.
func (a *Arrivals) Take() []uint32 {
	slots := a.slots[:a.n]
	a.n = 0
	for _, slot := range slots {
		a.held[slot>>6] &^= 1 << (slot & 63)
	}
	return slots
}

// Count returns the number of slots held. It costs O(batch), and is for checks.
func (a *Arrivals) Count() int {
	count := 0
	for _, slot := range a.slots[:a.n] {
		if slot != none {
			count++
		}
	}
	return count
}

// All returns an iterator over the held slots and their deadlines, in the order in which they came.
func (a *Arrivals) All(ls *Lists) snapshot.Timers {
	return func(yield func(uint32, structures.Tick) bool) {
		for _, slot := range a.slots[:a.n] {
			if slot != none && !yield(slot, ls.Deadline(slot)) {
				return
			}
		}
	}
}
