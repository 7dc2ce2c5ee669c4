package ffsqueue

import (
	"cmp"
	"fmt"
	"math"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/dary"
	"github.com/timerbench/timerbench/structures/internal/fifo"
	"github.com/timerbench/timerbench/structures/internal/snapshot"
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
	cursor  structures.Tick
	next    structures.Tick // no deadline is before it
	buckets fifo.Ring
	far     dary.Quad
	visited structures.Tick // last tick whose bucket was counted as visited
	slots   uint64          // buckets visited
	seen    uint32          // written so that the compiler keeps the reads of Link
}

func newCore(slots, capacity int) core {
	return core{next: math.MaxInt64, buckets: fifo.NewRing(slots), far: dary.NewQuad(capacity)}
}

// Link adds timers. It first reads what it will write, the buckets and the last timers in
// them, so that the cache misses of a batch overlap.
func (c *core) Link(nodes *fifo.Lists, timers []uint32) {
	if len(timers) > 1 {
		for _, timer := range timers {
			c.seen += nodes.Next(c.buckets.Lists[c.buckets.Index(nodes.Deadline(timer))].Back())
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
	if uint64(deadline-c.cursor) > c.buckets.Mask {
		nodes.Detach(timer)
		c.far.Add(timer, deadline)
		return
	}
	// As c.buckets.Push. The call would take 5 % of reschedule, as that of Remove would.
	i := c.buckets.Index(deadline)
	if c.buckets.Lists[i].Empty() {
		c.buckets.Occupied.Set(i)
	}
	nodes.PushBack(&c.buckets.Lists[i], timer)
}

// Unlink removes a timer.
func (c *core) Unlink(nodes *fifo.Lists, timer uint32) {
	if c.far.Has(timer) {
		c.far.Remove(timer)
	} else if i := c.buckets.Index(nodes.Deadline(timer)); nodes.Remove(&c.buckets.Lists[i], timer) {
		c.buckets.Occupied.Clear(i)
	}
}

// near returns the earliest deadline in the buckets, or the last tick if they are empty.
func (c *core) near() structures.Tick {
	if uint64(c.next-c.cursor) <= c.buckets.Mask && !c.buckets.Lists[c.buckets.Index(c.next)].Empty() {
		return c.next // none is before it
	}
	if tick, ok := c.buckets.First(c.cursor); ok {
		return tick
	}
	return math.MaxInt64
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
	i := c.buckets.Index(c.cursor)
	timer := nodes.PopFront(&c.buckets.Lists[i])
	if timer == 0 {
		return 0
	}
	if c.buckets.Lists[i].Empty() {
		c.buckets.Occupied.Clear(i)
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

// Walk adds the occupied buckets, and the heap if it holds a timer.
func (c *core) Walk(nodes *fifo.Lists, b *snapshot.Builder) error {
	if c.cursor < 0 || c.cursor > b.Clock {
		return fmt.Errorf("ffsqueue: cursor %d, clock %d", c.cursor, b.Clock)
	}
	earliest := max(c.cursor, c.next)
	return cmp.Or(
		c.buckets.Walk(nodes, b, "buckets", 0, c.cursor, earliest),
		c.far.WalkRest(b, earliest, nodes.Deadline),
	)
}
