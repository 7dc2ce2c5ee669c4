package ffsqueue

import (
	"math"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/fifo"
	"github.com/timerbench/timerbench/structures/internal/quad"
)

// core holds the timers. A timer is named by its number in the slab. At all times
//
//   - no deadline is before the cursor, which is at most the clock;
//   - a timer due from the cursor to the horizon is in the bucket of its deadline, modulo
//     the number of buckets. The horizon is as far away as there are buckets, so that all
//     timers of a bucket have one deadline;
//   - a timer due after the horizon is far: it is in the heap.
type core struct {
	cursor, horizon structures.Tick
	next            structures.Tick // no deadline is before it
	mask            uint64          // number of buckets less one
	buckets         []fifo.List
	occupied        fifo.Occupancy
	far             quad.Heap
	visited         structures.Tick // last tick whose bucket was counted as visited
	seen            uint32          // written so that the compiler keeps the reads of Link
	work            structures.Work // without the comparisons, which the heap counts
}

func newCore(slots, capacity int) core {
	return core{
		horizon:  structures.Tick(slots) - 1,
		next:     math.MaxInt64,
		mask:     uint64(slots) - 1,
		buckets:  make([]fifo.List, slots),
		occupied: fifo.NewOccupancy(slots),
		far:      quad.NewHeap(capacity),
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
	if deadline > c.horizon {
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
	deadline := nodes.Deadline(timer)
	if deadline > c.horizon {
		c.far.Remove(timer)
	} else if i := c.bucket(deadline); nodes.Remove(&c.buckets[i], timer) {
		c.occupied.Clear(i)
	}
}

// moveTo moves the cursor to a tick before which no timer is due, and the far timers that
// are no longer beyond the horizon to their buckets.
func (c *core) moveTo(nodes *fifo.Lists, tick structures.Tick) {
	c.cursor = tick
	c.horizon = structures.Tick(min(uint64(tick)+c.mask, math.MaxInt64))
	for {
		timer, deadline := c.far.First()
		if timer == 0 || deadline > c.horizon {
			return
		}
		c.far.Pop(deadline)
		c.add(nodes, timer, deadline)
		c.work.Moved++
	}
}

// first returns the earliest deadline, or the last tick if there is no timer.
func (c *core) first() structures.Tick {
	if c.next >= c.cursor && c.next <= c.horizon && !c.buckets[c.bucket(c.next)].Empty() {
		return c.next // none is before it
	}
	start := c.bucket(c.cursor)
	i := c.occupied.Next(start)
	if i < 0 {
		i = c.occupied.First()
	}
	if i < 0 {
		_, at := c.far.First()
		return at
	}
	return c.cursor + structures.Tick(uint64(i-start)&c.mask)
}

// Pop removes the earliest timer if it is due.
func (c *core) Pop(nodes *fifo.Lists, clock structures.Tick) uint32 {
	if c.next <= clock {
		if c.next = c.first(); c.next <= clock {
			c.moveTo(nodes, c.next)
			return c.popFront(nodes)
		}
	}
	if c.cursor < clock {
		c.moveTo(nodes, clock)
	}
	return 0
}

// popFront removes the first timer of the bucket of the cursor. There is none only if the
// clock is at the last tick and nothing is pending.
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
		c.work.SlotsVisited++
	}
	return timer
}

// Next returns the earliest deadline.
func (c *core) Next(*fifo.Lists, structures.Tick) structures.Tick {
	c.next = c.first()
	return c.next
}

// Work returns the counters of the work done so far.
func (c *core) Work() structures.Work {
	w := c.work
	w.Comparisons = c.far.Work().Comparisons
	return w
}
