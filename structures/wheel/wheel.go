// Package wheel is a flat (hashed) timer wheel.
//
// It is an array of slots, one for each tick, through which the clock turns: a timer
// is in the slot of its deadline, modulo the number of slots. One whose deadline
// is more than a revolution away stays where it is while the clock passes. So a
// timer is scheduled and cancelled in O(1), never moved before it fires, and fires on
// its tick.
//
// Pedigree. It is scheme 6 of Varghese and Lauck, "Hashed and Hierarchical Timing
// Wheels" (SOSP 1987), the hash table with unsorted lists; Netty, go-zero and
// gocorex/cron have one. What is different here:
//
//   - Instead of a count of rounds that has to be brought down, a timer keeps its
//     deadline, and a slot the earliest of those in it. To pass a slot in which nothing
//     is due takes one comparison.
//   - A bitmap leads to the occupied slots, so that no empty one is ever visited.
//   - A jump over many revolutions visits each slot once and orders the timers that are
//     due by a radix sort on the revolution, without a comparison.
//   - Nothing is rounded, neither deadlines nor the number of slots.
//
// Costs. Schedule, Reschedule and Cancel O(1), amortised over growth and over batches
// of 64 that are linked or unlinked together. The first Pop that finds a timer due
// collects all that are due, and those after it cost O(1). Collecting costs O(1) for
// each occupied slot that the clock passes, and O(timers in it) for each of them that
// has a timer due. So a timer costs O(1), and a look in each revolution before its own
// in which another timer of its slot fires: delay/slots looks at most. That is the
// price of having one level only. A Pop costs O(1) when the clock passes no slot with a
// timer. Next is O(1) as long as its answer is known, and otherwise visits the occupied
// slots up to the first one with a timer due within a revolution. It may name an
// earlier tick that was the deadline of a timer since cancelled. The value of a
// cancelled timer is released at once.
//
// Work counts
//
//   - SlotsVisited: one each time that the earliest deadline of an occupied slot is
//     read, because the clock passes the slot or because Next searches. EmptySlots is 0.
//   - Moved: one for each timer that is looked at in a slot and is not due, as it
//     has revolutions still to go.
//
// Ties. Timers of one deadline fire in the order in which they were last
// scheduled or rescheduled (FIFO).
//
// Default. 65,536 slots, 1 MiB when empty: with ticks of a millisecond a revolution
// is a minute, which the usual delays fit. Measured with a million timers of up to
// 60,000 ticks, each scheduled again when it fires, 16,384 slots took nearly twice
// as long a timer (1.4 looks at timers not due), 4096 slots 4 to 5 times (7 looks)
// and 512 slots 30 times (59 looks). Take fewer where an empty wheel must be small.
//
// Pick it where most delays fit a revolution, many timers or few: then no timer is
// looked at before it fires. Pick package hwheel where delays span many revolutions.
package wheel

import (
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/batched"
	"github.com/timerbench/timerbench/structures/internal/option"
	"github.com/timerbench/timerbench/structures/internal/slab"
)

var _ structures.Scheduler[int] = (*Wheel[int])(nil)

// maxSlots is the largest number of slots.
const maxSlots = 1 << 26

// An Option sets up a Wheel.
type Option func(*config)

type config struct{ slots, capacity int }

// Slots sets the number of slots: any from 1 to 2^26, a tick each, by default
// 65,536. New panics otherwise. A power of two saves a division an operation. A
// slot takes 16 bytes.
func Slots(n int) Option {
	return func(c *config) { c.slots = option.Between("wheel", "Slots", n, 1, maxSlots) }
}

// Capacity reserves room for n timers, so that none of the first n allocates. It is
// no limit. New panics unless n is from 0 to 2^32-2. The default is 0.
func Capacity(n int) Option {
	return func(c *config) { c.capacity = option.Between("wheel", "Capacity", n, 0, slab.MaxCapacity) }
}

// Wheel is a flat timer wheel with values of type T. Make it with New. It keeps the
// contract of structures.Scheduler, and is for one goroutine at a time.
type Wheel[T any] struct{ scheduler[T] }

type scheduler[T any] = batched.Scheduler[T, ring, *ring]

// New returns an empty wheel whose clock is at tick 0. It panics when an
// option is invalid.
func New[T any](opts ...Option) *Wheel[T] {
	c := option.Apply(config{slots: 1 << 16}, opts)
	return &Wheel[T]{batched.New[T](newRing(c.slots), c.capacity)}
}
