// Package bucketheap keeps the timers of a tick in a bucket, and the buckets in a heap. A bucket exists only while it
// holds a timer. So no tick is visited for nothing, and the heap moves a bucket once for all of its timers.
//
// Pedigree. [Kafka] keeps the buckets of its timing wheels in a DelayQueue, which is a heap, for the same
// reason. Differences here: there are no wheels below the heap, which is quadheap, and a hash table
// finds the bucket of a tick.
//
// A timer takes about 30 bytes, plus its value, and each of the k buckets takes 90 to 120.
// Work counts Comparisons in the heap, and SlotsVisited: buckets that fired.
//
// Pick it if many timers share their deadlines. Pick quadheap if nearly every timer has a tick of its own.
//
// [Kafka]: https://github.com/apache/kafka/blob/5977d1fc3ad1761c0bef6cecc0e5ea8284c3481a/server-common/src/main/java/org/apache/kafka/server/util/timer/TimingWheel.java
package bucketheap

import (
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/bucketed"
	"github.com/timerbench/timerbench/structures/internal/rules"
	"github.com/timerbench/timerbench/structures/internal/slab"
	"github.com/timerbench/timerbench/structures/quadheap"
)

var _ structures.Scheduler[int] = (*Heap[int])(nil)

// Option sets a parameter of a Heap.
type Option struct{ option }
type option = rules.Option[rules.Room]

// Capacity reserves room for n timers, from 0, the default, to 2^32-2. Buckets are made when they are needed.
func Capacity(n int) Option { return Option{rules.Capacity("bucketheap", n, slab.MaxCapacity)} }

// Heap is a 4-ary heap of buckets of timers with values of type T. Make it with New. It is a [structures.Scheduler].
type Heap[T any] struct{ base[T] }
type base[T any] = bucketed.Scheduler[T]

// New returns an empty heap at tick 0. It panics if an option is invalid.
func New[T any](opts ...Option) *Heap[T] {
	n := rules.Apply(rules.Room{}, opts).Capacity
	return &Heap[T]{bucketed.New[T](quadheap.New[uint32](), n)}
}

// Schedule adds a timer that is due at deadline. It costs O(1) expected, or O(log k) for the first timer of a tick.
func (h *Heap[T]) Schedule(deadline structures.Tick, value T) structures.ID {
	return h.base.Schedule(deadline, value)
}

// Reschedule moves a pending timer, or returns false. It costs as much as Cancel and Schedule.
func (h *Heap[T]) Reschedule(id structures.ID, deadline structures.Tick) bool {
	return h.base.Reschedule(id, deadline)
}

// Cancel removes a pending timer, or returns false. It costs O(1), or O(log k) for the last timer of a tick.
func (h *Heap[T]) Cancel(id structures.ID) bool { return h.base.Cancel(id) }

// Pop moves the clock to now and removes the earliest timer if it is due. Ties are FIFO. It costs O(1), plus O(log k) once a tick.
func (h *Heap[T]) Pop(now structures.Tick) (t structures.Timer[T], ok bool) { return h.base.Pop(now) }

// Next returns the earliest deadline. It costs O(1).
func (h *Heap[T]) Next() (at structures.Tick, ok bool) { return h.base.Next() }

// Len returns the number of pending timers. It costs O(1).
func (h *Heap[T]) Len() int { return h.base.Len() }
