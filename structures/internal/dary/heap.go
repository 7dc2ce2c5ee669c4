// Package dary keeps timers in a heap in an array, with two or four children a node. Other heaps share its
// layout and its choice among four children.
//
// The layout is from [libev]. A cache line of 64 bytes holds four entries of 16. The root is at index 3, so
// the children of every node begin at the start of a line:
//
//	index    0 1 2    3     4 5 6 7   8 .. 11   12 .. 15   16 .. 19   20 .. 23
//	holds   nothing  root   its four  children  children   children   children
//	                        children    of 4      of 5       of 6       of 7
//
// In the binary heap the root is at index 1: the children of two siblings share a line.
//
// [libev]: https://dist.schmorp.de/libev/Attic/libev-4.33.tar.gz
package dary

import (
	"math"
	"math/bits"
	"slices"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/rules"
	"github.com/timerbench/timerbench/structures/internal/snapshot"
	"github.com/timerbench/timerbench/structures/shape"
)

// Root is the index of the root of a 4-ary heap. In general it is one less than the arity.
const Root = 3

// MaxLen is the largest number of entries of a 4-ary heap: places have 32 bits, and fit an int.
const MaxLen = min(1<<32, math.MaxInt) - Root

// Parent returns the index of the parent of i, which is not the root.
func Parent(arity, i int) int { return i/arity + arity - 2 }

// Child returns the index of the first child of i.
func Child(arity, i int) int { return (i - arity + 2) * arity }

// ReadAhead returns an index. For first children before that index it pays to read the lines of the level
// below, too, so that they arrive together. The heap has entries up to four times the index. The index is 0
// for heaps of up to 128 kB, which fit the second-level cache.
func ReadAhead(length int) int {
	if length <= 1<<13 {
		return 0
	}
	return length/4 - 4
}

// New returns the array of an empty 4-ary heap, with room for indexes below n. With an E of 16
// bytes it begins at a cache line, as the runtime aligns blocks of a power of two.
func New[E any](n int) []E { return make([]E, Root, 1<<bits.Len(uint(max(n, 4)-1))) }

// Grow returns heap with twice the room. append chooses other sizes than powers of two.
func Grow[E any](heap []E) []E { return append(New[E](2*cap(heap)), heap[Root:]...) }

// Earliest returns the number of the earliest of four deadlines, 0 to 3, with three comparisons and no
// branch. The last line chooses by arithmetic, because the compiler turns an if into a branch there.
func Earliest(a, b, c, d structures.Tick) int {
	l := earlier(b, a)
	r := earlier(d, c) | 2
	return l ^ (l^r)&-earlier(min(c, d), min(a, b))
}

// earlier is 1 if a comes before b, otherwise 0.
func earlier(a, b structures.Tick) int {
	if a < b {
		return 1
	}
	return 0
}

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
func (h *heap) Walk(b *snapshot.Builder) {
	AddTo(b, map[int]string{2: "binary heap", 4: "4-ary heap"}[h.root+1], h.root+1, h.Len(), func(i int) (uint32, structures.Tick) {
		return h.entries[h.root+i].slot, h.entries[h.root+i].deadline
	})
	for i, e := range h.entries[h.root:] {
		rules.Must(int(h.pos[e.slot]) == h.root+i, "slot %d has entry %d, its position says another one", e.slot, h.root+i)
	}
}

// WalkRest is Walk for a heap of timers that have no place elsewhere. It adds nothing if there are none. No
// timer may be due before earliest.
func (h *heap) WalkRest(b *snapshot.Builder, earliest structures.Tick, deadline func(slot uint32) structures.Tick) {
	h.Walk(b)
	b.DropEmpty()
	for slot, at := range h.All() {
		due := deadline(slot)
		rules.Must(at >= earliest && due == at,
			"slot %d, deadline %d, is in the heap for %d, none is before %d", slot, due, at, earliest)
	}
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
