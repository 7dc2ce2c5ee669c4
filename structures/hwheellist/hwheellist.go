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
//
//   - Bitmaps lead to the next slot that is not empty, so a jump costs what the wheel holds.
//
//   - Levels overlap: a slot of many timers is emptied ahead of its start, a part at each tick.
//
// Costs. Schedule, Reschedule and Cancel O(1). Pop and Next O(1), plus at most 7 moves over the life of a timer. If the
// clock goes tick by tick, a call moves at most 2,048 timers of a level, or one of 3,840 if there are more than eight million.
// A clock that jumps pays for everything that it passes, and a slot for the timers it gets in its last ticks. Next names the earliest deadline if that is on level 0, otherwise
// the tick at which the first slot cascades. A timer takes 24 bytes, plus its value, and a level in use 48 KiB.
//
// Work counts SlotsVisited, slots of level 0 that fired, and slots that cascaded, once for each step; and Moved, the timers
// of such cascades.
//
// Ties. FIFO, by the last Schedule or Reschedule.
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
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/fifo"
	"github.com/timerbench/timerbench/structures/internal/rules"
)

var _ structures.Scheduler[int] = (*Wheel[int])(nil)

// Option sets a parameter of a Wheel.
type Option func(*rules.Room)

// Capacity reserves room for n timers of up to 2^24 ticks. The default is 0, and New panics if n is negative or more than
// 2^28. More timers grow the structure.
func Capacity(n int) Option { return rules.Capacity("hwheellist", n, fifo.MaxCapacity) }

// Wheel is a hierarchical timer wheel with values of type T. Make it with New.
type Wheel[T any] struct{ scheduler[T] }

type scheduler[T any] = fifo.Scheduler[T]

// New returns an empty wheel at tick 0. It panics if an option is invalid.
func New[T any](opts ...Option) *Wheel[T] {
	queue, n := newCore(), rules.Apply(rules.Room{}, opts).Capacity
	if n > 0 {
		queue.makeLevels(place(1<<24-1, 0))
	}
	return &Wheel[T]{fifo.NewScheduler[T](queue, &queue.nodes, n)}
}
