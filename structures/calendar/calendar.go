// Package calendar keeps timers in a calendar queue, the event list of network simulators:
// ns-2's by default, and one of ns-3's.
//
// Pedigree. Brown (1988). There is a bucket for each day of a year, which holds the timers of
// that day in order, of every year. The next timer is found by visiting day after day; if
// nothing is due for a year, by comparing the first timers of all buckets. The queue doubles or
// halves the number of buckets when that of timers has, and samples their separations, so that
// a bucket holds few timers and few are empty. What is different here:
//
//   - The length of a day is also corrected in between, when timers cost too much.
//   - Days are a power of two ticks, and somewhat shorter than a separation where his are three
//     times as long: to visit an empty bucket costs less than to read a full one.
//   - Each year begins at a bucket of its own, so that multiples of an interval do not share a
//     bucket.
//   - The place in a bucket is searched from both ends: a crowd of one deadline costs nothing
//     to pass.
//
// Costs, for n timers: all O(1) on average if the deadlines are spread evenly enough for one
// length of day. A call that resizes costs O(n), some tens of milliseconds for a million
// timers. When deadlines are dense and sparse by turns a timer may cost O(sqrt(n)), against an
// adversary O(n). A wake-up on which nothing fires visits each day once. 16 bytes a timer
// beside the value and its ID, and 4 to 16 for buckets.
//
// Work counts SlotsVisited, buckets looked at in search of the next timer, and EmptySlots among
// them; Moved, timers put into another bucket as the calendar changes; and Comparisons of two
// deadlines.
//
// Ties. FIFO, by the last Schedule or Reschedule.
//
// Pick it for simulations: many timers, most of which fire, where the clock jumps from one to
// the next and a long call does no harm. Pick rbtree when each call must be short, hwheel when
// the clock ticks or most timers are cancelled.
package calendar

import (
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/option"
	"github.com/timerbench/timerbench/structures/internal/slab"
	"github.com/timerbench/timerbench/structures/internal/slotted"
)

var _ structures.Scheduler[int] = (*Queue[int])(nil)

// An Option sets up a Queue.
type Option func(*option.Room)

// Capacity reserves room for n timers, from 0, the default, to 2^32-2. It is no limit.
func Capacity(n int) Option { return option.Capacity("calendar", n, slab.MaxCapacity) }

// Queue is a calendar queue of timers with values of type T. Make it with New.
type Queue[T any] struct{ scheduler[T] }

type scheduler[T any] = slotted.Scheduler[T, core, *core]

// New returns an empty queue at tick 0. It panics if an option is invalid.
func New[T any](opts ...Option) *Queue[T] {
	n := option.Apply(option.Room{}, opts).Capacity
	return &Queue[T]{slotted.New[T](newCore(n), n)}
}
