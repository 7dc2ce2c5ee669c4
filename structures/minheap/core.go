package minheap

import "github.com/timerbench/timerbench/structures"

// root is the index of the earliest entry. Counted from 1, the children of i
// stand at 2i and 2i+1, a pair that fills half a cache line.
const root = 1

func parent(i int) int { return i / 2 }
func child(i int) int  { return 2 * i } // the first of two

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
	heap        []entry  // from root on, none earlier than its parent
	pos         []uint32 // per slot: the index of its entry, if pending
	comparisons uint64
	ahead       structures.Tick // of no use but to make down read ahead
}

// cached is a length up to which a heap is in the cache closest but one: 128 kB.
const cached = 1 << 13

func newCore(capacity int) core {
	return core{
		heap: make([]entry, root, root+capacity),
		pos:  make([]uint32, 1, 1+capacity), // slot 0 is never issued
	}
}

func (c *core) len() int { return len(c.heap) - root }

// first returns the earliest deadline. There must be one.
func (c *core) first() structures.Tick { return c.heap[root].deadline }

// push adds an entry for slot, which must have none.
func (c *core) push(slot uint32, deadline structures.Tick) {
	for int(slot) >= len(c.pos) {
		c.pos = append(c.pos, 0)
	}
	c.heap = append(c.heap, entry{})
	c.up(len(c.heap)-1, entry{deadline, slot})
}

// pop takes the earliest entry out. There must be one.
func (c *core) pop() entry {
	first := c.heap[root]
	if last := c.shrink(); len(c.heap) > root {
		c.down(root, last)
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
// Of a heap that is not in the cache it reads two levels ahead, whichever child comes
// first: the eight entries there fill two lines, which come while the levels between are
// compared. Without, a hold (Pop, then Schedule) took 1.7 times as long at 10^6 timers
// and 1.3 at 10^5; with one level, 1.15 times; with three, as long.
//
// Pop uses it too. The textbook's advice for Pop, to take the hole all the way
// to a leaf and then e up from there, saves a comparison per level, but that one
// costs next to nothing, since it nearly always goes the same way: it made a
// hold 1.08 to 1.15 times as long at 10^3 to 10^6 timers.
func (c *core) down(i int, e entry) {
	heap, pos := c.heap, c.pos
	compared := uint64(0)
	ahead, far := structures.Tick(0), 0 // children before far have such entries
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

// earlier is 1 if a comes before b, otherwise 0, without a branch: which child
// is the earlier one is a coin toss that no predictor guesses.
func earlier(a, b structures.Tick) int {
	if a < b {
		return 1
	}
	return 0
}
