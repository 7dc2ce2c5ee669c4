// Package soonlater is two timer wheels, one for what is due soon and one for what is due
// later, and moves timers from one to the other a few at a time.
//
// The soon wheel has a slot for each tick. The later wheel has slots as wide as half of it.
// While the clock passes one half, the timers of the next half move to the soon wheel: there is
// half a revolution of time for it, and every call that moves the clock takes its share.
//
// Pedigree. The timer wheels of Erlang (OTP 21, 2018, erts/emulator/beam/time.c): two wheels of
// 2^14 slots, and a tree for timers further away. What is different here:
//
//   - Erlang moves a slot when its time has come, and stops after so much work, to go on in its
//     next call. As here a call is over when all that is due has fired, the work is spread by
//     shares.
//   - Bitmaps lead to the next slot that is not empty. Erlang counts timers for each 512 slots.
//   - The timers furthest away are in a 4-ary heap until they fire.
//
// Work of one call. Let m timers be due in the half after the one that the clock comes to, and
// h ticks be left of that half then, 8,192 by default at its first tick. A Pop that moves the
// clock by d ticks within a half moves at most d*m/h + 1 of them, fires one timer, and takes
// O(log f) if that is one of f in the heap. One that comes to the next half moves all that are
// left: few if the Pops before were evenly spread, all m if there were none. The bound is for
// drivers that wake up at each tick.
//
// Costs. Schedule, Reschedule and Cancel O(1), amortised over batches of 64, and O(log f) more
// than a revolution of the later wheel away. Pop O(1), and one move for each timer of the later
// wheel. Next O(1): the first deadline, or the first tick of a half whose timers have not
// moved. 16 bytes a timer beside its value and its ID, in the heap up to 36 more.
//
// Work counts SlotsVisited, soon slots whose timers fire and later slots whose timers move;
// Moved, timers that move; and Comparisons, those of the heap.
//
// Ties. Unspecified: a new timer may be in the soon wheel before an older one has moved there.
//
// Default. 2^14 slots of each kind, 330 KiB when empty: at ticks of a millisecond 16 seconds
// are soon, and the later wheel reaches 37 hours.
//
// Pick it where a driver wakes up at each tick, delays are of all lengths, and what one call
// moves must have a bound. It was not the fastest anywhere by more than noise. Pick hwheel
// where there are many, wheel or ffsqueue where the delays fit one revolution.
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

// Capacity reserves room for n timers, from 0, the default, to 2^32-4. It is no limit.
func Capacity(n int) Option {
	return func(c *config) { c.capacity = option.Between("soonlater", "Capacity", n, 0, dary.MaxLen) }
}

// Wheels are a soon and a later wheel of timers with values of type T. Make them with New.
// They keep the contract of structures.Scheduler, and are for one goroutine at a time.
type Wheels[T any] struct{ scheduler[T] }

type scheduler[T any] = batched.Scheduler[T, core, *core]

// New returns empty wheels at tick 0. It panics if an option is invalid.
func New[T any](opts ...Option) *Wheels[T] {
	c := option.Apply(config{soon: 1 << 14, later: 1 << 14}, opts)
	width := bits.TrailingZeros(uint(c.soon / 2))
	return &Wheels[T]{batched.New[T](newCore(c.soon, c.later, width, c.capacity), c.capacity)}
}
