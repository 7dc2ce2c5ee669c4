// Package quadheap keeps timers in a 4-ary heap, as Go's runtime and libev do.
//
// Pedigree. Johnson's d-ary heap is flatter than a binary one: with four children a
// node it has half the levels, so that a timer moves half as often, up with half the
// comparisons and down with as many. LaMarca and Ladner showed that it pays if
// the children of a node share a cache line. Go's runtime had 64 such heaps from
// Go 1.10 on and has one per P since 1.14, nowadays with the deadlines in the
// heap; libev caches the deadlines there too, and has its root at index 3 so that
// children begin at multiples of four, as here. What is different here:
//
//   - Entries are 16 bytes, a deadline and the number of a slot, without pointers.
//   - The array is aligned, so that four children do share one line of 64 bytes
//     (where ticks are aligned to 8 bytes, as on all machines of 64 bits).
//   - The earliest of four children is chosen without a branch.
//   - The position of an entry is kept in an array of its own, 4 bytes a timer, so
//     that moving an entry does not touch its value.
//   - A cancelled timer is removed at once, unlike in Go's runtime.
//
// Costs, for n pending timers: Schedule O(log n), but O(1) on average for
// deadlines in random order, with at most about log4(n) comparisons; Pop and
// Cancel O(log n), about 4 log4(n) comparisons at most; Reschedule the same, in
// place; Next O(1). 20 bytes a timer beside the value and its ID; the array grows by
// doubling, so that up to half of it may be empty.
//
// Work counts Comparisons: one for each time that two deadlines are compared.
//
// Ties. Unspecified. Equal deadlines fire in any order, though always in the
// same one for the same calls.
//
// Pick it when in doubt and the order of equal deadlines does not matter: it
// does what minheap does, faster from 10^3 timers on, and the more so the more
// timers there are. Pick rbtree when equal deadlines must fire in the order in which
// they were scheduled, and a timer wheel, which does everything in O(1), when most
// timers are cancelled and ticks may be coarse.
package quadheap

import (
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/dary"
	"github.com/timerbench/timerbench/structures/internal/option"
	"github.com/timerbench/timerbench/structures/internal/slotted"
)

var _ structures.Scheduler[int] = (*Heap[int])(nil)

// An Option sets up a Heap.
type Option func(*option.Room)

// Capacity reserves room for n timers, so that none of the first n allocates. It is
// no limit. New panics unless n is from 0 to 2^32-4. The default is 0.
func Capacity(n int) Option { return option.Capacity("quadheap", n, dary.MaxLen) }

// Heap is a 4-ary heap of timers with values of type T. Make it with New. It keeps
// the contract of structures.Scheduler, and is for one goroutine at a time.
type Heap[T any] struct{ scheduler[T] }

type scheduler[T any] = slotted.Scheduler[T, dary.Quad, *dary.Quad]

// New returns an empty heap whose clock is at tick 0. It panics when an
// option is invalid.
func New[T any](opts ...Option) *Heap[T] {
	n := option.Apply(option.Room{}, opts).Capacity
	return &Heap[T]{slotted.New[T](dary.NewQuad(n), n)}
}
