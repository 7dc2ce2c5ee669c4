// Package radixheap keeps timers in a radix heap: a bucket for each bit of a deadline. A timer
// is in the bucket of the highest bit in which its deadline differs from the base, a tick that
// the clock has passed. When the lowest bucket that holds any comes due, its earliest deadline
// becomes the base, and its timers are spread over the buckets below.
//
// Pedigree. Ahuja, Mehlhorn, Orlin and Tarjan, "Faster algorithms for the shortest path
// problem" (1990); seastar's timer_set. It is a hierarchical wheel with two slots a level. What
// is different here: the base never runs ahead of the clock, as a timer may be scheduled at the
// tick after it, and a bucket remembers its earliest deadline.
//
// Costs. Schedule, Reschedule and Cancel O(1). A timer moves down about as often as its delay
// has bits, at most 63 times; Pop and Next are O(1) besides, but one that spreads a bucket goes
// through all of it. When the earliest timer of a bucket is cancelled or moved, Next keeps
// naming its deadline until a Pop there. 16 bytes a timer beside the value and its ID.
//
// Work counts SlotsVisited, buckets that are spread, and Moved, their timers.
//
// Ties. FIFO, by the last Schedule or Reschedule.
//
// Pick it where timers are very many, mostly fire, and the memory of a wheel's slots is
// unwelcome: it has 64 lists in all. Pick hwheel where many are cancelled or long calls matter.
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

// Capacity reserves room for n timers, from 0, the default, to 2^32-2. It is no limit.
func Capacity(n int) Option { return option.Capacity("radixheap", n, slab.MaxCapacity) }

// Heap is a radix heap of timers with values of type T. Make it with New.
type Heap[T any] struct{ scheduler[T] }

type scheduler[T any] = slotted.Scheduler[T, core, *core]

// New returns an empty heap at tick 0. It panics if an option is invalid.
func New[T any](opts ...Option) *Heap[T] {
	n := option.Apply(option.Room{}, opts).Capacity
	return &Heap[T]{slotted.New[T](newCore(n), n)}
}
