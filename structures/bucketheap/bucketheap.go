// Package bucketheap keeps the timers of a tick in a bucket, and the buckets in a heap. A bucket exists only while it
// holds a timer. So no tick is visited for nothing, and the heap moves a bucket once for all of its timers.
//
// Pedigree. [Kafka] keeps the buckets of its timing wheels in a DelayQueue, which is a heap, for the same
// reason. Differences here: there are no wheels below the heap, which is quadheap, and a hash table
// finds the bucket of a tick.
//
// Costs, for b buckets: Schedule, Reschedule and Cancel O(1) expected, or O(log b) if they open or close
// a bucket. Pop O(1), plus O(log b) once a bucket. Next O(1). A timer takes about 30 bytes, plus its
// value, and a bucket takes 90 to 120.
//
// Work counts Comparisons in the heap, and SlotsVisited: buckets that fired.
//
// Ties. FIFO, by the last Schedule or Reschedule.
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
type Option func(*rules.Room)

// Capacity reserves room for n timers, from 0, the default, to 2^32-2. Buckets are made when they are needed.
func Capacity(n int) Option { return rules.Capacity("bucketheap", n, slab.MaxCapacity) }

// Heap is a 4-ary heap of buckets of timers with values of type T. Make it with New.
type Heap[T any] struct{ scheduler[T] }

type scheduler[T any] = bucketed.Scheduler[T]

// New returns an empty heap at tick 0. It panics if an option is invalid.
func New[T any](opts ...Option) *Heap[T] {
	n := rules.Apply(rules.Room{}, opts).Capacity
	return &Heap[T]{bucketed.New[T](quadheap.New[uint32](), n)}
}
