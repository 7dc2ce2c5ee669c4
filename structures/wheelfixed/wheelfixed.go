// Package wheelfixed is a hierarchical timer wheel whose slots hold a fixed number of timers:
// coarse, without cascades and without links.
//
// A slot is an array. A timer goes to the level for its delay, into the slot of its deadline,
// rounded up; if that is full, into one of the next three. It stays there until the slot
// expires; to cancel it puts the last timer of its slot in its place. So no list is ever
// followed, and the memory of the wheel is known when it is made.
//
// Pedigree. The Rust library bitwheel (2025), made for event loops that set and cancel timeouts
// all the time: gears of 64 slots, a bitmap each, and a few probes. What is different here:
//
//   - Its gears are 64 times as coarse as the one below, so that a timer may be late by several
//     times its delay. Here they have 256 slots and are eight times as coarse, nearly as in
//     hwheellinux.
//   - Where no probe finds room, and for delays beyond the last level, a 4-ary heap takes the
//     timer and fires it on its tick. bitwheel refuses it, or has a B-tree.
//
// Lateness. At most MaxLate(delay): 3 ticks for delays below 252, then less than four times the
// ticks of a slot of its level, which is less than 8/63 (12.7 %) of the delay; a quarter of
// that where no slot is full. A delay counts from the clock, which Pop moves.
//
// Costs, for h timers in the heap. Schedule O(1), four slots looked at, or O(log h) if all are
// full; Cancel and Reschedule O(1), in the heap O(log h). Pop O(1), and O(levels in use) for
// each slot that expires; Next as Pop. 12 bytes a timer beside its value and its ID, in the
// heap up to 36 more; the wheel is 1 MiB.
//
// Work counts SlotsVisited, slots whose last timer fires and full slots that a timer was not
// put into; and Comparisons, those of the heap.
//
// Ties. Unspecified.
//
// Default. 128 timers a slot. With delays uniform over 60,000 ticks about 10,000 timers find
// room; more of them cost what quadheap costs and the probes.
//
// Pick it for up to 10^4 timeouts where memory must be known in advance: in hold it took 1.1 to
// 1.2 times as long as hwheellinux there, and half as long as hwheel (AMD EPYC). Where slots
// are full it is slower than quadheap.
package wheelfixed

import (
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/dary"
	"github.com/timerbench/timerbench/structures/internal/option"
	"github.com/timerbench/timerbench/structures/internal/slotted"
)

var _ structures.Scheduler[int] = (*Wheel[int])(nil)

// An Option sets up a Wheel.
type Option func(*config)

type config struct{ perSlot, capacity int }

// PerSlot sets how many timers a slot holds: from 1 to 65,536, by default 128. New panics
// otherwise. The wheel has 2048 slots, and takes 4 bytes for each timer that one may hold.
func PerSlot(n int) Option {
	return func(c *config) { c.perSlot = option.Between("wheelfixed", "PerSlot", n, 1, 1<<indexBits) }
}

// Capacity reserves room for n timers, so that none of the first n allocates, whether they
// find room in a slot or not. It is no limit. New panics unless n is from 0 to 2^32-4. The
// default is 0.
func Capacity(n int) Option {
	return func(c *config) { c.capacity = option.Between("wheelfixed", "Capacity", n, 0, dary.MaxLen) }
}

// Wheel is a coarse timer wheel with values of type T. Make it with New. It keeps the
// contract of structures.Scheduler, and is for one goroutine at a time.
type Wheel[T any] struct{ scheduler[T] }

type scheduler[T any] = slotted.Scheduler[T, core, *core]

// New returns an empty wheel at tick 0. It panics if an option is invalid.
func New[T any](opts ...Option) *Wheel[T] {
	c := option.Apply(config{perSlot: 128}, opts)
	w := &Wheel[T]{slotted.New[T](newCore(c.perSlot, c.capacity), c.capacity)}
	_, queue := slotted.Parts(&w.scheduler)
	queue.clock = slotted.Clock(&w.scheduler)
	return w
}
