package radixheap

import (
	"fmt"
	"math/bits"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/fifo"
)

// buckets is one for the base itself and one for each bit of a tick, none of
// which is negative.
const buckets = 64

// core orders slots by deadline. A timer lies in the bucket that bucketOf names
// for its deadline and the base, at all times.
type core struct {
	base     structures.Tick // no deadline is before it; at most the clock
	lists    fifo.Lists
	buckets  [buckets]fifo.List
	least    [buckets]structures.Tick // earliest deadline of a bucket in use, or unknown
	occupied uint64                   // a bit for each bucket in use
	work     structures.Work
}

// unknown stands for an earliest deadline that was cancelled or moved. It is no
// deadline: none is before tick 1.
const unknown structures.Tick = 0

func newCore(capacity int) core { return core{lists: fifo.New(capacity)} }

// bucketOf returns the number of the highest bit in which a deadline differs from
// the base, counted from 1; 0 if it is the base.
func bucketOf(deadline, base structures.Tick) int {
	return bits.Len64(uint64(deadline ^ base))
}

// add takes a slot in. The deadline is not before the base.
func (c *core) add(slot uint32, deadline structures.Tick) {
	c.lists.SetDeadline(slot, deadline)
	c.place(slot, deadline)
}

func (c *core) place(slot uint32, deadline structures.Tick) {
	i := bucketOf(deadline, c.base) & (buckets - 1)
	switch {
	case c.buckets[i].Empty():
		c.occupied |= 1 << i
		c.least[i] = deadline
	case c.least[i] > deadline: // and not unknown
		c.least[i] = deadline
	}
	c.lists.PushBack(&c.buckets[i], slot)
}

// remove unlinks a slot.
func (c *core) remove(slot uint32) {
	deadline := c.lists.Deadline(slot)
	i := bucketOf(deadline, c.base) & (buckets - 1)
	if c.lists.Remove(&c.buckets[i], slot) {
		c.occupied &^= 1 << i
	} else if c.least[i] == deadline {
		c.least[i] = unknown
	}
}

// earliest returns the earliest deadline. There must be a timer.
func (c *core) earliest() structures.Tick {
	i := bits.TrailingZeros64(c.occupied) & (buckets - 1)
	if c.least[i] == unknown {
		c.search(i)
	}
	return c.least[i]
}

// search finds the earliest deadline of a bucket.
func (c *core) search(i int) {
	seen := uint64(0)
	least := c.lists.Deadline(c.buckets[i].Front())
	for slot := c.buckets[i].Front(); slot != 0; slot = c.lists.Next(slot) {
		least = min(least, c.lists.Deadline(slot))
		seen++
	}
	c.least[i] = least
	c.work.SlotsVisited++
	c.work.Comparisons += seen
}

// pop takes the earliest timer out, which is due: the clock has reached its
// deadline, so that this may become the base.
func (c *core) pop() uint32 {
	if c.occupied&1 == 0 {
		deadline := c.earliest()
		c.spread(bits.TrailingZeros64(c.occupied), deadline)
	}
	slot := c.lists.PopFront(&c.buckets[0])
	if c.buckets[0].Empty() {
		c.occupied &^= 1
	}
	return slot
}

// spread moves the base up to a deadline in bucket i, and the timers of that
// bucket to those below it, in their order: that is what makes ties FIFO. Those of
// higher buckets differ from the old base and the new one in the same highest bit.
func (c *core) spread(i int, base structures.Tick) {
	moving := c.buckets[i]
	c.buckets[i] = fifo.List{}
	c.occupied &^= 1 << i
	c.base = base
	moved := uint64(0)
	for slot := moving.Front(); slot != 0; {
		following := c.lists.Next(slot)
		c.place(slot, c.lists.Deadline(slot))
		slot = following
		moved++
	}
	c.work.SlotsVisited++
	c.work.Moved += moved
}

// check walks all buckets and names the first broken invariant. live tells which
// slots hold a pending timer, of which there are size.
func (c *core) check(size int, live func(slot uint32) bool) error {
	total := 0
	for i, l := range c.buckets {
		if l.Empty() == (c.occupied>>i&1 == 1) {
			return fmt.Errorf("radixheap: bucket %d is empty and marked as occupied, or neither", i)
		}
		n, err := c.lists.Check(l)
		if err != nil {
			return fmt.Errorf("radixheap: bucket %d: %w", i, err)
		}
		total += n
		first := structures.Tick(-1)
		for slot, deadline := range c.lists.All(l) {
			if !live(slot) {
				return fmt.Errorf("radixheap: slot %d in bucket %d holds no timer", slot, i)
			}
			if deadline < c.base || bucketOf(deadline, c.base) != i {
				return fmt.Errorf("radixheap: deadline %d in bucket %d, base %d", deadline, i, c.base)
			}
			if first < 0 || deadline < first {
				first = deadline
			}
		}
		if n > 0 && c.least[i] != unknown && c.least[i] != first {
			return fmt.Errorf("radixheap: earliest deadline of bucket %d is %d, noted is %d", i, first, c.least[i])
		}
	}
	if total != size {
		return fmt.Errorf("radixheap: %d timers in the buckets, %d pending", total, size)
	}
	return nil
}
