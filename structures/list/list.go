// Package list keeps timers in an unsorted list and scans it for the earliest: what a program
// does that has a few timers and no library, and Python's schedule, which takes min() over its
// jobs.
//
// It answers how many timers it takes until another structure pays, so it is as fast as a list
// can be:
//
//   - Deadlines are an array of their own, eight to a cache line, and a scan reads nothing
//     else.
//   - The last entry takes the place of one that is removed, and places are known: Cancel does
//     not search.
//   - The earliest entry is remembered: a scan is needed only after it was fired, cancelled or
//     moved to later.
//
// Costs, for n timers: Schedule, Cancel and Reschedule O(1); Pop and Next O(n) with n-1
// comparisons when they scan, otherwise O(1). 16 bytes a timer beside the value and its ID.
//
// Work counts Comparisons of two deadlines, nearly all of them in scans.
//
// Ties. Unspecified, but the same for the same calls.
//
// Pick it for a few dozen timers, or for timers nearly all of which are cancelled or moved to
// later. Measured against quadheap, a hold took as long with 4 to 32 timers, 1.7 times as long
// with 64 and 7 times with 1000; a churn half as long with any number.
package list

import (
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/clock"
	"github.com/timerbench/timerbench/structures/internal/option"
	"github.com/timerbench/timerbench/structures/internal/slab"
	"github.com/timerbench/timerbench/structures/internal/snapshot"
	"github.com/timerbench/timerbench/structures/shape"
)

var _ structures.Scheduler[int] = (*List[int])(nil)

// An Option sets up a List.
type Option func(*option.Room)

// Capacity reserves room for n timers, from 0, the default, to 2^32-2. It is no limit.
func Capacity(n int) Option { return option.Capacity("list", n, slab.MaxCapacity) }

// List is an unsorted list of timers with values of type T. Make it with New.
//
// Its methods do what those of slotted.Scheduler do, which other structures share. Here
// they are so short that to call the queue through a dictionary made reschedule among 100
// timers 1.25 times as long, and start-stop 1.07 times.
type List[T any] struct {
	clock clock.Clock
	table slab.Table[T]
	core  core
}

// New returns an empty list at tick 0. It panics if an option is invalid.
func New[T any](opts ...Option) *List[T] {
	n := option.Apply(option.Room{}, opts).Capacity
	return &List[T]{table: slab.New[T](n), core: newCore(n)}
}

// Schedule adds a pending timer that comes due at deadline and returns its ID. It costs
// O(1), amortised over growth.
func (l *List[T]) Schedule(deadline structures.Tick, value T) structures.ID {
	l.table.Reserve()
	slot, id := l.table.Take(value)
	l.core.add(slot, l.clock.Clamp(deadline))
	return id
}

// Reschedule moves a pending timer to deadline and keeps its ID and its value. It
// returns false when id is not pending. It costs O(1).
func (l *List[T]) Reschedule(id structures.ID, deadline structures.Tick) bool {
	slot := l.table.Find(id)
	if slot == slab.None {
		return false
	}
	l.core.move(slot, l.clock.Clamp(deadline))
	return true
}

// Cancel removes a pending timer. It returns false when id is not pending. It costs
// O(1).
func (l *List[T]) Cancel(id structures.ID) bool {
	slot := l.table.Find(id)
	if slot == slab.None {
		return false
	}
	l.core.remove(slot)
	l.table.Free(slot)
	return true
}

// Pop moves the clock to now, unless it is there or past it, and removes and returns the
// earliest timer, if that is due. It costs O(n) when it has to scan, otherwise O(1).
func (l *List[T]) Pop(now structures.Tick) (t structures.Timer[T], ok bool) {
	now = l.clock.Advance(now)
	if l.core.len() == 0 {
		return t, false
	}
	slot, deadline := l.core.first()
	if deadline > now {
		return t, false
	}
	t.ID, t.Deadline = l.table.ID(slot), deadline
	l.core.remove(slot)
	t.Value = l.table.Free(slot)
	return t, true
}

// Next returns the earliest deadline. ok is false when nothing is pending. It costs as
// much as Pop.
func (l *List[T]) Next() (at structures.Tick, ok bool) {
	if l.core.len() == 0 {
		return 0, false
	}
	_, at = l.core.first()
	return at, true
}

// Len returns the number of pending timers.
func (l *List[T]) Len() int { return l.core.len() }

// Work returns the counters of the work done so far.
func (l *List[T]) Work() structures.Work {
	return structures.Work{Comparisons: l.core.comparisons}
}

// CheckInvariants walks the list and returns the first broken invariant. It costs O(n).
func (l *List[T]) CheckInvariants() error {
	if err := l.table.CheckInvariants(); err != nil {
		return err
	}
	b := snapshot.Builder{Entry: l.table.Entry, Holds: l.table.InUse}
	return b.Check(l.core.walk(&b), l.table.Len())
}

// Snapshot returns the list, in the order of the array. It costs O(n), and is not for
// hot paths.
func (l *List[T]) Snapshot() shape.Snapshot {
	b := snapshot.Builder{Entry: l.table.Entry}
	_ = l.core.walk(&b) // CheckInvariants returns the error
	return shape.Snapshot{Parts: b.Parts}
}
