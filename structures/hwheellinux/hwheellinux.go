// Package hwheellinux is the timer wheel of Linux since 4.8: hierarchical, without
// cascades, and coarse.
//
// A timer goes to the level that its delay requires, into the list of its deadline,
// rounded up to the granularity of that level, and stays there until the list
// expires. So no timer is ever moved, and none fires early. It fires late by less than
// the granularity, which grows with the delay. That does no harm to most timers, which
// report that something has not happened in time.
//
// Pedigree. Thomas Gleixner's wheel, kernel/time/timer.c since Linux 4.8 (2016): 64
// lists a level, each level eight times as coarse as the one below, a bitmap of the
// lists in use. What is different here:
//
//   - Linux has 9 levels (8 at low tick rates) and cuts off longer delays, 12 days at
//     ticks of a millisecond. Here twelve more levels of the same kind take any delay.
//   - Linux starts timers at the next tick, so that even the lowest level adds one. Here
//     a tick is a point, and delays below 63 are exact.
//
// A timer is late by at most MaxLate(delay): 0 for delays below 63, then one tick less
// than the granularity of the level. The shortest delay of a level is 63/8 times its
// granularity, so that this is less than 8/63 = 12.7 % of the delay, the share that is
// published for Linux. The longest delays of a level are late by less than 1.6 %.
// An eighth of the delay and one tick is not a bound: it holds up to delays of 4,031
// ticks, but one of 4,032 may be late by 511, and an eighth of it is 504.
//
// A delay counts from the clock, which Pop moves. A driver that sleeps until Next
// should call Pop with the current tick before it schedules, or timers are rounded by
// more than their delay requires. Linux forwards its base clock for the same reason.
//
// Costs. Schedule, Reschedule and Cancel O(1). Pop O(1), O(levels in use) at each
// tick at which a list expires, and O(1) for each timer in it. Next O(1), or
// O(levels in use) after a list has become empty: the tick at which a list expires, or
// the deadline of a timer that has expired. 18 bytes a timer beside its value, 11 kB
// when empty.
//
// Work counts SlotsVisited: one for each list that expires, none of which is empty.
// Nothing is ever moved.
//
// Ties. Unspecified: timers of one deadline may expire at different ticks if they were
// scheduled at different times. Within a list they are FIFO.
//
// Pick it for timeouts, which are mostly cancelled and need no precision. Pick hwheel
// where timers must fire on their tick.
package hwheellinux

import (
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/option"
	"github.com/timerbench/timerbench/structures/internal/slab"
	"github.com/timerbench/timerbench/structures/internal/slotted"
)

var _ structures.Scheduler[int] = (*Wheel[int])(nil)

// An Option sets up a Wheel.
type Option func(*config)

type config struct{ capacity int }

// Capacity reserves room for n timers, so that none of the first n allocates. It is
// no limit. New panics unless n is from 0 to 2^32-2. The default is 0.
func Capacity(n int) Option {
	return func(c *config) { c.capacity = option.Between("hwheellinux", "Capacity", n, 0, slab.MaxCapacity) }
}

// Wheel is a coarse timer wheel of timers with values of type T. Make it with New. It keeps
// the contract of structures.Scheduler, and is for one goroutine at a time.
type Wheel[T any] struct{ scheduler[T] }

type scheduler[T any] = slotted.Scheduler[T, core, *core]

// New returns an empty wheel whose clock stands at tick 0. It panics when an option is
// invalid.
func New[T any](opts ...Option) *Wheel[T] {
	c := option.Apply(config{}, opts)
	return &Wheel[T]{slotted.New[T](newCore(c.capacity), c.capacity)}
}
