// Package hwheellist is a hierarchical, cascading timer wheel.
//
// A wheel of a few hundred slots of one tick each holds the timers due soon. One
// above it has slots as wide as the whole wheel below, and so on, each level as
// many times coarser as it has slots. When the clock reaches a slot of a higher
// level, its timers cascade: they are spread over the levels below. So a timer
// is scheduled and cancelled in O(1), whatever its delay, and handled at most
// once a level before it fires, on its tick exactly.
//
// Pedigree. The hierarchy is scheme 7 of Varghese and Lauck, "Hashed and
// Hierarchical Timing Wheels" (SOSP 1987). Linux had one before 4.8, with 256
// slots on the lowest level and 64 on the four others; Kafka and tokio have one.
// As in tokio, the level of a timer is the highest digit in which its deadline
// differs from the tick up to which the wheel was served. What is different here:
// the levels cover every int64, so there is no longest delay and nothing is
// rounded; bitmaps lead straight to the next slot that holds anything, so that no
// empty slot is ever visited and a jump costs what the wheel holds; and a timer is
// 16 bytes in an array beside its value, with no pointer among them.
//
// Costs. Schedule, Reschedule and Cancel O(1); Pop O(1), plus the cascades, which
// are at most (levels - 1) a timer over its life; Next as Pop. A Pop that cascades
// a slot does it as a whole: a bunch of timers far away is one long Pop when its
// slot is reached. A cancelled timer
// leaves its list when 64 have gathered, or with the next Pop or Next, if sooner;
// its value is let go at once.
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
// Pick package hwheel, which is several times as fast, where that does not matter,
// package wheel where delays fit a revolution, as it never moves a timer then, and
// a heap where timers are few or where a driver without ticks must not be woken up
// between two of them: Next may name a tick at which a slot cascades and nothing
// fires.
package hwheellist

import (
	"math"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/clock"
	"github.com/timerbench/timerbench/structures/internal/fifo"
	"github.com/timerbench/timerbench/structures/internal/option"
	"github.com/timerbench/timerbench/structures/internal/slab"
)

// The bounds of the options.
const (
	minSlots = 2
	maxSlots = 4096
)

type config struct {
	slots, capacity int
	levels          int // or enough
}

// enough stands for as many levels as cover all ticks.
const enough = math.MinInt

// Option sets one of the parameters of a Wheel.
type Option func(*config)

// Slots sets how many slots a level has: a power of two from 2 to 4096, by
// default 256. New panics otherwise. More slots make fewer levels and so fewer
// cascades, but a bigger empty wheel: a slot of a level takes 8 bytes.
func Slots(n int) Option { return func(c *config) { c.slots = n } }

// Levels sets the number of levels: from 1 to what covers all ticks, which is
// the default (8 with 256 slots, 63 divided by the bits of a slot's number and
// rounded up in general). New panics otherwise. With fewer levels, a timer whose
// deadline is in another top-level span than the cursor waits in the overflow
// list, all of which is gone through each time that the wheel comes to a span
// with a timer of that list.
func Levels(n int) Option { return func(c *config) { c.levels = n } }

// Capacity reserves room for n timers, n at least 0, by default 0. New panics
// otherwise. A wheel grows beyond it as needed.
func Capacity(n int) Option { return func(c *config) { c.capacity = n } }

// Wheel is a hierarchical timer wheel. Make it with New. It keeps the contract
// of structures.Scheduler, and is for one goroutine at a time.
type Wheel[T any] struct {
	clock clock.Clock
	table slab.Table[T]
	core  core

	arrivals  fifo.Arrivals // slots in use, not yet in the core
	cancelled fifo.Deferred // slots withheld from the table, still in the core
}

var _ structures.Scheduler[int] = (*Wheel[int])(nil)

// New returns an empty wheel whose clock stands at tick 0. It panics when an
// option is invalid.
func New[T any](opts ...Option) *Wheel[T] {
	c := config{slots: 256, levels: enough}
	for _, opt := range opts {
		opt(&c)
	}
	option.PowerOfTwo("hwheellist", "Slots", c.slots, minSlots, maxSlots)
	if c.levels == enough {
		c.levels = allLevels(c.slots)
	}
	option.Between("hwheellist", "Levels", c.levels, 1, allLevels(c.slots))
	option.Between("hwheellist", "Capacity", c.capacity, 0, slab.MaxCapacity)
	return &Wheel[T]{
		table: slab.New[T](c.capacity),
		core:  newCore(c.slots, c.levels, c.capacity),

		arrivals: fifo.NewArrivals(c.capacity),
	}
}

// Schedule adds a pending timer that comes due at deadline, in ticks, and
// returns its ID. A deadline at or before the clock counts as the tick after
// it. It costs O(1), amortised over growth and over batches of 64
// that are linked together.
func (w *Wheel[T]) Schedule(deadline structures.Tick, value T) structures.ID {
	slot, id := w.table.Put(value)
	w.arrive(slot, deadline)
	return id
}

// Reschedule moves a pending timer to deadline, behind all timers of that
// deadline; it keeps its ID and its value. It returns false, and touches
// nothing, when id is not pending. It costs O(1).
func (w *Wheel[T]) Reschedule(id structures.ID, deadline structures.Tick) bool {
	slot := w.table.Find(id)
	if slot == slab.None {
		return false
	}
	if !w.arrivals.Remove(&w.core.lists, slot) {
		w.core.remove(slot)
	}
	w.arrive(slot, deadline)
	return true
}

// Cancel removes a pending timer. It returns false, and touches nothing, when
// id is not pending. It costs O(1), amortised: every 64th call unlinks a batch.
func (w *Wheel[T]) Cancel(id structures.ID) bool {
	slot := w.table.Find(id)
	if slot == slab.None {
		return false
	}
	if w.arrivals.Remove(&w.core.lists, slot) {
		w.table.Free(slot)
		return true
	}
	w.table.Withhold(slot)
	if w.cancelled.Add(slot) {
		w.unlink()
	}
	return true
}

// arrive takes a timer in that is in no list.
func (w *Wheel[T]) arrive(slot uint32, deadline structures.Tick) {
	w.core.lists.SetDeadline(slot, w.clock.Clamp(deadline))
	if w.arrivals.Add(&w.core.lists, slot) {
		w.core.link(w.arrivals.Take())
	}
}

// settle catches up with the timers that have come and gone since the last time.
func (w *Wheel[T]) settle() {
	if w.cancelled.Len() > 0 {
		w.unlink()
	}
	if w.arrivals.Len() > 0 {
		w.core.link(w.arrivals.Take())
	}
}

// unlink takes the cancelled timers out of their lists.
func (w *Wheel[T]) unlink() {
	slots := w.cancelled.Take(&w.core.lists)
	for _, slot := range slots {
		w.core.remove(slot)
	}
	w.table.Release(slots)
}

// Pop moves the clock to now, unless it is there or past it, and removes and
// returns one timer that is due: the earliest first, and FIFO among timers of
// one deadline. It costs O(1) when nothing is due and nothing cascades. Over its
// life a timer is cascaded at most once per level, so that a timer costs
// O(levels) in all, whatever the width of a jump; the single Pop that cascades a
// slot costs O(timers in it).
func (w *Wheel[T]) Pop(now structures.Tick) (t structures.Timer[T], ok bool) {
	w.settle()
	slot := w.core.pop(w.clock.Advance(now))
	if slot == slab.None {
		return t, false
	}
	t.ID = w.table.ID(slot)
	t.Deadline = w.core.lists.Deadline(slot)
	t.Value = w.table.Free(slot)
	return t, true
}

// Next returns the tick at which Pop has something to do: to fire a timer, when
// the earliest ones are on level 0, or else to cascade the first slot that holds
// any. No timer is due before it, and it is after the clock unless a timer is
// due now. ok is false when no timer is pending. It costs O(1), or what a Pop at
// the clock would cost that has slots to cascade, and then leaves Pop without.
func (w *Wheel[T]) Next() (at structures.Tick, ok bool) {
	if w.table.Len() == 0 {
		return 0, false
	}
	w.settle()
	return w.core.due(w.clock.Now()), true
}

// Len returns the number of pending timers.
func (w *Wheel[T]) Len() int { return w.table.Len() }

// CheckInvariants walks the whole wheel and names the first broken invariant.
// It costs O(slots/64 + timers).
func (w *Wheel[T]) CheckInvariants() error {
	if err := w.table.CheckInvariants(); err != nil {
		return err
	}
	return w.core.check(w.clock.Now(), w.table.Len()+w.cancelled.Len()-w.arrivals.Count(), func(slot uint32) bool {
		return w.table.InUse(slot) || w.cancelled.Holds(slot)
	})
}

// Work returns the counters of the work done so far, by Pop and by Next:
//
//   - SlotsVisited: one for each slot of level 0 that the cursor stopped at to
//     fire a timer, one for each cascade of a slot of a higher level, and one for
//     each time that the overflow list was gone through.
//   - EmptySlots: none, as the bitmaps lead to occupied slots only.
//   - Moved: one for each timer of a slot that is cascaded, and for each timer
//     of the overflow list each time that it is gone through.
//   - Comparisons: none, as the slots keep the order.
func (w *Wheel[T]) Work() structures.Work { return w.core.work }
