// Package calendar keeps timers in a calendar queue, the event list of network
// simulators: ns-2's by default, and one of those that ns-3 offers.
//
// The queue is the one of Brown (1988). It works like a desk calendar: time is
// divided into days, and there is a page for each day of the year, on which the
// timers of that day are noted in order, of this year as well as of later ones.
// The next timer is found by turning pages from today on; and if nothing is due
// for a whole year, by looking at all of them for what is noted first. There
// are about as many pages as timers, and a day is about as long as two timers are
// apart, so that a page holds few timers and few pages are empty: the queue sees
// to that itself, by doubling or halving the number of pages when that of timers
// has, and sampling their separations.
//
// It differs from Brown's in what is known to trouble it. The length of a day is
// corrected also in between, when timers turn out to cost too much, as events may
// become denser or sparser while their number stays. Days are a power of two
// ticks, and somewhat shorter than a separation where his are three times as
// long: turning an empty page costs less than reading a full one. Each year
// begins at a page of its own, so that deadlines which are multiples of something
// do not share a page. A place on a page is looked for from both ends, so that a
// crowd of timers of one deadline costs nothing to pass. And timers and pages lie
// in arrays, linked by 4-byte index, with nothing in them for the garbage
// collector.
//
// Costs, for n pending timers: Schedule, Reschedule, Cancel, Pop and Next O(1) on
// average, if the deadlines are spread evenly enough for one length of day to
// suit those that come next; Next O(1) when called again, and Pop when nothing is
// due. A single call that resizes the calendar costs O(n), some tens of
// milliseconds for a million timers, and that is O(1) amortised. When deadlines
// are dense and sparse by turns, a timer may cost O(sqrt(n)), and in the worst
// case, which takes an adversary, Schedule costs O(n). A wake-up on which nothing
// fires visits each day once, as it comes. 16 bytes a timer beside the value and
// its ID, and 4 to 16 for pages.
//
// Ties: FIFO. Of equal deadlines the one scheduled first fires first, and a
// rescheduled timer goes behind its equals.
//
// Pick it for simulations: many timers, most of which fire, at the earliest
// deadline and not a tick later, where the clock jumps from one to the next, and
// an occasional long call does no harm. When each call must be short pick rbtree,
// which has FIFO ties as well; when the clock ticks, or when most timers are
// cancelled, hwheel.
package calendar

import (
	"math"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/clock"
	"github.com/timerbench/timerbench/structures/internal/option"
	"github.com/timerbench/timerbench/structures/internal/slab"
)

var _ structures.Scheduler[int] = (*Queue[int])(nil)

// An Option sets up a Queue.
type Option func(*config)

type config struct{ capacity int }

// Capacity reserves room for n timers, so that none of the first n allocates; it
// is no limit. New panics unless 0 <= n <= 2^32-2. The default is 0.
func Capacity(n int) Option {
	return func(c *config) {
		option.Between("calendar", "Capacity", n, 0, slab.MaxCapacity)
		c.capacity = n
	}
}

// Queue is a calendar queue of timers with values of type T. Make it with New.
type Queue[T any] struct {
	clock clock.Clock
	table slab.Table[T]
	core  core
}

// New returns an empty queue whose clock stands at tick 0. It panics when an
// option is invalid.
func New[T any](opts ...Option) *Queue[T] {
	var c config
	for _, set := range opts {
		set(&c)
	}
	return &Queue[T]{table: slab.New[T](c.capacity), core: newCore(c.capacity)}
}

// Schedule adds a timer that comes due at tick deadline, or at the tick after
// the clock if that is later, and returns the ID that names it. O(1) on average,
// O(n) when it resizes the calendar.
func (q *Queue[T]) Schedule(deadline structures.Tick, value T) structures.ID {
	slot, id := q.table.Put(value)
	q.core.add(slot, q.clock.Clamp(deadline))
	return id
}

// Reschedule moves a pending timer to tick deadline, behind those already due
// then; it keeps its ID and value. It returns false, and touches nothing, when
// id is not pending. O(1) on average, O(n) when it resizes the calendar.
func (q *Queue[T]) Reschedule(id structures.ID, deadline structures.Tick) bool {
	slot := q.table.Find(id)
	if slot == slab.None {
		return false
	}
	q.core.move(slot, q.clock.Clamp(deadline))
	return true
}

// Cancel removes a pending timer. It returns false, and touches nothing, when
// id is not pending. O(1), O(n) when it resizes the calendar.
func (q *Queue[T]) Cancel(id structures.ID) bool {
	slot := q.table.Find(id)
	if slot == slab.None {
		return false
	}
	q.core.remove(slot)
	q.table.Free(slot)
	return true
}

// Pop moves the clock to tick now, unless it is there or past it, and removes
// and returns the earliest timer if it is due; of equal deadlines, the one that
// was given it first. O(1) on average, O(n) at worst, whatever the width of a
// jump.
func (q *Queue[T]) Pop(now structures.Tick) (t structures.Timer[T], ok bool) {
	now = q.clock.Advance(now)
	slot := q.core.find(now)
	if slot == slab.None || q.core.deadline(slot) > now {
		return t, false
	}
	t.ID, t.Deadline = q.table.ID(slot), q.core.deadline(slot)
	q.core.remove(slot)
	t.Value = q.table.Free(slot)
	return t, true
}

// Next returns the earliest deadline, in ticks; ok is false when nothing is
// pending. O(1) on average, O(n) at worst.
func (q *Queue[T]) Next() (at structures.Tick, ok bool) {
	slot := q.core.find(math.MaxInt64)
	if slot == slab.None {
		return 0, false
	}
	return q.core.deadline(slot), true
}

// Len returns the number of pending timers. O(1).
func (q *Queue[T]) Len() int { return q.table.Len() }

// Work returns how many days were visited in search of the next timer, how many
// of these had nothing on their page, how many times a timer was moved to another
// page as the calendar changed, and how many times two deadlines were compared.
func (q *Queue[T]) Work() structures.Work {
	w := q.core.work
	w.Comparisons = q.core.comparisons
	return w
}

// CheckInvariants walks the whole calendar and names the first broken invariant.
// O(n).
func (q *Queue[T]) CheckInvariants() error {
	if err := q.table.CheckInvariants(); err != nil {
		return err
	}
	return q.core.check(q.table.Len(), q.table.InUse)
}
