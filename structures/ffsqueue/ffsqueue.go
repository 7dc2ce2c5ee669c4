// Package ffsqueue is a bucket for each tick, and a bitmap that finds the first one with a
// timer.
//
// The buckets cover the ticks from the clock on, as many as there are buckets: the span.
// A bitmap has a bit for each bucket that holds a timer, and words above it that say which
// words below are not 0. Find-first-set, one instruction of the processor, leads through
// three of them to the earliest timer. So a timer goes straight to the bucket of its
// tick, stays there until it fires, and Next names that tick.
//
// Pedigree. Eiffel's circular hierarchical FFS queue (Saeed et al., NSDI 2019), which
// sorts packets by the time at which they are to be sent, as Carousel (SIGCOMM 2017) does
// with a wheel; van Emde Boas's tree is the same idea, with a root of n bits instead of
// 64. What is different here:
//
//   - Eiffel has two arrays of buckets, which change places once the clock has passed one
//     of them, and puts what is beyond both in the last bucket, unsorted. Here there is one
//     ring, so that the span always begins at the clock.
//   - Timers beyond the span wait in a 4-ary heap, until they fire. So nothing is rounded,
//     and nothing is ever moved: there is no moment at which a part of the queue turns.
//   - A timer can be cancelled and moved by its ID.
//
// Package wheel has the same ring and the same bitmap. It leaves timers of all revolutions
// in one slot, and looks at them each time that one of them fires.
//
// Costs, for f timers in the heap. Within the span all operations cost O(1), amortised
// over growth and over batches of 64 that are linked or unlinked together. For a timer
// that was beyond it when it came Schedule, Cancel, Reschedule and Pop cost O(log f). Next
// O(1). A timer takes 16 bytes beside its value and its ID, one in the heap up to 36 more.
//
// Work counts
//
//   - SlotsVisited: one for each bucket whose timers fire. EmptySlots is 0.
//   - Comparisons: those of the heap.
//
// Ties. Unspecified. Timers of one deadline fire in the order in which they were last
// scheduled or rescheduled, except those among them that were beyond the span then: they
// come before the others, in any order.
//
// Default. 65,536 buckets, 520 KiB when empty: with ticks of a millisecond the span is a
// minute, which the usual delays fit.
//
// Pick it where delays fit the span and Next must name the very tick, as for a tickless
// driver: with 10^4 timers that all fire it was the fastest of the exact structures, beside
// calendar, and 1.5 times as fast as a heap or hwheel (AMD EPYC). Pick package wheel where
// equal deadlines must fire in order, hwheel where there are more than 10^5 timers, and
// quadheap where timers are few or memory is.
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

// Capacity reserves room for n timers, so that none of the first n allocates, whatever
// their delays. It is no limit. New panics unless n is from 0 to 2^32-4. The default is 0.
func Capacity(n int) Option {
	return func(c *config) { c.capacity = option.Between("ffsqueue", "Capacity", n, 0, dary.MaxLen) }
}

// Queue is a queue of timers with values of type T. Make it with New. It keeps the
// contract of structures.Scheduler, and is for one goroutine at a time.
type Queue[T any] struct{ scheduler[T] }

type scheduler[T any] = batched.Scheduler[T, core, *core]

// New returns an empty queue whose clock is at tick 0. It panics when an option is
// invalid.
func New[T any](opts ...Option) *Queue[T] {
	c := option.Apply(config{slots: 1 << 16}, opts)
	return &Queue[T]{batched.New[T](newCore(c.slots, c.capacity), c.capacity)}
}
