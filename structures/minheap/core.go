package minheap

import (
	"math"

	"github.com/timerbench/timerbench/structures"
)

// root is the index of the earliest entry. As it is 1, the children of i are at 2i
// and 2i+1, a pair that fills half a cache line.
const root = 1

func parent(i int) int { return i / 2 }
func child(i int) int  { return 2 * i } // the first of two

// entry is a pending timer. The deadline is kept here and nowhere else, so that
// sifting compares what it reads anyway.
type entry struct {
	deadline structures.Tick
	slot     uint32
}

// core is the queue of slots: heap[root] is the earliest entry, no entry is earlier
// than its parent, and pos[slot] is the index of the entry of slot.
//
// An entry is always read and written field by field, which is what assigning
// it compiles to, and never as part of a larger literal. A wide load of what two
// narrow stores have just written waits until these have reached the cache, behind
// all stores to pos that missed it.
type core struct {
	heap        []entry
	pos         []uint32
	comparisons uint64
	ahead       structures.Tick // written so that the compiler keeps the reads ahead in down
}

// cached is the length up to which a heap is in the second-level cache: 128 kB.
const cached = 1 << 13

func newCore(capacity int) core {
	return core{
		heap: make([]entry, root, root+capacity),
		pos:  make([]uint32, 1, 1+capacity), // slot 0 is never issued
	}
}

// Add adds an entry for slot.
func (c *core) Add(slot uint32, deadline structures.Tick) {
	for int(slot) >= len(c.pos) {
		c.pos = append(c.pos, 0)
	}
	c.heap = append(c.heap, entry{})
	c.up(len(c.heap)-1, entry{deadline, slot})
}

// Pop removes the earliest entry if it is due.
func (c *core) Pop(clock structures.Tick) (slot uint32, at structures.Tick) {
	if len(c.heap) == root {
		return 0, math.MaxInt64
	}
	first := c.heap[root]
	if first.deadline > clock {
		return 0, first.deadline
	}
	if last := c.shrink(); len(c.heap) > root {
		c.down(root, last)
	}
	return first.slot, first.deadline
}

// Next returns the earliest deadline.
func (c *core) Next(structures.Tick) structures.Tick { return c.heap[root].deadline }

// Remove removes the entry of slot. The last entry takes its place and is moved from
// there as if its deadline had changed.
func (c *core) Remove(slot uint32) {
	i := c.pos[slot]
	if last := c.shrink(); int(i) < len(c.heap) {
		c.pos[last.slot] = i
		c.Move(last.slot, last.deadline)
	}
}

// Move gives the entry of slot another deadline. Sifting in one direction is enough:
// an entry that comes before the old deadline comes before all entries below it, and
// one that does not comes after all above it.
func (c *core) Move(slot uint32, deadline structures.Tick) {
	i := int(c.pos[slot])
	c.comparisons++
	if deadline < c.heap[i].deadline {
		c.up(i, entry{deadline, slot})
	} else {
		c.down(i, entry{deadline, slot})
	}
}

// Work returns the comparisons. A heap does no other work.
func (c *core) Work() structures.Work { return structures.Work{Comparisons: c.comparisons} }

// shrink removes the last entry.
func (c *core) shrink() entry {
	n := len(c.heap) - 1
	last := c.heap[n]
	c.heap = c.heap[:n]
	return last
}

// up moves the hole at i towards the root until e fits.
func (c *core) up(i int, e entry) {
	heap, pos := c.heap, c.pos
	compared := uint64(0)
	for i > root {
		p := parent(i)
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
	c.comparisons += compared
}

// down moves the hole at i towards the leaves until e fits.
//
// In a heap that is not in the cache it reads the eight entries two levels below
// before it is known which of them it needs: their two cache lines arrive while the
// levels between are compared. Without this a hold (Pop, then Schedule) took 1.7
// times as long at 10^6 timers and 1.3 at 10^5; with one level 1.15 times, with
// three as long.
//
// Textbooks advise for Pop to move the hole down to a leaf and then e up from there,
// which saves a comparison per level. The branch of that comparison is nearly always
// predicted: the advice made a hold 1.08 to 1.15 times as long at 10^3 to 10^6 timers.
func (c *core) down(i int, e entry) {
	heap, pos := c.heap, c.pos
	compared := uint64(0)
	ahead, far := structures.Tick(0), 0 // the first child that has no entries two levels below
	if len(heap) > cached {
		far = len(heap)/4 - 1
	}
	for k := child(i); k < len(heap); k = child(i) {
		if k < far {
			ahead |= heap[4*k].deadline | heap[4*k+4].deadline
		}
		if k+1 < len(heap) {
			compared++
			k += earlier(heap[k+1].deadline, heap[k].deadline)
		}
		below := heap[k]
		compared++
		if below.deadline >= e.deadline {
			break
		}
		heap[i] = below
		pos[below.slot] = uint32(i)
		i = k
	}
	heap[i] = e
	pos[e.slot] = uint32(i)
	c.comparisons += compared
	c.ahead = ahead
}

// earlier is 1 if a comes before b, otherwise 0. It compiles to no branch: no
// predictor guesses which child is the earlier one.
func earlier(a, b structures.Tick) int {
	if a < b {
		return 1
	}
	return 0
}
