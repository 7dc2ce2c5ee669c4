// Package calendar keeps timers in a calendar queue, one of the event lists of the network simulator
// [ns-3].
//
// Pedigree. Brown (1988). There is a bucket for each day of a year, which holds the timers of that day
// in order, those of every year. To find the next timer, the queue visits day after day. If nothing is
// due for a year, it compares the first timers of all buckets. It doubles or halves the number of
// buckets when the number of timers has doubled or halved, and samples the gaps between timers, so that
// a bucket holds few timers and few buckets are empty. Differences here:
//
//   - The length of a day is also corrected between resizes, when timers cost too much.
//   - A day is a power of two ticks, and somewhat shorter than a gap. Brown's is three times a gap. To
//     visit an empty bucket costs less than to read a full one.
//   - Each year begins at another bucket, so multiples of an interval do not share a bucket.
//   - The place in a bucket is searched from both ends, so a crowd of equal deadlines costs nothing to pass.
//
// Costs, for n timers: all operations O(1) on average, if the deadlines are spread evenly enough for a single length
// of day. A call that resizes costs O(n), some tens of milliseconds for a million timers. If dense and sparse times
// alternate, a timer may cost O(sqrt(n)), and against an adversary O(n). A wake-up on which nothing fires visits each
// day once. A timer takes 16 bytes, plus its value and ID, and 4 to 16 bytes of buckets.
//
// Work counts SlotsVisited, buckets that were read in search of the next timer; EmptySlots, the empty
// ones; Moved, timers that changed their bucket in a resize; and Comparisons of two deadlines.
//
// Ties. FIFO, by the last Schedule or Reschedule.
//
// Pick it for simulations: many timers that mostly fire, a clock that jumps from one to the next, and no harm in a
// long call. Pick rbtree if every call must be short, and hwheel if the clock ticks or most timers are cancelled.
//
// [ns-3]: https://github.com/nsnam/ns-3-dev-git/blob/6ef966c4cff65615f7ff43fd6c856b6a9374ecdf/src/core/model/calendar-scheduler.cc
package calendar

import (
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/rules"
	"github.com/timerbench/timerbench/structures/internal/slab"
	"github.com/timerbench/timerbench/structures/internal/slotted"
)

var _ structures.Scheduler[int] = (*Queue[int])(nil)

// Option sets a parameter of a Queue.
type Option func(*rules.Room)

// Capacity reserves room for n timers, from 0, the default, to 2^32-2. More timers grow the structure.
func Capacity(n int) Option { return rules.Capacity("calendar", n, slab.MaxCapacity) }

// Queue is a calendar queue of timers with values of type T. Make it with New.
type Queue[T any] struct{ scheduler[T] }

type scheduler[T any] = slotted.Scheduler[T, core, *core]

// New returns an empty queue at tick 0. It panics if an option is invalid.
func New[T any](opts ...Option) *Queue[T] {
	n := rules.Apply(rules.Room{}, opts).Capacity
	return &Queue[T]{slotted.New[T](newCore(n), n)}
}
