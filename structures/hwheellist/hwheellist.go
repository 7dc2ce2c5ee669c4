// Package hwheellist is a hierarchical, cascading timer wheel.
//
// The lowest level has a few hundred slots of one tick each and holds the timers due
// soon. The level above has slots as wide as the whole lowest level, and so on: each
// level is as many times coarser as it has slots. When the clock reaches a slot of a
// higher level, its timers cascade: they are moved to the levels below. So a timer
// is scheduled and cancelled in O(1), whatever its delay, moved at most once a level
// before it fires, and fires on its tick.
//
// Pedigree. The hierarchy is scheme 7 of Varghese and Lauck, "Hashed and
// Hierarchical Timing Wheels" (SOSP 1987). Linux had one before 4.8, with 256
// slots on the lowest level and 64 on the four others; Kafka and tokio have one.
// As in tokio, the level of a timer is the highest digit in which its deadline
// differs from the tick up to which all timers have fired. What is different here:
//
//   - The levels cover every int64, so that there is no longest delay and nothing is
//     rounded.
//   - Bitmaps lead to the next slot that is not empty, so that no empty slot is ever
//     visited and a jump costs what the wheel holds.
//   - A timer is 16 bytes in an array beside its value, with no pointer among them.
//
// Costs. Schedule, Reschedule and Cancel O(1), amortised over growth and over batches
// of 64 that are linked or unlinked together; Pop O(1), plus the cascades, which
// are at most (levels - 1) a timer over its life, whatever the width of a jump; Next as
// Pop. A Pop or Next that cascades a slot moves all timers in it: many timers far away
// in one slot make one long Pop when the clock reaches it. The value of a cancelled
// timer is released at once.
//
// Next names the tick at which Pop has something to do: to fire a timer, when the
// earliest ones are on level 0, or else to cascade the first slot that is not empty.
//
// Work counts
//
//   - SlotsVisited: one for each slot of level 0 whose timers fire, one for each slot
//     that cascades, and one each time that the overflow list (see Levels) is gone
//     through. EmptySlots is 0.
//   - Moved: one for each timer of a slot that cascades, and for each timer of the
//     overflow list each time that it is gone through.
//
// Ties. Timers of one deadline fire in the order in which they were last
// scheduled or rescheduled (FIFO).
//
// Default. 256 slots and 8 levels, 16 KiB when empty. Measured with a million
// timers of up to 60,000 ticks, each scheduled again when it fires, 64 slots and
// 11 levels took at least a third longer a timer, as most cascade twice (2.0 moves
// a timer against 1.0), while 1024 slots and 7 levels saved nothing and are 56 KiB.
// Where timers are mostly cancelled, all of these cost the same.
//
// Pick it where timers of one deadline must fire in order, whatever their delays.
// Pick package hwheel, which is several times as fast, where that does not matter;
// package wheel where delays fit a revolution, as it never moves a timer then; and
// a heap where timers are few, or where a driver without ticks must not be woken up
// to cascade.
package hwheellist

import (
	"math"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/batched"
	"github.com/timerbench/timerbench/structures/internal/option"
	"github.com/timerbench/timerbench/structures/internal/slab"
)

var _ structures.Scheduler[int] = (*Wheel[int])(nil)

// The bounds of the options.
const (
	minSlots = 2
	maxSlots = 4096
)

// An Option sets up a Wheel.
type Option func(*config)

type config struct{ slots, levels, capacity int }

// enough stands for as many levels as cover all ticks.
const enough = math.MinInt

// Slots sets how many slots a level has: a power of two from 2 to 4096, by
// default 256. New panics otherwise. More slots make fewer levels and so fewer
// cascades, but a bigger empty wheel: a slot of a level takes 8 bytes.
func Slots(n int) Option {
	return func(c *config) {
		c.slots = option.PowerOfTwo("hwheellist",
			"Slots", n, minSlots, maxSlots)
	}
}

// Levels sets the number of levels: from 1 to what covers all ticks, which is
// the default (8 with 256 slots, 63 divided by the bits of a slot's number and
// rounded up in general). New panics otherwise. With fewer levels, a timer whose
// deadline is in another top-level span than the clock waits in the overflow
// list, which is gone through each time that the clock comes to a span with a timer of
// that list.
func Levels(n int) Option { return func(c *config) { c.levels = n } }

// Capacity reserves room for n timers, so that none of the first n allocates. It is
// no limit. New panics unless n is from 0 to 2^32-2. The default is 0.
func Capacity(n int) Option {
	return func(c *config) {
		c.capacity = option.Between("hwheellist",
			"Capacity", n, 0, slab.MaxCapacity)
	}
}

// Wheel is a hierarchical timer wheel with values of type T. Make it with New. It keeps
// the contract of structures.Scheduler, and is for one goroutine at a time.
type Wheel[T any] struct{ scheduler[T] }

type scheduler[T any] = batched.Scheduler[T, core, *core]

// New returns an empty wheel whose clock is at tick 0. It panics when an
// option is invalid.
func New[T any](opts ...Option) *Wheel[T] {
	c := option.Apply(config{slots: 256, levels: enough}, opts)
	if c.levels == enough {
		c.levels = allLevels(c.slots)
	}
	option.Between("hwheellist", "Levels", c.levels, 1, allLevels(c.slots))
	return &Wheel[T]{batched.New[T](newCore(c.slots, c.levels), c.capacity)}
}
