// Package minheapstd keeps timers in a binary heap made with container/heap, as most
// timer code in Go does: the delaying work queue of Kubernetes' client-go, NSQ's
// priority queue and the delay queues that descend from it, and gocorex/cron.
//
// It is written as they are, so that it shows what that costs: a slice of
// pointers to items, an item allocated for every timer, its index kept in the
// item, and heap.Push, Fix, Remove and Pop through heap.Interface. Each
// comparison follows two pointers and is called through an interface, and each
// swap writes two items besides the slice. There are two additions: IDs, issued by the
// same table as in the other structures, and a counter of comparisons.
//
// Costs, for n pending timers: Schedule O(log n), but O(1) on average for
// deadlines in random order, with at most log2(n) comparisons; Pop, Cancel and
// Reschedule O(log n), about 2 log2(n) comparisons at most; Next O(1). Unlike the other
// structures it allocates: an item for every timer, which the collector has to follow
// and then to free.
//
// Ties. Unspecified. Equal deadlines fire in any order, though always in the
// same one for the same calls.
//
// Pick it to compare others with, and to see what one's own code would gain.
// Otherwise pick minheap, which is the same heap with entries instead of pointers, or
// quadheap.
package minheapstd

import (
	"container/heap"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/clock"
	"github.com/timerbench/timerbench/structures/internal/option"
	"github.com/timerbench/timerbench/structures/internal/slab"
)

var _ structures.Scheduler[int] = (*Heap[int])(nil)

// An Option sets up a Heap.
type Option func(*config)

type config struct{ capacity int }

// Capacity reserves room for n timers in the heap and the table of IDs; items
// are allocated one by one all the same. It is no limit. New panics unless n is from 0
// to 2^32-2. The default is 0.
func Capacity(n int) Option {
	return func(c *config) { c.capacity = option.Between("minheapstd", "Capacity", n, 0, slab.MaxCapacity) }
}

// Heap is a binary heap of timers with values of type T, on container/heap. Make
// it with New.
type Heap[T any] struct {
	clock clock.Clock
	table slab.Table[*item[T]]
	queue queue[T]
}

// New returns an empty heap whose clock is at tick 0. It panics when an
// option is invalid.
func New[T any](opts ...Option) *Heap[T] {
	c := option.Apply(config{}, opts)
	return &Heap[T]{
		table: slab.New[*item[T]](c.capacity),
		queue: queue[T]{items: make([]*item[T], 0, c.capacity)},
	}
}

// Schedule adds a pending timer that comes due at tick deadline, or at the tick
// after the clock if that is later, and returns the ID that names it. It
// allocates and costs O(log n), on average O(1).
func (h *Heap[T]) Schedule(deadline structures.Tick, value T) structures.ID {
	it := &item[T]{deadline: h.clock.Clamp(deadline), value: value}
	it.slot, it.id = h.table.Put(it)
	heap.Push(&h.queue, it)
	return it.id
}

// Reschedule moves a pending timer to tick deadline and keeps its ID and its
// value. It returns false, and touches nothing, when id is not pending.
// O(log n).
func (h *Heap[T]) Reschedule(id structures.ID, deadline structures.Tick) bool {
	slot := h.table.Find(id)
	if slot == slab.None {
		return false
	}
	it := *h.table.Value(slot)
	it.deadline = h.clock.Clamp(deadline)
	heap.Fix(&h.queue, it.index)
	return true
}

// Cancel removes a pending timer. It returns false, and touches nothing, when
// id is not pending. O(log n).
func (h *Heap[T]) Cancel(id structures.ID) bool {
	slot := h.table.Find(id)
	if slot == slab.None {
		return false
	}
	heap.Remove(&h.queue, h.table.Free(slot).index)
	return true
}

// Pop moves the clock to tick now, unless it is there or past it, and removes
// and returns a timer with the earliest deadline, if that is due. O(log n), or
// O(1) when nothing is due.
func (h *Heap[T]) Pop(now structures.Tick) (t structures.Timer[T], ok bool) {
	now = h.clock.Advance(now)
	if len(h.queue.items) == 0 || h.queue.items[0].deadline > now {
		return t, false
	}
	it := heap.Pop(&h.queue).(*item[T])
	h.table.Free(it.slot)
	return structures.Timer[T]{ID: it.id, Deadline: it.deadline, Value: it.value}, true
}

// Next returns the earliest deadline, in ticks; ok is false when nothing is
// pending. O(1).
func (h *Heap[T]) Next() (at structures.Tick, ok bool) {
	if len(h.queue.items) == 0 {
		return 0, false
	}
	return h.queue.items[0].deadline, true
}

// Len returns the number of pending timers. O(1).
func (h *Heap[T]) Len() int { return len(h.queue.items) }

// Work returns how many times two deadlines were compared. A heap does no work
// of the other kinds.
func (h *Heap[T]) Work() structures.Work {
	return structures.Work{Comparisons: h.queue.comparisons}
}
