// Package ffsqueue has a bucket for each tick, and a bitmap that finds the first bucket with a timer.
//
// The buckets cover the span, a number of ticks from the clock on. The lowest words of the bitmap have a bit for each bucket,
// and the words above have a bit for each word below that is not 0. Three find-first-set instructions lead to the earliest
// timer. So a timer goes straight to the bucket of its tick and stays there, and Next names that tick.
//
// Pedigree. [Eiffel]'s circular hierarchical FFS queue (Saeed et al., NSDI 2019), which sorts packets by time. Van Emde Boas's
// tree is the same idea. Differences here:
//
//   - Eiffel has two arrays of buckets that change places, and puts timers beyond both into the last bucket, unsorted. Here
//     there is one ring, so the span always begins at the clock.
//   - Timers beyond the span wait in a 4-ary heap until they fire. Nothing is rounded or moved.
//   - A timer can be cancelled and moved by its ID.
//
// A timer takes 24 bytes, plus its value, and up to 36 more in the heap.
// Work counts SlotsVisited, buckets that fired; and Comparisons in the heap.
//
// Ties. Unspecified: timers that were beyond the span come before the others with the same deadline, which are FIFO.
//
// Size. 65,536 buckets, 520 KiB when empty: a minute at ticks of a millisecond.
//
// Pick it if delays fit the span and Next must name the exact tick. Pick wheel if equal deadlines must fire in order, hwheel
// for more than 100,000 timers, and quadheap for few timers or little memory.
//
// [Eiffel]: https://www.usenix.org/conference/nsdi19/presentation/saeed
package ffsqueue

import (
	"math"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/dary"
	"github.com/timerbench/timerbench/structures/internal/fifo"
	"github.com/timerbench/timerbench/structures/internal/rules"
	"github.com/timerbench/timerbench/structures/internal/snapshot"
)

var _ structures.Scheduler[int] = (*Queue[int])(nil)

// Option sets a parameter of a Queue.
type Option struct{ option }
type option = rules.Option[rules.Room]

// Capacity reserves room for n timers, from 0, the default, to 2^28. More timers grow the structure.
func Capacity(n int) Option { return Option{rules.Capacity("ffsqueue", n, fifo.MaxCapacity)} }

// Queue is a queue of timers with values of type T. Make it with New. It is a [structures.Scheduler].
type Queue[T any] struct{ base[T] }
type base[T any] = fifo.Scheduler[T]

// New returns an empty queue at tick 0. It panics if an option is invalid.
func New[T any](opts ...Option) *Queue[T] {
	return newQueue[T](1<<16, rules.Apply(rules.Room{}, opts).Capacity)
}

// newQueue returns an empty queue with a power of two of buckets, at least 2. A bucket takes 8 bytes.
func newQueue[T any](slots, capacity int) *Queue[T] {
	queue := &core{buckets: fifo.NewRing(slots), far: dary.NewQuad(capacity)}
	return &Queue[T]{fifo.NewScheduler[T](queue, &queue.nodes, capacity)}
}

// Schedule adds a timer that is due at deadline. It costs O(1) within the span, otherwise O(log n).
func (q *Queue[T]) Schedule(deadline structures.Tick, value T) structures.ID {
	return q.base.Schedule(deadline, value)
}

// Reschedule moves a pending timer, or returns false. It costs O(1) within the span, otherwise O(log n).
func (q *Queue[T]) Reschedule(id structures.ID, deadline structures.Tick) bool {
	return q.base.Reschedule(id, deadline)
}

// Cancel removes a pending timer, or returns false. It costs O(1) within the span, otherwise O(log n).
func (q *Queue[T]) Cancel(id structures.ID) bool { return q.base.Cancel(id) }

// Pop moves the clock to now and removes the earliest timer if it is due. Ties are unspecified. It costs O(1), or O(log n) beyond.
func (q *Queue[T]) Pop(now structures.Tick) (t structures.Timer[T], ok bool) { return q.base.Pop(now) }

// Next returns the earliest deadline. It costs O(1).
func (q *Queue[T]) Next() (at structures.Tick, ok bool) { return q.base.Next() }

// Len returns the number of pending timers. It costs O(1).
func (q *Queue[T]) Len() int { return q.base.Len() }

// core holds the timers. A timer is named by its slot in nodes. At all times
//
//   - no deadline is before the cursor, which is at most the clock;
//   - a timer in a bucket is due within the span, which begins at the cursor and has as many ticks as there are buckets. It is
//     in the bucket of its deadline, modulo the number of buckets, so that all timers of a bucket have one deadline;
//   - a timer that was due after the span when it came is far: it is in the heap, and stays there.
type core struct {
	cursor  structures.Tick
	nodes   fifo.Timers
	buckets fifo.Ring
	far     dary.Quad
	visited structures.Tick // last tick whose bucket was counted as visited
	slots   uint64          // buckets visited
}

// Add appends a timer to its bucket, or adds it to the heap.
func (c *core) Add(timer uint32, n *fifo.Node) {
	if c.nodes.Clock < c.nodes.Quiet {
		c.cursor = c.nodes.Clock
	}
	c.nodes.Quiet = min(c.nodes.Quiet, n.Deadline)
	if uint64(n.Deadline-c.cursor) > c.buckets.Mask {
		c.far.Add(timer, n.Deadline)
		return
	}
	// As c.buckets.Push. The call would take 5 % of reschedule, and so would a call of Remove.
	i := c.buckets.Index(n.Deadline)
	if c.buckets.Lists[i].Empty() {
		c.buckets.Occupied.Set(i)
	}
	c.nodes.PushBack(&c.buckets.Lists[i], timer, n)
}

func (c *core) Remove(timer uint32, n *fifo.Node) {
	if c.far.Has(timer) {
		c.far.Remove(timer)
	} else if i := c.buckets.Index(n.Deadline); c.nodes.Remove(&c.buckets.Lists[i], n) {
		c.buckets.Occupied.Clear(i)
	}
}

// near returns the earliest deadline in the buckets, or the last tick if they are empty.
func (c *core) near() structures.Tick {
	if uint64(c.nodes.Quiet-c.cursor) <= c.buckets.Mask && !c.buckets.Lists[c.buckets.Index(c.nodes.Quiet)].Empty() {
		return c.nodes.Quiet // none is before it
	}
	if tick, ok := c.buckets.First(c.cursor); ok {
		return tick
	}
	return math.MaxInt64
}

func (c *core) Pop() (timer uint32, n *fifo.Node) {
	near := c.near()
	_, far := c.far.First()
	c.nodes.Quiet = min(near, far)
	if c.nodes.Quiet > c.nodes.Clock {
		c.cursor = c.nodes.Clock
		return 0, nil
	}
	c.cursor = c.nodes.Quiet
	if far <= near {
		if timer, _ = c.far.Pop(far); timer != 0 {
			return timer, c.nodes.At(timer)
		}
	}
	return c.popFront()
}

// popFront removes the first timer of the bucket of the cursor, if there is one.
func (c *core) popFront() (timer uint32, n *fifo.Node) {
	i := c.buckets.Index(c.cursor)
	if timer, n = c.nodes.PopFront(&c.buckets.Lists[i]); timer == 0 {
		return 0, nil
	}
	if c.buckets.Lists[i].Empty() {
		c.buckets.Occupied.Clear(i)
	}
	if c.visited != c.cursor {
		c.visited = c.cursor
		c.slots++
	}
	return timer, n
}

func (c *core) Next() structures.Tick {
	_, far := c.far.First()
	c.nodes.Quiet = min(c.near(), far)
	return c.nodes.Quiet
}

func (c *core) Work() structures.Work {
	w := c.far.Work()
	w.SlotsVisited = c.slots
	return w
}

// Walk adds the occupied buckets, and the heap if it holds a timer.
func (c *core) Walk(b *snapshot.Builder) {
	rules.Must(c.cursor >= 0 && c.cursor <= b.Clock, "cursor %d, clock %d", c.cursor, b.Clock)
	earliest := max(c.cursor, c.nodes.Quiet)
	c.buckets.Walk(&c.nodes, b, "buckets", 0, c.cursor, earliest)
	c.far.WalkRest(b, earliest, c.nodes.Deadline)
}
