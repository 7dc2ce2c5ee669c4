// Package radixheap keeps timers in a radix heap: one bucket for each bit of a deadline. The bucket of a timer is the
// highest bit in which its deadline differs from the base, a tick that the clock has passed. When the lowest bucket
// with timers comes due, its earliest deadline becomes the base, and its timers are spread over the buckets below.
//
// Pedigree. Ahuja, Mehlhorn, Orlin and Tarjan, "Faster algorithms for the shortest path problem"
// (1990), and seastar's [timer_set]. A radix heap is a hierarchical wheel with two slots a level. What
// is different here: the base never runs ahead of the clock, because a timer may be scheduled at the
// next tick, and a bucket remembers its earliest deadline.
//
// Costs. A timer moves down about once for each bit of its delay, at most 63 times, and a call that spreads a bucket moves all
// of its timers. A timer takes 16 bytes, plus its value and ID.
//
// Work counts SlotsVisited, buckets that were spread; and Moved, their timers.
//
// Pick it for very many timers that mostly fire, if the slots of a wheel take too much memory: it has
// only 64 lists. Pick hwheel if many timers are cancelled or a long call does harm.
//
// [timer_set]: https://github.com/scylladb/seastar/blob/4dadb9c124403e61a07a229761d4ac54db74c878/include/seastar/core/timer-set.hh
package radixheap

import (
	"math"
	"math/bits"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/fifo"
	"github.com/timerbench/timerbench/structures/internal/rules"
	"github.com/timerbench/timerbench/structures/internal/slab"
	"github.com/timerbench/timerbench/structures/internal/slotted"
	"github.com/timerbench/timerbench/structures/internal/snapshot"
	"github.com/timerbench/timerbench/structures/shape"
)

var _ structures.Scheduler[int] = (*Heap[int])(nil)

// Option sets a parameter of a Heap.
type Option struct{ option }
type option = rules.Option[rules.Room]

// Capacity reserves room for n timers, from 0, the default, to 2^32-2. More timers grow the structure.
func Capacity(n int) Option { return Option{rules.Capacity("radixheap", n, slab.MaxCapacity)} }

// Heap is a radix heap of timers with values of type T. Make it with New. It is a [structures.Scheduler].
type Heap[T any] struct{ base[T] }
type base[T any] = slotted.Scheduler[T, core, *core]

// New returns an empty heap at tick 0. It panics if an option is invalid.
func New[T any](opts ...Option) *Heap[T] {
	n := rules.Apply(rules.Room{}, opts).Capacity
	return &Heap[T]{slotted.New[T](core{lists: fifo.New(n)}, n)}
}

// Schedule adds a timer that is due at deadline. It costs O(1).
func (h *Heap[T]) Schedule(deadline structures.Tick, value T) structures.ID {
	return h.base.Schedule(deadline, value)
}

// Reschedule moves a pending timer, or returns false. It costs O(1).
func (h *Heap[T]) Reschedule(id structures.ID, deadline structures.Tick) bool {
	return h.base.Reschedule(id, deadline)
}

// Cancel removes a pending timer, or returns false. It costs O(1).
func (h *Heap[T]) Cancel(id structures.ID) bool { return h.base.Cancel(id) }

// Pop moves the clock to now and removes the earliest timer if it is due. Ties are FIFO. It costs O(1), and O(bits) a timer.
func (h *Heap[T]) Pop(now structures.Tick) (t structures.Timer[T], ok bool) { return h.base.Pop(now) }

// Next returns the earliest deadline, or a tick before it that was the deadline of a timer that is gone. It costs as much as Pop.
func (h *Heap[T]) Next() (at structures.Tick, ok bool) { return h.base.Next() }

// Len returns the number of pending timers. It costs O(1).
func (h *Heap[T]) Len() int { return h.base.Len() }

// buckets is one for the base itself and one for each bit of a tick, none of which is negative.
const buckets = 64

// core is the queue of slots. At all times
//
//   - the base is at most the clock, and no deadline is before it;
//   - a timer is in the bucket that bucketOf returns for its deadline and the
//     base, so bucket 0 holds the timers that are due at the base;
//   - no deadline in a bucket is before its bound, and the bound would itself be in that bucket. The bound is the
//     earliest deadline, unless the timer that had it was removed: to find the next one would take a search.
type core struct {
	base     structures.Tick
	lists    fifo.Lists
	buckets  [buckets]fifo.List
	bound    [buckets]structures.Tick // of a bucket that holds a timer
	occupied uint64                   // a bit for each bucket that holds a timer
	work     structures.Work
}

// bucketOf returns the number of the highest bit in which a deadline differs from the base, or 0.
func bucketOf(deadline, base structures.Tick) int { return bits.Len64(uint64(deadline ^ base)) }

func (c *core) Add(slot uint32, deadline structures.Tick) {
	c.lists.SetDeadline(slot, deadline)
	c.link(slot, deadline)
}

// link appends a slot to the bucket of its deadline.
func (c *core) link(slot uint32, deadline structures.Tick) {
	i := bucketOf(deadline, c.base) & (buckets - 1)
	switch {
	case c.buckets[i].Empty():
		c.occupied |= 1 << i
		c.bound[i] = deadline
	case c.bound[i] > deadline:
		c.bound[i] = deadline
	}
	c.lists.PushBack(&c.buckets[i], slot)
}

func (c *core) Remove(slot uint32) {
	i := bucketOf(c.lists.Deadline(slot), c.base) & (buckets - 1)
	if c.lists.Remove(&c.buckets[i], slot) {
		c.occupied &^= 1 << i
	}
}

// Next returns the bound of the lowest bucket, after those were spread that the clock has reached.
func (c *core) Next(clock structures.Tick) structures.Tick {
	for c.occupied != 0 {
		i := bits.TrailingZeros64(c.occupied) & (buckets - 1)
		if i == 0 || c.bound[i] > clock {
			return c.bound[i]
		}
		c.spread(i)
	}
	return math.MaxInt64
}

func (c *core) Pop(clock structures.Tick) (slot uint32, at structures.Tick) {
	at = c.Next(clock)
	if c.occupied&1 == 0 {
		return 0, at
	}
	slot = c.lists.PopFront(&c.buckets[0])
	if c.buckets[0].Empty() {
		c.occupied &^= 1
	}
	return slot, at
}

func (c *core) Work() structures.Work { return c.work }

// spread moves the base to the bound of bucket i, the lowest, and its timers below, in their
// order. Those of higher buckets differ from both bases in the same highest bit.
func (c *core) spread(i int) {
	moving := c.buckets[i]
	c.buckets[i] = fifo.List{}
	c.occupied &^= 1 << i
	c.base = c.bound[i]
	moved := uint64(0)
	for slot := moving.Front(); slot != 0; {
		following := c.lists.Next(slot)
		c.link(slot, c.lists.Deadline(slot))
		slot = following
		moved++
	}
	c.work.SlotsVisited++
	c.work.Moved += moved
}

// Walk adds the buckets: bucket i is for ticks that differ from the base in bit i-1 and none above.
func (c *core) Walk(b *snapshot.Builder) {
	b.Begin(shape.Part{
		Name: "buckets by the highest bit that differs from the base",
		Kind: shape.Slots, Size: buckets, Now: -1,
	})
	rules.Must(c.base >= 0 && c.base <= b.Clock, "base %d, clock %d", c.base, b.Clock)
	for i, l := range c.buckets {
		rules.Must(l.Empty() == (c.occupied>>i&1 == 0), "bucket %d is empty and marked as occupied, or neither", i)
		from, to := c.base, c.base
		if i > 0 {
			low := structures.Tick(1)<<(i-1) - 1
			from = (c.base ^ (low + 1)) &^ low
			to = from | low
		}
		earliest := c.lists.Walk(b, shape.Cell{Index: i, From: from, To: to}, l)
		rules.Must(l.Empty() || c.bound[i] >= from && c.bound[i] <= earliest, "bucket %d from %d on, bound %d, earliest %d",
			i, from, c.bound[i], earliest)
	}
}
