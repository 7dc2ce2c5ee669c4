package quadheap

import (
	"fmt"
	"math"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/quad"
)

// maxLen is the largest number of entries: pos holds indexes of 32 bits, and an
// index must fit an int.
const maxLen = min(1<<32, math.MaxInt) - quad.Root

// entry is a pending timer. The deadline is kept here and nowhere else, so that
// sifting compares what it reads anyway.
type entry struct {
	deadline structures.Tick
	slot     uint32
}

// core is the queue of slots: heap[quad.Root] is the earliest entry, no entry is
// earlier than its parent, and pos[slot] is the index of the entry of slot.
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

func newCore(capacity int) core {
	return core{
		heap: quad.New[entry](quad.Root + capacity),
		pos:  make([]uint32, 1, 1+capacity), // slot 0 is never issued
	}
}

// Add adds an entry for slot.
func (c *core) Add(slot uint32, deadline structures.Tick) {
	for int(slot) >= len(c.pos) {
		c.pos = append(c.pos, 0)
	}
	if len(c.heap) == cap(c.heap) {
		c.grow()
	}
	n := len(c.heap)
	c.heap = c.heap[:n+1]
	c.up(n, entry{deadline, slot})
}

// grow doubles the room.
func (c *core) grow() {
	if len(c.heap)-quad.Root == maxLen {
		panic(fmt.Sprintf("quadheap: more than %d timers pending", maxLen))
	}
	c.heap = quad.Grow(c.heap)
}

// Pop removes the earliest entry if it is due.
func (c *core) Pop(clock structures.Tick) (slot uint32, at structures.Tick) {
	if len(c.heap) == quad.Root {
		return 0, math.MaxInt64
	}
	first := c.heap[quad.Root]
	if first.deadline > clock {
		return 0, first.deadline
	}
	if last := c.shrink(); len(c.heap) > quad.Root {
		c.down(quad.Root, last)
	}
	return first.slot, first.deadline
}

// Next returns the earliest deadline.
func (c *core) Next(structures.Tick) structures.Tick { return c.heap[quad.Root].deadline }

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
	for i > quad.Root {
		p := quad.Parent(i)
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

// down moves the hole at i towards the leaves until e fits, and reads ahead (see
// quad.ReadAhead): without that a hold (Pop, then Schedule) took 1.3 times as long at
// 10^6 timers and 1.15 at 10^5.
//
// It chooses the earliest of four without a branch: with branches a hold took 1.4
// times as long at 10^3 timers and 1.3 at 10^5, and as long at 10^6, where it waits
// for memory.
//
// For Pop, moving the hole down to a leaf and then e up from there would save one
// comparison of four, whose branch is nearly always predicted: a hold took 1.04 times
// as long at 10^3 timers, and as long at 10^5 and 10^6.
func (c *core) down(i int, e entry) {
	heap, pos := c.heap, c.pos
	compared := uint64(0)
	ahead, far := structures.Tick(0), quad.ReadAhead(len(heap))
	for k := quad.Child(i); k < len(heap); k = quad.Child(i) {
		if k < far {
			g := quad.Child(k)
			ahead |= heap[g].deadline | heap[g+4].deadline | heap[g+8].deadline | heap[g+12].deadline
		}
		if k+quad.Arity <= len(heap) {
			compared += quad.Arity
			k += quad.Earliest(heap[k].deadline, heap[k+1].deadline, heap[k+2].deadline, heap[k+3].deadline)
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
	c.comparisons += compared
	c.ahead = ahead
}
