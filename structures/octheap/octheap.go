// Package octheap keeps timers in an 8-ary heap whose deadlines are in an array of their own:
// those of the eight children of a node fill one cache line.
//
// Pedigree. LaMarca and Ladner, "The Influence of Caches on the Performance of Heaps" (1996),
// give a node as many children as fit a line. In C and Rust SIMD instructions choose among
// eight; Go has none, so it takes seven comparisons without a branch. Against quadheap, whose
// lines hold four entries, the heap has two thirds of the levels, but a step of an entry
// touches its slot in another line.
//
// Measured against quadheap with 100 and 1000 timers (AMD EPYC), a reschedule took 0.82 to 0.88
// times as long and a churn 0.92 times, as most timers stay near the leaves; a timer that
// fires, 1.03 to 1.14 times.
//
// Costs, for n timers: Schedule O(log n), on average O(1); Pop, Cancel and Reschedule O(log n),
// at most 8 log8(n) + 1 comparisons; Next O(1). 16 bytes a timer beside the value and its ID;
// the arrays double when they grow.
//
// Work counts Comparisons of two deadlines, eight for a choice among eight children and the
// entry that goes down.
//
// Ties. Unspecified, but the same for the same calls.
//
// Pick it where a heap is wanted and timers are moved or cancelled more often than they fire.
package octheap

import (
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/option"
	"github.com/timerbench/timerbench/structures/internal/slotted"
)

var _ structures.Scheduler[int] = (*Heap[int])(nil)

// An Option sets up a Heap.
type Option func(*option.Room)

// Capacity reserves room for n timers, from 0, the default, to 2^32-8. It is no limit.
func Capacity(n int) Option { return option.Capacity("octheap", n, maxLen) }

// Heap is an 8-ary heap of timers with values of type T. Make it with New.
type Heap[T any] struct{ scheduler[T] }

type scheduler[T any] = slotted.Scheduler[T, core, *core]

// New returns an empty heap at tick 0. It panics if an option is invalid.
func New[T any](opts ...Option) *Heap[T] {
	n := option.Apply(option.Room{}, opts).Capacity
	return &Heap[T]{slotted.New[T](newCore(n), n)}
}
