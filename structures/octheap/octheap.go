// Package octheap keeps timers in an 8-ary heap whose deadlines are in an array of their own:
// those of the eight children of a node fill one cache line.
//
// Pedigree. LaMarca and Ladner, "The Influence of Caches on the Performance of Heaps" (1996),
// give a node as many children as fit a line, and align them. Implementations in C and Rust
// choose among eight children by SIMD instructions, which Go has none of: here it takes seven
// comparisons without a branch. Package quadheap has entries of 16 bytes, deadline and slot, of
// which four fit a line. What is different here:
//
//   - The heap has two thirds of the levels, and each costs the same number of lines where
//     nothing moves. Where an entry moves, its slot is in another line.
//   - Most timers that are scheduled or moved stay near the leaves, and compare with one parent
//     or with one group of children.
//
// Measured against quadheap with 100 and 1000 timers, on a virtual machine with an AMD EPYC, a
// reschedule took 0.82 to 0.88 times as long, and a churn 0.92 times; but a timer that fires, for
// which an entry goes down all levels, took 1.03 to 1.14 times as long, also among a million.
//
// Costs, for n pending timers: Schedule O(log n), but O(1) on average for deadlines in random
// order; Pop and Cancel O(log n), at most 8 log8(n) + 1 comparisons; Reschedule the same, in
// place; Next O(1). 16 bytes a timer beside the value and its ID. The arrays double when they
// grow.
//
// Work counts Comparisons: one for each time that two deadlines are compared, and eight for the
// choice among eight children and the entry that goes down.
//
// Ties. Unspecified. Equal deadlines fire in any order, though always in the same one for the
// same calls.
//
// Pick it where a heap is wanted and timers are moved or cancelled more often than they fire.
// Pick quadheap where they fire, and a timer wheel for many timers.
package octheap

import (
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/option"
	"github.com/timerbench/timerbench/structures/internal/slotted"
)

var _ structures.Scheduler[int] = (*Heap[int])(nil)

// An Option sets up a Heap.
type Option func(*option.Room)

// Capacity reserves room for n timers, so that none of the first n allocates. It is
// no limit. New panics unless n is from 0 to 2^32-8. The default is 0.
func Capacity(n int) Option { return option.Capacity("octheap", n, maxLen) }

// Heap is an 8-ary heap of timers with values of type T. Make it with New. It keeps
// the contract of structures.Scheduler, and is for one goroutine at a time.
type Heap[T any] struct{ scheduler[T] }

type scheduler[T any] = slotted.Scheduler[T, core, *core]

// New returns an empty heap whose clock is at tick 0. It panics when an
// option is invalid.
func New[T any](opts ...Option) *Heap[T] {
	n := option.Apply(option.Room{}, opts).Capacity
	return &Heap[T]{slotted.New[T](newCore(n), n)}
}
