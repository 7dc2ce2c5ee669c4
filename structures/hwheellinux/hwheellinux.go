// Package hwheellinux is the timer wheel of Linux since 4.8: hierarchical, without cascades,
// and coarse.
//
// A timer goes to the level for its delay, into the list of its deadline, rounded up to the
// granularity of that level, and stays there until the list expires. So no timer is ever moved,
// and none fires early; it is late by less than the granularity, which grows with the delay.
// That does no harm to timeouts.
//
// Pedigree. Thomas Gleixner's wheel, kernel/time/timer.c since Linux 4.8 (2016): 64 lists a
// level, each eight times as coarse as the one below, a bitmap of the lists in use. What is
// different here:
//
//   - Linux has 9 levels and cuts off longer delays, 12 days at ticks of a millisecond. Here
//     twelve more levels take any delay.
//   - Linux starts timers at the next tick, so that even the lowest level adds one. Here delays
//     below 63 are exact.
//
// Lateness. At most MaxLate(delay): 0 for delays below 63, then one tick less than the
// granularity of the level. The shortest delay of a level is 63/8 times its granularity, so
// that this is less than 8/63 = 12.7 % of the delay, the share that is published for Linux; the
// longest are late by less than 1.6 %. A delay counts from the clock, which Pop moves: a driver
// that sleeps until Next should call Pop before it schedules, as Linux forwards its base clock.
//
// Costs. Schedule, Reschedule and Cancel O(1). Pop O(1), O(levels in use) at each tick at which
// a list expires, and O(1) for each timer in it. Next O(1), or O(levels in use) after a list
// has become empty: the tick at which a list expires, or the deadline of a timer that has. 18
// bytes a timer beside its value, 11 kB when empty.
//
// Work counts SlotsVisited: lists that expire.
//
// Ties. Unspecified; within a list they are FIFO.
//
// Pick it for timeouts, which are mostly cancelled and need no precision. Pick hwheel where
// timers must fire on their tick.
package hwheellinux

import (
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/clock"
	"github.com/timerbench/timerbench/structures/internal/option"
	"github.com/timerbench/timerbench/structures/internal/slab"
	"github.com/timerbench/timerbench/structures/internal/snapshot"
	"github.com/timerbench/timerbench/structures/shape"
)

var _ structures.Scheduler[int] = (*Wheel[int])(nil)

// An Option sets up a Wheel.
type Option func(*option.Room)

// Capacity reserves room for n timers, from 0, the default, to 2^32-2. It is no limit.
func Capacity(n int) Option { return option.Capacity("hwheellinux", n, slab.MaxCapacity) }

// Wheel is a coarse timer wheel with values of type T. Make it with New. It keeps
// the contract of structures.Scheduler, and is for one goroutine at a time.
//
// Its methods do what those of slotted.Scheduler do, which other structures share, save
// that each Pop moves the cursor of the wheel. With those a hold among 1000 timers, in
// which most calls of Pop return nothing, took 1.25 times as long.
type Wheel[T any] struct {
	clock clock.Clock
	table slab.Table[T]
	core  core
}

// New returns an empty wheel at tick 0. It panics if an option is invalid.
func New[T any](opts ...Option) *Wheel[T] {
	n := option.Apply(option.Room{}, opts).Capacity
	return &Wheel[T]{table: slab.New[T](n), core: newCore(n)}
}

// Schedule adds a pending timer that comes due at deadline and returns its ID. It costs
// O(1), amortised over growth.
func (w *Wheel[T]) Schedule(deadline structures.Tick, value T) structures.ID {
	w.table.Reserve()
	slot, id := w.table.Take(value)
	w.core.add(slot, w.clock.Clamp(deadline))
	return id
}

// Reschedule moves a pending timer to deadline and keeps its ID and its value. It
// returns false when id is not pending. It costs O(1).
func (w *Wheel[T]) Reschedule(id structures.ID, deadline structures.Tick) bool {
	slot := w.table.Find(id)
	if slot == slab.None {
		return false
	}
	w.core.remove(slot)
	w.core.add(slot, w.clock.Clamp(deadline))
	return true
}

// Cancel removes a pending timer. It returns false when id is not pending. It costs
// O(1).
func (w *Wheel[T]) Cancel(id structures.ID) bool {
	slot := w.table.Find(id)
	if slot == slab.None {
		return false
	}
	w.core.remove(slot)
	w.table.Free(slot)
	return true
}

// Pop moves the clock to now, unless it is there or past it, and removes and returns a
// timer that has expired: those of an earlier tick first, and FIFO among the timers of
// one list. Deadline is what was asked for. It costs O(1), and O(levels in use) for each
// tick at which a list expires.
func (w *Wheel[T]) Pop(now structures.Tick) (t structures.Timer[T], ok bool) {
	w.core.advance(w.clock.Advance(now))
	slot := w.core.nodes.PopFront(&w.core.due)
	if slot == slab.None {
		return t, false
	}
	t.ID, t.Deadline = w.table.ID(slot), w.core.nodes.Deadline(slot)
	t.Value = w.table.Free(slot)
	return t, true
}

// Next returns the tick at which a timer expires next, which is its deadline, rounded
// up; or the deadline of one that has expired. ok is false when nothing is pending. It
// costs O(1), or O(levels in use) after a list has become empty.
func (w *Wheel[T]) Next() (at structures.Tick, ok bool) {
	if w.table.Len() == 0 {
		return 0, false
	}
	return w.core.earliest(), true
}

// Len returns the number of pending timers.
func (w *Wheel[T]) Len() int { return w.table.Len() }

// Work returns the counters of the work done so far.
func (w *Wheel[T]) Work() structures.Work { return w.core.work }

// CheckInvariants walks the wheel and returns the first broken invariant. It costs
// O(lists + timers).
func (w *Wheel[T]) CheckInvariants() error {
	if err := w.table.CheckInvariants(); err != nil {
		return err
	}
	b := snapshot.Builder{Clock: w.clock.Now(), Entry: w.table.Entry, Holds: w.table.InUse}
	return b.Check(w.core.walk(&b), w.table.Len())
}

// Snapshot returns level 0, the other levels that hold a timer, and the due list. The
// span of a list is the deadlines that it takes, the last of which is when it expires.
// It costs O(n + lists), and is not for hot paths.
func (w *Wheel[T]) Snapshot() shape.Snapshot {
	b := snapshot.Builder{Clock: w.clock.Now(), Entry: w.table.Entry}
	_ = w.core.walk(&b) // CheckInvariants returns the error
	return shape.Snapshot{Parts: b.Parts}
}
