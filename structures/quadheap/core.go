package quadheap

import (
	"fmt"
	"math"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/quad"
)

// maxLen is how many entries there can be: pos holds indexes of
// 32 bits, and an index must fit an int.
const maxLen = min(1<<32, math.MaxInt) - quad.Root

// entry is a pending timer as the heap sees it. The deadline stands here and
// nowhere else, so that sifting compares what it reads anyway.
type entry struct {
	deadline structures.Tick
	slot     uint32
}

// core orders slots by deadline. It knows no values and holds no pointers.
//
// An entry is always read and written field by field, which is what assigning
// it compiles to, and never as part of a larger literal: a wide load of what
// narrow stores have just written waits until these have left for the cache,
// behind all stores to pos that missed it.
type core struct {
	heap        []entry  // from the root on, none earlier than its parent
	pos         []uint32 // per slot: the index of its entry, if pending
	comparisons uint64
	ahead       structures.Tick // of no use but to make down read ahead
}

func newCore(capacity int) core {
	return core{
		heap: quad.New[entry](quad.Root + capacity),
		pos:  make([]uint32, 1, 1+capacity), // slot 0 is never issued
	}
}

func (c *core) len() int { return len(c.heap) - quad.Root }

// first returns the earliest deadline. There must be one.
func (c *core) first() structures.Tick { return c.heap[quad.Root].deadline }

// push adds an entry for slot, which must have none.
func (c *core) push(slot uint32, deadline structures.Tick) {
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
	if c.len() == maxLen {
		panic(fmt.Sprintf("quadheap: more than %d timers pending", maxLen))
	}
	c.heap = quad.Grow(c.heap)
}

// pop takes the earliest entry out. There must be one.
func (c *core) pop() entry {
	first := c.heap[quad.Root]
	if last := c.shrink(); len(c.heap) > quad.Root {
		c.down(quad.Root, last)
	}
	return first
}

// remove takes the entry of slot out; the last entry takes its place.
func (c *core) remove(slot uint32) {
	i := int(c.pos[slot])
	old := c.heap[i].deadline
	if last := c.shrink(); i < len(c.heap) {
		c.place(i, old, last)
	}
}

// move gives the entry of slot another deadline.
func (c *core) move(slot uint32, deadline structures.Tick) {
	i := int(c.pos[slot])
	c.place(i, c.heap[i].deadline, entry{deadline, slot})
}

// shrink cuts the last entry off.
func (c *core) shrink() entry {
	n := len(c.heap) - 1
	last := c.heap[n]
	c.heap = c.heap[:n]
	return last
}

// place puts e where an entry with the deadline old stood, or as far from there
// as the order wants. One direction is enough: what comes before old comes
// before all below it, and what does not comes after all above it.
func (c *core) place(i int, old structures.Tick, e entry) {
	c.comparisons++
	if e.deadline < old {
		c.up(i, e)
	} else {
		c.down(i, e)
	}
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

// down moves the hole at i towards the leaves until e fits, and reads ahead (quad.Far):
// a hold (Pop, then Schedule) took 1.3 times as long without at 10^6 timers and 1.15 at
// 10^5.
//
// The earliest of four is chosen without a branch: with branches a hold took 1.4 times
// as long at 10^3 timers and 1.3 at 10^5; at 10^6, where memory is what it waits for,
// about as long.
//
// Pop uses it too. Taking the hole all the way to a leaf and then e up from
// there saves one comparison of four, but one that nearly always goes the same
// way: a hold took 1.04 times as long at 10^3 timers, and at 10^5 and 10^6 no
// difference stood out of the noise.
func (c *core) down(i int, e entry) {
	heap, pos := c.heap, c.pos
	compared := uint64(0)
	ahead, far := structures.Tick(0), quad.Far(len(heap))
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
