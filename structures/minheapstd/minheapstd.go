// Package minheapstd keeps timers in a binary heap made with container/heap, as most timer code in
// Go does: client-go's delaying queue, NSQ's priority queue.
//
// The code is written like theirs, to show what it costs: it allocates an item for every timer, keeps the index in
// the item, and compares and swaps through heap.Interface. This package adds only IDs and a counter of comparisons.
//
// Each timer is an item on the heap, which the garbage collector marks and frees.
//
// Pick it to see what your own code would gain. Otherwise pick minheap or quadheap.
package minheapstd

import (
	"container/heap"
	"math"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/dary"
	"github.com/timerbench/timerbench/structures/internal/rules"
	"github.com/timerbench/timerbench/structures/internal/slab"
	"github.com/timerbench/timerbench/structures/internal/slotted"
	"github.com/timerbench/timerbench/structures/internal/snapshot"
)

var _ structures.Scheduler[int] = (*Heap[int])(nil)

// Option sets a parameter of a Heap.
type Option struct{ option }
type option = rules.Option[rules.Room]

// Capacity reserves room for n timers, from 0, the default, to 2^32-2. Items are still allocated one by one.
func Capacity(n int) Option { return Option{rules.Capacity("minheapstd", n, slab.MaxCapacity)} }

// Heap is a binary heap of timers with values of type T. Make it with New. It is a [structures.Scheduler]. It allocates.
type Heap[T any] struct{ base[T] }
type base[T any] = slotted.Moving[T, core, *core]

// New returns an empty heap at tick 0. It panics if an option is invalid.
func New[T any](opts ...Option) *Heap[T] {
	n := rules.Apply(rules.Room{}, opts).Capacity
	return &Heap[T]{slotted.NewMoving[T](core{
		queue: queue{items: make([]*item, 0, n)}, bySlot: make([]*item, 1, n+1),
	}, n)}
}

// Schedule adds a timer that is due at deadline. It costs O(log n), at most log2(n) comparisons, on average O(1). It allocates.
func (h *Heap[T]) Schedule(deadline structures.Tick, value T) structures.ID {
	return h.base.Schedule(deadline, value)
}

// Reschedule moves a pending timer, or returns false. It costs O(log n), about 2 log2(n) comparisons.
func (h *Heap[T]) Reschedule(id structures.ID, deadline structures.Tick) bool {
	return h.base.Reschedule(id, deadline)
}

// Cancel removes a pending timer, or returns false. It costs O(log n), about 2 log2(n) comparisons.
func (h *Heap[T]) Cancel(id structures.ID) bool { return h.base.Cancel(id) }

// Pop moves the clock to now and removes the earliest timer if it is due. Ties are unspecified. It costs O(log n), as Cancel.
func (h *Heap[T]) Pop(now structures.Tick) (t structures.Timer[T], ok bool) { return h.base.Pop(now) }

// Next returns the earliest deadline. It costs O(1).
func (h *Heap[T]) Next() (at structures.Tick, ok bool) { return h.base.Next() }

// Len returns the number of pending timers. It costs O(1).
func (h *Heap[T]) Len() int { return h.base.Len() }

// core is the queue of slots.
type core struct {
	queue  queue
	bySlot []*item
}

// Add allocates an item for slot.
func (c *core) Add(slot uint32, deadline structures.Tick) {
	if int(slot) == len(c.bySlot) {
		c.bySlot = append(c.bySlot, nil)
	}
	it := &item{deadline: deadline, slot: slot}
	c.bySlot[slot] = it
	heap.Push(&c.queue, it)
}

func (c *core) Move(slot uint32, deadline structures.Tick) {
	it := c.bySlot[slot]
	it.deadline = deadline
	heap.Fix(&c.queue, it.index)
}

func (c *core) Remove(slot uint32) {
	heap.Remove(&c.queue, c.bySlot[slot].index)
	c.bySlot[slot] = nil
}

func (c *core) Pop(clock structures.Tick) (slot uint32, at structures.Tick) {
	if len(c.queue.items) == 0 {
		return slab.None, math.MaxInt64
	}
	if at = c.queue.items[0].deadline; at > clock {
		return slab.None, at
	}
	slot = heap.Pop(&c.queue).(*item).slot
	c.bySlot[slot] = nil
	return slot, at
}

func (c *core) Next(structures.Tick) structures.Tick { return c.queue.items[0].deadline }

func (c *core) Work() structures.Work { return structures.Work{Comparisons: c.queue.comparisons} }

func (c *core) Walk(b *snapshot.Builder) {
	items := c.queue.items
	for i, it := range items {
		rules.Must(it.index == i && c.bySlot[it.slot] == it,
			"the item at %d is that of place %d, slot %d, or not that of its slot", i, it.index, it.slot)
	}
	for i, it := range items[len(items):cap(items)] {
		rules.Must(it == nil, "an item that is gone is kept at %d", len(items)+i)
	}
	dary.AddTo(b, "binary heap", 2, len(items), func(i int) (uint32, structures.Tick) { return items[i].slot, items[i].deadline })
}

// item is a pending timer.
type item struct {
	deadline structures.Tick
	slot     uint32
	index    int // in the heap
}

// queue is the heap.Interface over the items.
type queue struct {
	items       []*item
	comparisons uint64
}

func (q *queue) Len() int { return len(q.items) }

func (q *queue) Less(i, j int) bool {
	q.comparisons++
	return q.items[i].deadline < q.items[j].deadline
}

func (q *queue) Swap(i, j int) {
	q.items[i], q.items[j] = q.items[j], q.items[i]
	q.items[i].index = i
	q.items[j].index = j
}

func (q *queue) Push(x any) {
	it := x.(*item)
	it.index = len(q.items)
	q.items = append(q.items, it)
}

func (q *queue) Pop() any {
	last := len(q.items) - 1
	it := q.items[last]
	q.items[last] = nil // or the array would keep the item alive
	q.items = q.items[:last]
	return it
}
