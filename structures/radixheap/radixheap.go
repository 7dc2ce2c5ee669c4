// Package radixheap keeps timers in a radix heap.
//
// A radix heap has a bucket for each bit of a deadline: a timer is in the bucket
// of the highest bit in which its deadline differs from the base, a tick that the
// clock has passed. Deadlines in a lower bucket come before those in a higher one.
// When the lowest bucket that holds any comes due, its earliest deadline becomes
// the base, and its timers are spread over the buckets below.
//
// Pedigree. Ahuja, Mehlhorn, Orlin and Tarjan, "Faster algorithms for the shortest
// path problem" (1990); seastar's timer_set keeps timers this way. It is a
// hierarchical wheel with two slots a level. What is different here: the base never
// runs ahead of the clock, as a timer may be scheduled at the tick after it; a
// bucket remembers its earliest deadline; and a timer is 16 bytes in an array
// beside its value.
//
// Costs. Schedule, Reschedule and Cancel O(1). A timer moves down at most 63 times
// in its life, in practice about as often as its delay has bits, whatever the
// number of timers: Pop and Next are O(1) besides. A Pop or Next that spreads a
// bucket goes through all of it. A bucket is not searched for its earliest deadline
// when that timer is cancelled or moved. Next keeps naming the old deadline then,
// until a Pop at that tick spreads the bucket.
//
// Work counts
//
//   - SlotsVisited: one for each bucket that is spread.
//   - Moved: one for each timer of a bucket that is spread.
//
// Ties. Timers of one deadline fire in the order in which they were last scheduled
// or rescheduled (FIFO).
//
// Pick it where timers are very many, mostly fire, and the memory of a wheel's
// slots is unwelcome: it has 64 lists in all. Pick package hwheel where many are
// cancelled, or where long pauses of a single Pop matter and deadlines are spread out.
// Many timers that are due together make one long Pop in both.
package radixheap

import (
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/option"
	"github.com/timerbench/timerbench/structures/internal/slab"
	"github.com/timerbench/timerbench/structures/internal/slotted"
)

var _ structures.Scheduler[int] = (*Heap[int])(nil)

// An Option sets up a Heap.
type Option func(*option.Room)

// Capacity reserves room for n timers, so that none of the first n allocates. It is
// no limit. New panics unless n is from 0 to 2^32-2. The default is 0.
func Capacity(n int) Option { return option.Capacity("radixheap", n, slab.MaxCapacity) }

// Heap is a radix heap of timers with values of type T. Make it with New. It keeps
// the contract of structures.Scheduler, and is for one goroutine at a time.
type Heap[T any] struct{ scheduler[T] }

type scheduler[T any] = slotted.Scheduler[T, core, *core]

// New returns an empty heap whose clock is at tick 0. It panics when an option is
// invalid.
func New[T any](opts ...Option) *Heap[T] {
	n := option.Apply(option.Room{}, opts).Capacity
	return &Heap[T]{slotted.New[T](newCore(n), n)}
}
