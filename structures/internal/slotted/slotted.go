// Package slotted makes a scheduler from a queue of slots. It issues the IDs, keeps the values and the clock, and applies the rule
// for past deadlines. A queue knows only slots and deadlines. Each method calls the queue once, through the dictionary of the type
// parameters. Structures so short that they lose by that call have methods of their own.
package slotted

import (
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/rules"
	"github.com/timerbench/timerbench/structures/internal/slab"
	"github.com/timerbench/timerbench/structures/internal/snapshot"
	"github.com/timerbench/timerbench/structures/shape"
)

// Queue is a pointer to a C: slots ordered by deadline, which is after the clock, or the last tick.
type Queue[C any] interface {
	*C
	Add(slot uint32, deadline structures.Tick)  // a slot that is not in the queue
	Remove(slot uint32)                         // a slot of the queue
	Next(clock structures.Tick) structures.Tick // the tick for Scheduler.Next; the queue is not empty
	Work() structures.Work                      // the counters of the work done so far

	// Pop removes a slot that is due at the clock, the earliest first, and returns it with its
	// deadline. If none is due, it returns slot 0 and a tick. No slot is due before that tick unless
	// one is added or moved, so Pop is not called again until then.
	Pop(clock structures.Tick) (slot uint32, at structures.Tick)

	// Walk adds each slot to the builder, with the deadline under which it is filed.
	snapshot.Walker
}

// Scheduler keeps the contract of structures.Scheduler on a queue. A method costs as much as the method of
// the queue, and a Pop costs O(1) until a timer may be due.
type Scheduler[T, C any, Q Queue[C]] struct {
	clock structures.Tick
	quiet structures.Tick // no timer is due before it
	table slab.Table[T]
	queue C
}

// New returns an empty scheduler on an empty queue, with room for capacity values.
func New[T, C any, Q Queue[C]](queue C, capacity int) Scheduler[T, C, Q] {
	return Scheduler[T, C, Q]{table: slab.New[T](capacity), queue: queue}
}

// Schedule adds a pending timer that comes due at deadline and returns its ID.
func (s *Scheduler[T, C, Q]) Schedule(deadline structures.Tick, value T) structures.ID {
	s.table.Reserve()
	slot, id := s.table.Take(value)
	deadline = rules.Clamp(s.clock, deadline)
	s.quiet = min(s.quiet, deadline)
	Q(&s.queue).Add(slot, deadline)
	return id
}

// Reschedule moves a pending timer to deadline. The queue removes its slot and adds it.
func (s *Scheduler[T, C, Q]) Reschedule(id structures.ID, deadline structures.Tick) bool {
	slot := s.table.Find(id)
	if slot == slab.None {
		return false
	}
	deadline = rules.Clamp(s.clock, deadline)
	s.quiet = min(s.quiet, deadline)
	q := Q(&s.queue)
	q.Remove(slot)
	q.Add(slot, deadline)
	return true
}

// Cancel removes a pending timer. It returns false when id is not pending.
func (s *Scheduler[T, C, Q]) Cancel(id structures.ID) bool {
	slot := s.table.Find(id)
	if slot == slab.None {
		return false
	}
	Q(&s.queue).Remove(slot)
	s.table.Free(slot)
	return true
}

// Pop moves the clock to now, and removes and returns the earliest timer if it is due.
func (s *Scheduler[T, C, Q]) Pop(now structures.Tick) (t structures.Timer[T], ok bool) {
	s.clock = max(s.clock, now)
	if s.clock < s.quiet {
		return t, false
	}
	slot, at := Q(&s.queue).Pop(s.clock)
	if slot == slab.None {
		s.quiet = at
		return t, false
	}
	t.ID, t.Deadline = s.table.ID(slot), at
	t.Value = s.table.Free(slot)
	return t, true
}

// Next returns the tick at which Pop must be called again. ok is false when nothing is pending.
func (s *Scheduler[T, C, Q]) Next() (at structures.Tick, ok bool) {
	if s.table.Len() == 0 {
		return 0, false
	}
	return Q(&s.queue).Next(s.clock), true
}

// Len returns the number of pending timers.
func (s *Scheduler[T, C, Q]) Len() int { return s.table.Len() }

// Work returns the counters of the work of the queue so far.
func (s *Scheduler[T, C, Q]) Work() structures.Work { return Q(&s.queue).Work() }

// CheckInvariants walks the structure and returns the first broken invariant. It costs O(n).
func (s *Scheduler[T, C, Q]) CheckInvariants() error { return s.table.Check(s.clock, Q(&s.queue)) }

// Clock returns the clock of a scheduler, for a queue that needs it to add a slot.
func Clock[T, C any, Q Queue[C]](s *Scheduler[T, C, Q]) *structures.Tick { return &s.clock }

// Parts returns the parts of a scheduler, for white-box tests.
func Parts[T, C any, Q Queue[C]](s *Scheduler[T, C, Q]) (table *slab.Table[T], queue *C) {
	return &s.table, &s.queue
}

// Snapshot returns the shape of the queue. It costs O(n), and is not for hot paths.
func (s *Scheduler[T, C, Q]) Snapshot() shape.Snapshot { return s.table.Snapshot(s.clock, Q(&s.queue)) }

// Mover is a Queue that has a faster way to move a slot than Remove and Add.
type Mover[C any] interface {
	Queue[C]

	// Move gives a slot of the queue another deadline.
	Move(slot uint32, deadline structures.Tick)
}

// Moving is a Scheduler on a Mover.
type Moving[T, C any, Q Mover[C]] struct{ Scheduler[T, C, Q] }

// NewMoving is New for a Mover.
func NewMoving[T, C any, Q Mover[C]](queue C, capacity int) Moving[T, C, Q] {
	return Moving[T, C, Q]{New[T, C, Q](queue, capacity)}
}

// Reschedule moves a pending timer to deadline.
func (s *Moving[T, C, Q]) Reschedule(id structures.ID, deadline structures.Tick) bool {
	slot := s.table.Find(id)
	if slot == slab.None {
		return false
	}
	deadline = rules.Clamp(s.clock, deadline)
	s.quiet = min(s.quiet, deadline)
	Q(&s.queue).Move(slot, deadline)
	return true
}
