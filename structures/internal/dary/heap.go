package dary

import (
	"fmt"
	"slices"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/snapshot"
	"github.com/timerbench/timerbench/structures/shape"
)

// entry is a pending timer. Only the entry has the deadline, because sifting reads the entries anyway.
type entry struct {
	deadline structures.Tick
	slot     uint32
}

// heap is the common part of Binary and Quad: entries[root] is the earliest entry, no entry is earlier than
// its parent, and pos[slot] is the index of the entry of slot.
//
// Code always reads and writes an entry field by field, as an assignment does, and never as part of a larger
// literal. A wide load of two fields that narrow stores have just written waits until these stores have
// reached the cache, after all stores to pos that missed it.
type heap struct {
	entries     []entry
	pos         []uint32
	comparisons uint64
	ahead       structures.Tick // written so that the compiler keeps the reads ahead in down
	root        int
}

// makePlace makes room for the index of a slot. A heap that takes timers only at times first meets slots far apart, so
// it grows at once, and not slot by slot.
func (h *heap) makePlace(slot uint32) {
	h.pos = slices.Grow(h.pos, int(slot)+1-len(h.pos))[:slot+1]
}

func (h *heap) Next(structures.Tick) structures.Tick { return h.entries[h.root].deadline }

func (h *heap) Len() int { return len(h.entries) - h.root }

func (h *heap) Work() structures.Work { return structures.Work{Comparisons: h.comparisons} }

// All returns an iterator over the slots and their deadlines, in the order of the array.
func (h *heap) All() snapshot.Timers {
	return func(yield func(uint32, structures.Tick) bool) {
		for _, e := range h.entries[h.root:] {
			if !yield(e.slot, e.deadline) {
				return
			}
		}
	}
}

// Walk adds the heap. pos names the index of each entry, so no slot has two.
func (h *heap) Walk(b *snapshot.Builder) error {
	AddTo(b, map[int]string{2: "binary heap", 4: "4-ary heap"}[h.root+1], h.root+1, h.Len(), func(i int) (uint32, structures.Tick) {
		return h.entries[h.root+i].slot, h.entries[h.root+i].deadline
	})
	for i := h.root; i < len(h.entries); i++ {
		if slot := h.entries[i].slot; int(slot) >= len(h.pos) || int(h.pos[slot]) != i {
			return fmt.Errorf("dary: slot %d has entry %d, its position says another one", slot, i)
		}
	}
	return nil
}

// WalkRest is Walk for a heap of timers that have no place elsewhere. It adds nothing if there are none. No
// timer may be due before earliest.
func (h *heap) WalkRest(b *snapshot.Builder, earliest structures.Tick, deadline func(slot uint32) structures.Tick) error {
	err := h.Walk(b)
	b.DropEmpty()
	for slot, at := range h.All() {
		if at < earliest || deadline(slot) != at {
			return fmt.Errorf("dary: slot %d, deadline %d, is in the heap for %d, none is before %d",
				slot, deadline(slot), at, earliest)
		}
	}
	return err
}

func (h *heap) shrink() entry {
	n := len(h.entries) - 1
	last := h.entries[n]
	h.entries = h.entries[:n]
	return last
}

// arity is the number of children of a node, as the length of an array. So it is a constant in the compiled code.
type arity interface{ [2]struct{} | [4]struct{} }

type (
	two  = [2]struct{}
	four = [4]struct{}
)

// up moves the hole at i towards the root until e fits.
func up[A arity](h *heap, i int, e entry) {
	var a A
	heap, pos := h.entries, h.pos
	compared := uint64(0)
	for i > len(a)-1 {
		p := Parent(len(a), i)
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

// down moves the hole at i towards the leaves until e fits.
//
// It chooses the earliest child without a branch. In a heap outside the cache it reads the lines further down before it knows
// the one that it needs: the children of all four siblings, or with two siblings the children of their children.
func down[A arity](h *heap, i int, e entry) {
	var a A
	heap, pos := h.entries, h.pos
	compared := uint64(0)
	ahead, far := structures.Tick(0), ReadAhead(len(heap))
	for k := Child(len(a), i); k < len(heap); k = Child(len(a), i) {
		if k < far {
			if len(a) == 2 {
				ahead |= heap[4*k].deadline | heap[4*k+4].deadline
			} else {
				g := Child(len(a), k)
				ahead |= heap[g].deadline | heap[g+4].deadline | heap[g+8].deadline | heap[g+12].deadline
			}
		}
		switch {
		case k+len(a) > len(heap): // the last group, not full
			compared += uint64(len(heap) - k)
			for j := k + 1; j < len(heap); j++ {
				if heap[j].deadline < heap[k].deadline {
					k = j
				}
			}
		case len(a) == 2:
			compared += 2
			k += earlier(heap[k+1].deadline, heap[k].deadline)
		default:
			compared += 4
			k += Earliest(heap[k].deadline, heap[k+1].deadline, heap[k+2].deadline, heap[k+3].deadline)
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

// AddTo adds a heap of n timers in an array, the root first.
func AddTo(b *snapshot.Builder, name string, arity, n int, timer func(i int) (slot uint32, filed structures.Tick)) {
	b.Begin(shape.Part{Name: name, Kind: shape.Heap, Arity: arity})
	for i := range n {
		slot, filed := timer(i)
		b.Timer(shape.Cell{Parent: (i+arity-1)/arity - 1, Child: max(i-1, 0) % arity}, slot, filed) // the parent of the root is -1
	}
}
