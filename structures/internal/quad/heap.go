package quad

import (
	"fmt"
	"math"

	"github.com/timerbench/timerbench/structures"
)

// MaxLen is the largest number of entries: pos holds indexes of 32 bits, and an
// index must fit an int.
const MaxLen = min(1<<32, math.MaxInt) - Root

// entry is a pending timer. The deadline is kept here and nowhere else, so that
// sifting compares what it reads anyway.
type entry struct {
	deadline structures.Tick
	slot     uint32
}

// Heap is a 4-ary heap of slots of a slab: entries[Root] is the earliest one, no entry is
// earlier than its parent, and pos[slot] is the index of the entry of slot. It keeps
// slotted.Queue. Equal deadlines come in any order. Make it with NewHeap.
//
// An entry is always read and written field by field, which is what assigning
// it compiles to, and never as part of a larger literal. A wide load of what two
// narrow stores have just written waits until these have reached the cache, behind
// all stores to pos that missed it.
type Heap struct {
	entries     []entry
	pos         []uint32
	comparisons uint64
	ahead       structures.Tick // written so that the compiler keeps the reads ahead in down
}

// NewHeap returns an empty heap with room for capacity slots.
func NewHeap(capacity int) Heap {
	return Heap{
		entries: New[entry](Root + capacity),
		pos:     make([]uint32, 1, 1+capacity), // slot 0 is never issued
	}
}

// Add adds an entry for slot.
func (h *Heap) Add(slot uint32, deadline structures.Tick) {
	for int(slot) >= len(h.pos) {
		h.pos = append(h.pos, 0)
	}
	if len(h.entries) == cap(h.entries) {
		h.grow()
	}
	n := len(h.entries)
	h.entries = h.entries[:n+1]
	h.up(n, entry{deadline, slot})
}

// grow doubles the room.
func (h *Heap) grow() {
	if len(h.entries)-Root == MaxLen {
		panic(fmt.Sprintf("quad: more than %d timers pending", MaxLen))
	}
	h.entries = Grow(h.entries)
}

// Pop removes the earliest entry if it is due.
func (h *Heap) Pop(clock structures.Tick) (slot uint32, at structures.Tick) {
	if len(h.entries) == Root {
		return 0, math.MaxInt64
	}
	first := h.entries[Root]
	if first.deadline > clock {
		return 0, first.deadline
	}
	if last := h.shrink(); len(h.entries) > Root {
		h.down(Root, last)
	}
	return first.slot, first.deadline
}

// First returns the earliest entry, or slot 0 if there is none.
func (h *Heap) First() (slot uint32, at structures.Tick) {
	if len(h.entries) == Root {
		return 0, math.MaxInt64
	}
	return h.entries[Root].slot, h.entries[Root].deadline
}

// Next returns the earliest deadline. The heap is not empty.
func (h *Heap) Next(structures.Tick) structures.Tick { return h.entries[Root].deadline }

// Remove removes the entry of slot. The last entry takes its place and is moved from
// there as if its deadline had changed.
func (h *Heap) Remove(slot uint32) {
	i := h.pos[slot]
	if last := h.shrink(); int(i) < len(h.entries) {
		h.pos[last.slot] = i
		h.Move(last.slot, last.deadline)
	}
}

// Move gives the entry of slot another deadline. Sifting in one direction is enough:
// an entry that comes before the old deadline comes before all entries below it, and
// one that does not comes after all above it.
func (h *Heap) Move(slot uint32, deadline structures.Tick) {
	i := int(h.pos[slot])
	h.comparisons++
	if deadline < h.entries[i].deadline {
		h.up(i, entry{deadline, slot})
	} else {
		h.down(i, entry{deadline, slot})
	}
}

// Replace puts slot, which has no entry, in the place of old, which has one. Its deadline
// is not before that of old.
func (h *Heap) Replace(old, slot uint32, deadline structures.Tick) {
	for int(slot) >= len(h.pos) {
		h.pos = append(h.pos, 0)
	}
	h.down(int(h.pos[old]), entry{deadline, slot})
}

// Has reports whether slot has an entry.
func (h *Heap) Has(slot uint32) bool {
	if len(h.entries) == Root || int(slot) >= len(h.pos) {
		return false
	}
	i := int(h.pos[slot])
	return i >= Root && i < len(h.entries) && h.entries[i].slot == slot
}

// Len returns the number of entries.
func (h *Heap) Len() int { return len(h.entries) - Root }

// Work returns the comparisons. A heap does no other work.
func (h *Heap) Work() structures.Work { return structures.Work{Comparisons: h.comparisons} }

// shrink removes the last entry.
func (h *Heap) shrink() entry {
	n := len(h.entries) - 1
	last := h.entries[n]
	h.entries = h.entries[:n]
	return last
}

// up moves the hole at i towards the root until e fits.
func (h *Heap) up(i int, e entry) {
	heap, pos := h.entries, h.pos
	compared := uint64(0)
	for i > Root {
		p := Parent(i)
		above := heap[p]
		compared++
		if above.deadline <= e.deadline {
			break
		}
		heap[i] = above
		pos[above.slot] = uint32(i)
		i = p
	}
	heap[i] = e
	pos[e.slot] = uint32(i)
	h.comparisons += compared
}

// down moves the hole at i towards the leaves until e fits, and reads ahead (see
// ReadAhead): without that a hold (Pop, then Schedule) took 1.3 times as long at
// 10^6 timers and 1.15 at 10^5.
//
// It chooses the earliest of four without a branch: with branches a hold took 1.4
// times as long at 10^3 timers and 1.3 at 10^5, and as long at 10^6, where it waits
// for memory.
//
// For Pop, moving the hole down to a leaf and then e up from there would save one
// comparison of four, whose branch is nearly always predicted: a hold took 1.04 times
// as long at 10^3 timers, and as long at 10^5 and 10^6.
func (h *Heap) down(i int, e entry) {
	heap, pos := h.entries, h.pos
	compared := uint64(0)
	ahead, far := structures.Tick(0), ReadAhead(len(heap))
	for k := Child(i); k < len(heap); k = Child(i) {
		if k < far {
			g := Child(k)
			ahead |= heap[g].deadline | heap[g+4].deadline | heap[g+8].deadline | heap[g+12].deadline
		}
		if k+Arity <= len(heap) {
			compared += Arity
			k += Earliest(heap[k].deadline, heap[k+1].deadline, heap[k+2].deadline, heap[k+3].deadline)
		} else { // the last group, not full
			compared += uint64(len(heap) - k)
			for j := k + 1; j < len(heap); j++ {
				if heap[j].deadline < heap[k].deadline {
					k = j
				}
			}
		}
		below := heap[k]
		if below.deadline >= e.deadline {
			break
		}
		heap[i] = below
		pos[below.slot] = uint32(i)
		i = k
	}
	heap[i] = e
	pos[e.slot] = uint32(i)
	h.comparisons += compared
	h.ahead = ahead
}
