package ffsqueue

import (
	"math"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/dary"
	"github.com/timerbench/timerbench/structures/internal/fifo"
)

// core holds the timers. A timer is named by its number in the slab. At all times
//
//   - no deadline is before the cursor, which is at most the clock;
//   - a timer in a bucket is due within the span, which begins at the cursor and has as
//     many ticks as there are buckets. It is in the bucket of its deadline, modulo the
//     number of buckets, so that all timers of a bucket have one deadline;
//   - a timer that was due after the span when it came is far: it is in the heap, and stays
//     there.
type core struct {
	cursor   structures.Tick
	next     structures.Tick // no deadline is before it
	mask     uint64          // number of buckets less one
	buckets  []fifo.List
	occupied fifo.Occupancy
	far      dary.Quad
	visited  structures.Tick // last tick whose bucket was counted as visited
	slots    uint64          // buckets visited
	seen     uint32          // written so that the compiler keeps the reads of Link
}

func newCore(slots, capacity int) core {
	return core{
		next:     math.MaxInt64,
		mask:     uint64(slots) - 1,
		buckets:  make([]fifo.List, slots),
		occupied: fifo.NewOccupancy(slots),
		far:      dary.NewQuad(capacity),
	}
}

// bucket returns the number of the bucket of a tick.
func (c *core) bucket(tick structures.Tick) int { return int(uint64(tick) & c.mask) }

// Link adds timers. It first reads what it will write, the buckets and the last timers in
// them, so that the cache misses of a batch overlap.
func (c *core) Link(nodes *fifo.Lists, timers []uint32) {
	if len(timers) > 1 {
		for _, timer := range timers {
			c.seen += nodes.Next(c.buckets[c.bucket(nodes.Deadline(timer))].Back())
		}
	}
	for _, timer := range timers {
		if timer != 0 {
			c.add(nodes, timer, nodes.Deadline(timer))
		}
	}
}

// add appends a timer to its bucket, or adds it to the heap.
func (c *core) add(nodes *fifo.Lists, timer uint32, deadline structures.Tick) {
	c.next = min(c.next, deadline)
	if uint64(deadline-c.cursor) > c.mask {
		nodes.Detach(timer)
		c.far.Add(timer, deadline)
		return
	}
	i := c.bucket(deadline)
	if c.buckets[i].Empty() {
		c.occupied.Set(i)
	}
	nodes.PushBack(&c.buckets[i], timer)
}

// Unlink removes a timer.
func (c *core) Unlink(nodes *fifo.Lists, timer uint32) {
	if c.far.Has(timer) {
		c.far.Remove(timer)
	} else if i := c.bucket(nodes.Deadline(timer)); nodes.Remove(&c.buckets[i], timer) {
		c.occupied.Clear(i)
	}
}

// near returns the earliest deadline in the buckets, or the last tick if they are empty.
func (c *core) near() structures.Tick {
	if uint64(c.next-c.cursor) <= c.mask && !c.buckets[c.bucket(c.next)].Empty() {
		return c.next // none is before it
	}
	start := c.bucket(c.cursor)
	i := c.occupied.Next(start)
	if i < 0 {
		i = c.occupied.First()
	}
	if i < 0 {
		return math.MaxInt64
	}
	return c.cursor + structures.Tick(uint64(i-start)&c.mask)
}

// Pop removes the earliest timer if it is due. Of one deadline, those in the heap come
// first: they are older.
func (c *core) Pop(nodes *fifo.Lists, clock structures.Tick) uint32 {
	if c.next <= clock {
		near := c.near()
		_, far := c.far.First()
		if c.next = min(near, far); c.next <= clock {
			c.cursor = c.next
			if far <= near {
				if timer, _ := c.far.Pop(far); timer != 0 {
					return timer
				}
			}
			return c.popFront(nodes)
		}
	}
	c.cursor = clock
	return 0
}

// popFront removes the first timer of the bucket of the cursor. There is none if the clock
// is at the last tick and nothing is pending.
func (c *core) popFront(nodes *fifo.Lists) uint32 {
	i := c.bucket(c.cursor)
	timer := nodes.PopFront(&c.buckets[i])
	if timer == 0 {
		return 0
	}
	if c.buckets[i].Empty() {
		c.occupied.Clear(i)
	}
	if c.visited != c.cursor {
		c.visited = c.cursor
		c.slots++
	}
	return timer
}

// Next returns the earliest deadline.
func (c *core) Next(*fifo.Lists, structures.Tick) structures.Tick {
	_, far := c.far.First()
	c.next = min(c.near(), far)
	return c.next
}

// Work returns the counters of the work done so far.
func (c *core) Work() structures.Work {
	w := c.far.Work()
	w.SlotsVisited = c.slots
	return w
}
