// Package wheel is a flat (hashed) timer wheel: an array of slots, one for each tick, through
// which the clock turns. A timer is in the slot of its deadline, modulo the number of slots,
// and stays there while the clock passes, however many revolutions away.
//
// Pedigree. Scheme 6 of Varghese and Lauck, "Hashed and Hierarchical Timing Wheels" (SOSP
// 1987); Netty, go-zero and gocorex/cron have one. What is different here:
//
//   - A timer keeps its deadline instead of a count of rounds, and a slot the earliest of those
//     in it: to pass a slot in which nothing is due takes one comparison.
//   - A bitmap leads to the occupied slots.
//   - A jump over many revolutions visits each slot once and orders what is due by a radix
//     sort.
//   - Nothing is rounded, neither deadlines nor the number of slots.
//
// Costs. Schedule, Reschedule and Cancel O(1), amortised over batches of 64. The first Pop that
// finds a timer due collects all that are, those after it cost O(1). Collecting costs O(1) for
// each occupied slot that the clock passes, and O(timers in it) where one is due: a timer is
// looked at in each revolution before its own in which another of its slot fires, delay/slots
// times at most. Next is O(1) while its answer is known, else visits the occupied slots up to
// the first with a timer due within a revolution; it may name the deadline of a timer since
// cancelled.
//
// Work counts SlotsVisited, each time that the earliest deadline of an occupied slot is read,
// and Moved, timers looked at that have revolutions still to go.
//
// Ties. FIFO, by the last Schedule or Reschedule.
//
// Default. 65,536 slots, 1 MiB when empty: a minute at ticks of a millisecond. In hold among a
// million timers of up to 60,000 ticks 16,384 slots took nearly twice as long (1.4 looks at
// timers not due), 4096 slots 4 to 5 times (7 looks) and 512 slots 30 times (59 looks).
//
// Pick it where most delays fit a revolution. Pick hwheel where they span many.
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

// Capacity reserves room for n timers, from 0, the default, to 2^32-2. It is no limit.
func Capacity(n int) Option {
	return func(c *config) { c.capacity = option.Between("wheel", "Capacity", n, 0, slab.MaxCapacity) }
}

// Wheel is a flat timer wheel with values of type T. Make it with New. It keeps the
// contract of structures.Scheduler, and is for one goroutine at a time.
type Wheel[T any] struct{ scheduler[T] }

type scheduler[T any] = batched.Scheduler[T, ring, *ring]

// New returns an empty wheel at tick 0. It panics if an option is invalid.
func New[T any](opts ...Option) *Wheel[T] {
	c := option.Apply(config{slots: 1 << 16}, opts)
	return &Wheel[T]{batched.New[T](newRing(c.slots), c.capacity)}
}
