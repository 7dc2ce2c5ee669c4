// Package bucketheap keeps timers in one bucket per tick and the buckets in a heap. A bucket
// exists only while it holds a timer: no tick is visited at which nothing happens, and the heap
// moves a bucket once for all its timers.
//
// Pedigree. Kafka keeps the buckets of its timing wheels in a DelayQueue, which is a heap, for
// the same reason. What is different here: there are no wheels below the heap, which is
// quadheap; a hash table finds the bucket of a tick.
//
// Costs, for b buckets: Schedule, Reschedule and Cancel O(1) expected where the bucket is there
// and stays, else O(log b); Pop O(1), and O(log b) once a bucket; Next O(1). About 30 bytes a
// timer beside its value, and 90 to 120 a bucket.
//
// Work counts Comparisons, those of the heap, and SlotsVisited: buckets whose timers fire.
//
// Ties. FIFO, by the last Schedule or Reschedule.
//
// Pick it where many timers share their deadlines. Pick quadheap where nearly every timer has a
// tick of its own.
package bucketheap

import (
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/bucketed"
	"github.com/timerbench/timerbench/structures/internal/option"
	"github.com/timerbench/timerbench/structures/internal/slab"
	"github.com/timerbench/timerbench/structures/quadheap"
)

var _ structures.Scheduler[int] = (*Heap[int])(nil)

// An Option sets up a Heap.
type Option func(*option.Room)

// Capacity reserves room for n timers, from 0, the default, to 2^32-2; buckets are made as
// needed.
func Capacity(n int) Option { return option.Capacity("bucketheap", n, slab.MaxCapacity) }

// Heap is a 4-ary heap of buckets of timers with values of type T. Make it with New.
type Heap[T any] struct{ scheduler[T] }

type scheduler[T any] = bucketed.Scheduler[T]

// New returns an empty heap at tick 0. It panics if an option is invalid.
func New[T any](opts ...Option) *Heap[T] {
	n := option.Apply(option.Room{}, opts).Capacity
	return &Heap[T]{bucketed.New[T](quadheap.New[uint32](), n)}
}
