// Package hwheellist is a hierarchical, cascading timer wheel with FIFO ties.
//
// The lowest level has a slot for each of the next ticks. Each level above has slots as wide as the whole level
// below. When the clock reaches a slot of a higher level, its timers cascade to the levels below. So a timer is
// scheduled and cancelled in O(1) for any delay, moves at most once a level, and fires exactly at its tick.
//
// Pedigree. Scheme 7 of Varghese and Lauck, "Hashed and Hierarchical Timing Wheels" (SOSP 1987), as in
// [Linux] before 4.8, [Kafka] and [tokio]. As in tokio, the level of a timer is the highest digit in which
// its deadline differs from the tick up to which all timers have fired. Differences here:
//
//   - The levels cover every int64: there is no longest delay, and nothing is rounded.
//   - Bitmaps lead to the next slot that is not empty, so a jump costs what the wheel holds.
//
// Costs. Schedule, Reschedule and Cancel O(1). Pop and Next O(1), plus at
// most (levels - 1) moves over the life of a timer. A call that cascades a slot moves all of its
// timers. Next names the earliest deadline if that is on level 0, otherwise the tick at which the first
// slot cascades. A timer takes 24 bytes, plus its value.
//
// Work counts SlotsVisited, slots of level 0 that fired, slots that cascaded, and passes through the
// overflow list (see Levels); and Moved, the timers of such cascades and passes.
//
// Ties. FIFO, by the last Schedule or Reschedule.
//
// Default. 256 slots and 8 levels, 16 KiB when empty. In hold with a million timers of up to 60,000
// ticks, 64 slots and 11 levels took at least a third longer (2.0 moves a timer instead of 1.0), and
// 1024 slots and 7 levels saved nothing.
//
// Pick it if timers with equal deadlines must fire in order, whatever their delays. Otherwise hwheel is
// faster. If all delays fit one revolution, wheel never moves a timer. A heap does not
// wake a tickless driver to cascade.
//
// [Linux]: https://github.com/torvalds/linux/blob/v4.7/kernel/time/timer.c
// [Kafka]: https://github.com/apache/kafka/blob/5977d1fc3ad1761c0bef6cecc0e5ea8284c3481a/server-common/src/main/java/org/apache/kafka/server/util/timer/TimingWheel.java
// [tokio]: https://github.com/tokio-rs/tokio/blob/4efe517d3e911f3e6e3682b5794cdc18052d53c3/tokio/src/runtime/time/wheel/mod.rs
package hwheellist

import (
	"math"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/fifo"
	"github.com/timerbench/timerbench/structures/internal/option"
)

var _ structures.Scheduler[int] = (*Wheel[int])(nil)

// The bounds of the options.
const (
	minSlots = 2
	maxSlots = 4096
)

// Option sets a parameter of a Wheel.
type Option func(*config)

type config struct{ slots, levels, capacity int }

// enough stands for as many levels as cover all ticks.
const enough = math.MinInt

// Slots sets the number of slots of a level: a power of two from 2 to 4096, by default 256. More slots
// make fewer levels and cascades. A slot takes 8 bytes.
func Slots(n int) Option {
	return func(c *config) { c.slots = option.PowerOfTwo("hwheellist", "Slots", n, minSlots, maxSlots) }
}

// Levels sets the number of levels, at least 1. The default and the maximum is the number that covers all ticks: 8
// with 256 slots. With fewer levels, a timer outside the clock's span of the top level waits in the overflow list.
// The wheel passes through that list when the clock enters a span with one of its timers.
func Levels(n int) Option { return func(c *config) { c.levels = n } }

// Capacity reserves room for n timers, from 0, the default, to 2^28. More timers grow the structure.
func Capacity(n int) Option {
	return func(c *config) { c.capacity = option.Between("hwheellist", "Capacity", n, 0, fifo.MaxCapacity) }
}

// Wheel is a hierarchical timer wheel with values of type T. Make it with New.
type Wheel[T any] struct{ scheduler[T] }

type scheduler[T any] = fifo.Scheduler[T]

// New returns an empty wheel at tick 0. It panics if an option is invalid.
func New[T any](opts ...Option) *Wheel[T] {
	c := option.Apply(config{slots: 256, levels: enough}, opts)
	if c.levels == enough {
		c.levels = allLevels(c.slots)
	}
	option.Between("hwheellist", "Levels", c.levels, 1, allLevels(c.slots))
	queue := newCore(c.slots, c.levels)
	return &Wheel[T]{fifo.NewScheduler[T](queue, &queue.nodes, c.capacity)}
}
