// Package minheap keeps timers in a binary heap, the structure that most timer
// code begins with: container/heap, Java's DelayQueue, libuv and gocorex/cron.
//
// Pedigree. The heap is the one of Williams and Floyd. What is different here:
//
//   - The array holds entries of 16 bytes, a deadline and the number of a slot, and
//     no pointers or interfaces. Sifting compares what it reads anyway and calls
//     nothing.
//   - The position of an entry is kept in an array of its own, 4 bytes a timer. So
//     moving an entry does not touch its value, and a timer is cancelled without a
//     search: DelayQueue searches for it, and gocorex/cron leaves it in the heap
//     until it reaches the root.
//   - Sifting moves a hole instead of swapping, and chooses the earlier child
//     without a branch.
//
// Costs, for n pending timers: Schedule O(log n), but O(1) on average for
// deadlines in random order, with at most log2(n) comparisons; Pop and Cancel
// O(log n), at most 2 log2(n) + 1 comparisons; Reschedule the same, in place;
// Next O(1). 20 bytes a timer beside the value and its ID, and what append adds in
// growing.
//
// Work counts Comparisons: one for each time that two deadlines are compared.
//
// Ties. Unspecified. Equal deadlines fire in any order, though always in the
// same one for the same calls.
//
// Pick it for exact order in the least code, and to compare others with. Pick
// quadheap for speed: it has half the levels and is faster from 10^3 timers on.
// Pick rbtree when equal deadlines must fire in the order in which they were
// scheduled, and a timer wheel, which does everything in O(1), when most timers are
// cancelled and ticks may be coarse.
package minheap

import (
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/dary"
	"github.com/timerbench/timerbench/structures/internal/option"
	"github.com/timerbench/timerbench/structures/internal/slab"
	"github.com/timerbench/timerbench/structures/internal/slotted"
)

var _ structures.Scheduler[int] = (*Heap[int])(nil)

// An Option sets up a Heap.
type Option func(*option.Room)

// Capacity reserves room for n timers, so that none of the first n allocates. It is
// no limit. New panics unless n is from 0 to 2^32-2. The default is 0.
func Capacity(n int) Option { return option.Capacity("minheap", n, slab.MaxCapacity) }

// Heap is a binary heap of timers with values of type T. Make it with New. It keeps
// the contract of structures.Scheduler, and is for one goroutine at a time.
type Heap[T any] struct{ scheduler[T] }

type scheduler[T any] = slotted.Scheduler[T, dary.Binary, *dary.Binary]

// New returns an empty heap whose clock is at tick 0. It panics when an
// option is invalid.
func New[T any](opts ...Option) *Heap[T] {
	n := option.Apply(option.Room{}, opts).Capacity
	return &Heap[T]{slotted.New[T](dary.NewBinary(n), n)}
}
