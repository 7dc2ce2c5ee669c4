// Package ffsqueue is a bucket for each tick, and a bitmap that finds the first one with a
// timer.
//
// The buckets cover the span: as many ticks from the clock on. Above a bit for each bucket are
// words that say which words below are not 0, and find-first-set leads through three of them to
// the earliest timer. So a timer goes straight to the bucket of its tick and stays there, and
// Next names that tick.
//
// Pedigree. Eiffel's circular hierarchical FFS queue (Saeed et al., NSDI 2019), which sorts
// packets by their time; van Emde Boas's tree is the same idea. What is different here:
//
//   - Eiffel has two arrays of buckets that change places, and puts what is beyond both in the
//     last bucket, unsorted. Here there is one ring, so that the span always begins at the
//     clock.
//   - Timers beyond the span wait in a 4-ary heap until they fire: nothing is rounded or moved.
//   - A timer can be cancelled and moved by its ID.
//
// Costs, for f timers in the heap: within the span all O(1), amortised over batches of 64;
// beyond it Schedule, Cancel, Reschedule and Pop O(log f). Next O(1). 16 bytes a timer beside
// its value and its ID, in the heap up to 36 more.
//
// Work counts SlotsVisited, buckets whose timers fire, and Comparisons, those of the heap.
//
// Ties. Unspecified: timers that were beyond the span come before the others of their deadline,
// which are FIFO.
//
// Default. 65,536 buckets, 520 KiB when empty: a minute at ticks of a millisecond.
//
// Pick it where delays fit the span and Next must name the very tick: with 10^4 timers that all
// fire it was 1.5 times as fast as a heap or hwheel (AMD EPYC). Pick wheel where equal
// deadlines must fire in order, hwheel for more than 10^5 timers, quadheap where timers are few
// or memory is.
package ffsqueue

import (
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/batched"
	"github.com/timerbench/timerbench/structures/internal/dary"
	"github.com/timerbench/timerbench/structures/internal/option"
)

var _ structures.Scheduler[int] = (*Queue[int])(nil)

// maxSlots is the largest number of buckets.
const maxSlots = 1 << 26

// An Option sets up a Queue.
type Option func(*config)

type config struct{ slots, capacity int }

// Slots sets the number of buckets, which is the span in ticks: a power of two from 2 to
// 2^26, by default 65,536. New panics otherwise. A bucket takes 8 bytes.
func Slots(n int) Option {
	return func(c *config) { c.slots = option.PowerOfTwo("ffsqueue", "Slots", n, 2, maxSlots) }
}

// Capacity reserves room for n timers, from 0, the default, to 2^32-4. It is no limit.
func Capacity(n int) Option {
	return func(c *config) { c.capacity = option.Between("ffsqueue", "Capacity", n, 0, dary.MaxLen) }
}

// Queue is a queue of timers with values of type T. Make it with New.
type Queue[T any] struct{ scheduler[T] }

type scheduler[T any] = batched.Scheduler[T, core, *core]

// New returns an empty queue at tick 0. It panics if an option is invalid.
func New[T any](opts ...Option) *Queue[T] {
	c := option.Apply(config{slots: 1 << 16}, opts)
	return &Queue[T]{batched.New[T](newCore(c.slots, c.capacity), c.capacity)}
}
