// Package calendar keeps timers in a calendar queue, the event list of network
// simulators: ns-2's by default, and one of those that ns-3 offers.
//
// The queue is the one of Brown (1988). Time is divided into days, and days into years.
// There is a bucket for each day of the year, which holds the timers of that day in
// order, of this year as well as of later ones. The next timer is found by visiting one
// day after the other; if nothing is due for a whole year, by comparing the first timers
// of all buckets. There are about as many buckets as timers, and a day is about as long
// as two timers are apart, so that a bucket holds few timers and few buckets are empty.
// The queue sees to that itself: it doubles or halves the number of buckets when that of
// timers has, and samples their separations.
//
// What is different from Brown's:
//
//   - The length of a day is also corrected in between, when timers cost too much, as
//     they may become denser or sparser while their number stays.
//   - Days are a power of two ticks, and somewhat shorter than a separation where his
//     are three times as long: to visit an empty bucket costs less than to read a full
//     one.
//   - Each year begins at a bucket of its own, so that deadlines which are multiples of
//     an interval do not share a bucket.
//   - The place of a timer in a bucket is searched from both ends, so that a crowd of
//     timers of one deadline costs nothing to pass.
//   - Timers and buckets are in arrays, linked by 4-byte index, with nothing in them for
//     the garbage collector.
//
// Costs, for n pending timers: Schedule, Reschedule, Cancel, Pop and Next O(1) on
// average, if the deadlines are spread evenly enough for one length of day to
// suit those that come next; Next O(1) when called again, and Pop when nothing is
// due. A single call that resizes the calendar costs O(n), some tens of
// milliseconds for a million timers, and that is O(1) amortised. When deadlines
// are dense and sparse by turns, a timer may cost O(sqrt(n)), and in the worst
// case, which takes an adversary, Schedule costs O(n). A wake-up on which nothing
// fires visits each day once, as it comes. 16 bytes a timer beside the value and
// its ID, and 4 to 16 for buckets.
//
// Work counts
//
//   - SlotsVisited: one for each bucket looked at in search of the next timer;
//     EmptySlots: those of them that hold none.
//   - Moved: one for each timer that is put into another bucket as the calendar changes.
//   - Comparisons: one for each time that two deadlines are compared.
//
// Ties. FIFO. Of equal deadlines the one scheduled first fires first, and a
// rescheduled timer goes behind its equals.
//
// Pick it for simulations: many timers, most of which fire, at the earliest
// deadline and not a tick later, where the clock jumps from one to the next, and
// an occasional long call does no harm. Pick rbtree, which has FIFO ties as well, when
// each call must be short, and hwheel when the clock ticks, or when most timers are
// cancelled.
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

// Capacity reserves room for n timers, so that none of the first n allocates. It is
// no limit. New panics unless n is from 0 to 2^32-2. The default is 0.
func Capacity(n int) Option { return option.Capacity("calendar", n, slab.MaxCapacity) }

// Queue is a calendar queue of timers with values of type T. Make it with New. It keeps
// the contract of structures.Scheduler, and is for one goroutine at a time.
type Queue[T any] struct{ scheduler[T] }

type scheduler[T any] = slotted.Scheduler[T, core, *core]

// New returns an empty queue whose clock is at tick 0. It panics when an option is
// invalid.
func New[T any](opts ...Option) *Queue[T] {
	n := option.Apply(option.Room{}, opts).Capacity
	return &Queue[T]{slotted.New[T](newCore(n), n)}
}
