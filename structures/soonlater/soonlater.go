// Package soonlater is two timer wheels, one for what is due soon and one for what is due
// later, and moves timers from one to the other a few at a time.
//
// The soon wheel has a slot for each tick. The later wheel has slots as wide as half of the
// soon wheel, each of which holds timers in any order. While the clock passes one half,
// the timers of the next half but one come up: they move to the soon wheel, where each has
// the slot of its tick, and must all be there when that half begins. So there is as much
// time as half a revolution for it, and every call that moves the clock takes its share.
//
// Pedigree. The timer wheels of Erlang's schedulers (OTP 21, 2018, erts/emulator/beam/time.c): two
// wheels of 2^14 slots each, with slots of 1 tick and of 2^13, and a tree for timers that
// are further away than the later wheel reaches. What is different here:
//
//   - Erlang moves a slot of the later wheel when its time has come, and stops after so
//     much work, to go on in its next call. As a call is over when all timers that are due
//     have fired, here the work is spread by shares instead.
//   - Bitmaps lead to the next slot that is not empty. Erlang counts timers for each 512
//     slots, and searches these.
//   - The timers furthest away are in a 4-ary heap, and stay there until they fire.
//
// Work of one call. Let m timers be due in the half after the one that the clock
// comes to, and let h ticks be left of that half then: 8,192 by default if the clock
// is at its first tick. A Pop that moves the clock by d ticks, and not to another half,
// moves at most d*m/h + 1 of them, fires one timer, and takes O(log f) besides if that is
// one of f timers in the heap. A Pop that comes to the next half moves all that are left,
// as the order must be exact. These are few if the Pops before it were evenly spread, and
// all m if there were none: the bound is for drivers that wake up at each tick. One that
// sleeps until Next moves the more at a time the longer it sleeps.
//
// Costs. Schedule, Reschedule and Cancel O(1), amortised over growth and over batches of
// 64 that are linked or unlinked together; O(log f) for a timer that is more than a
// revolution of the later wheel away. Pop O(1), and one move for each timer that was in
// the later wheel. Next O(1). A timer takes 16 bytes beside its value and its ID, one in
// the heap up to 36 more.
//
// Next names the deadline of the first timer, or the first tick of a half if that comes
// first and timers of it have not moved yet.
//
// Work counts
//
//   - SlotsVisited: one for each slot of the soon wheel whose timers fire, and one for each
//     slot of the later wheel that holds timers when its turn comes. EmptySlots is 0.
//   - Moved: one for each timer that moves from the later wheel to the soon wheel.
//   - Comparisons: those of the heap.
//
// Ties. Unspecified: a timer that was scheduled later may be in the soon wheel before an
// older one has moved there.
//
// Default. 2^14 slots of each kind, 330 KiB when empty: with ticks of a millisecond 16
// seconds are soon, and the later wheel reaches 37 hours.
//
// Pick it where a driver wakes up at each tick, delays are of all lengths, and what one
// call moves must have a bound that can be stated. It was not the fastest anywhere in the
// measurements by more than their noise. Pick hwheel, which moves timers in pieces, too,
// where there are many; and package wheel or ffsqueue where the delays fit one revolution,
// so that nothing has to move.
package soonlater

import (
	"math/bits"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/batched"
	"github.com/timerbench/timerbench/structures/internal/dary"
	"github.com/timerbench/timerbench/structures/internal/option"
)

var _ structures.Scheduler[int] = (*Wheels[int])(nil)

// maxSlots is the largest number of slots of a wheel.
const maxSlots = 1 << 24

// An Option sets up Wheels.
type Option func(*config)

type config struct{ soon, later, capacity int }

// Soon sets the number of slots of the soon wheel, which is the ticks that it covers: a
// power of two from 2 to 2^24, by default 2^14. New panics otherwise. A slot takes 8 bytes.
func Soon(n int) Option {
	return func(c *config) { c.soon = option.PowerOfTwo("soonlater", "Soon", n, 2, maxSlots) }
}

// Later sets the number of slots of the later wheel, each as wide as half of the soon
// wheel: a power of two from 4 to 2^24, by default 2^14. New panics otherwise. A slot takes
// 12 bytes.
func Later(n int) Option {
	return func(c *config) { c.later = option.PowerOfTwo("soonlater", "Later", n, 4, maxSlots) }
}

// Capacity reserves room for n timers, so that none of the first n allocates, whatever
// their delays. It is no limit. New panics unless n is from 0 to 2^32-4. The default is 0.
func Capacity(n int) Option {
	return func(c *config) { c.capacity = option.Between("soonlater", "Capacity", n, 0, dary.MaxLen) }
}

// Wheels are a soon and a later wheel of timers with values of type T. Make them with New.
// They keep the contract of structures.Scheduler, and are for one goroutine at a time.
type Wheels[T any] struct{ scheduler[T] }

type scheduler[T any] = batched.Scheduler[T, core, *core]

// New returns empty wheels whose clock is at tick 0. It panics when an option is invalid.
func New[T any](opts ...Option) *Wheels[T] {
	c := option.Apply(config{soon: 1 << 14, later: 1 << 14}, opts)
	width := bits.TrailingZeros(uint(c.soon / 2))
	return &Wheels[T]{batched.New[T](newCore(c.soon, c.later, width, c.capacity), c.capacity)}
}
