// Package batched makes a scheduler from a wheel of lists, for packages wheel and hwheellist. It issues the IDs, and
// keeps the values and the clock. It collects the timers that were scheduled or cancelled, and the wheel links and
// unlinks them in batches. Among many timers, each link is a cache miss or two, and the misses of a batch overlap.
package batched

import (
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/clock"
	"github.com/timerbench/timerbench/structures/internal/fifo"
	"github.com/timerbench/timerbench/structures/internal/slab"
	"github.com/timerbench/timerbench/structures/internal/snapshot"
	"github.com/timerbench/timerbench/structures/shape"
)

// Wheel is a pointer to a C: slots ordered by deadline, in lists. The nodes belong to the scheduler.
type Wheel[C any] interface {
	*C

	// Link adds slots that are in no list; 0 is none. Their deadlines are after the clock, or the
	// last tick. A slot that is kept elsewhere must be detached.
	Link(nodes *fifo.Lists, slots []uint32)

	// Unlink removes a slot from its list.
	Unlink(nodes *fifo.Lists, slot uint32)

	// Pop removes a slot that is due at the clock, the earliest first, and returns it, or 0.
	Pop(nodes *fifo.Lists, clock structures.Tick) uint32

	// Next returns the tick for Scheduler.Next. The wheel is not empty.
	Next(nodes *fifo.Lists, clock structures.Tick) structures.Tick

	// Work returns the counters of the work done so far.
	Work() structures.Work

	// Walk adds each slot to the builder, and returns the first broken invariant that the builder does not check.
	Walk(nodes *fifo.Lists, b *snapshot.Builder) error
}

// Scheduler keeps the contract of structures.Scheduler on a wheel. Schedule, Reschedule and Cancel cost O(1),
// amortized over batches of 64. Pop and Next link and unlink the collected timers.
type Scheduler[T, C any, W Wheel[C]] struct {
	clock    clock.Clock
	table    slab.Table[T]
	nodes    fifo.Lists
	arrivals fifo.Arrivals // slots in use that are in no list yet
	removals fifo.Removals // slots withheld from the table that are still in a list
	wheel    C
}

// New returns an empty scheduler on an empty wheel, with room for capacity timers.
func New[T, C any, W Wheel[C]](wheel C, capacity int) Scheduler[T, C, W] {
	return Scheduler[T, C, W]{
		table:    slab.New[T](capacity),
		nodes:    fifo.New(capacity),
		arrivals: fifo.NewArrivals(capacity),
		wheel:    wheel,
	}
}

// Schedule adds a pending timer that comes due at deadline and returns its ID.
func (s *Scheduler[T, C, W]) Schedule(deadline structures.Tick, value T) structures.ID {
	s.table.Reserve()
	slot, id := s.table.Take(value)
	s.nodes.SetDeadline(slot, s.clock.Clamp(deadline))
	if s.arrivals.Add(&s.nodes, slot) {
		s.linkArrivals()
	}
	return id
}

// Reschedule moves a pending timer to deadline, after all timers with that deadline.
func (s *Scheduler[T, C, W]) Reschedule(id structures.ID, deadline structures.Tick) bool {
	slot := s.table.Find(id)
	if slot == slab.None {
		return false
	}
	if !s.arrivals.Remove(&s.nodes, slot) {
		W(&s.wheel).Unlink(&s.nodes, slot)
	}
	s.nodes.SetDeadline(slot, s.clock.Clamp(deadline))
	if s.arrivals.Add(&s.nodes, slot) {
		s.linkArrivals()
	}
	return true
}

// Cancel removes a pending timer. It returns false when id is not pending.
func (s *Scheduler[T, C, W]) Cancel(id structures.ID) bool {
	slot := s.table.Find(id)
	if slot == slab.None {
		return false
	}
	if s.arrivals.Remove(&s.nodes, slot) {
		s.table.Free(slot)
		return true
	}
	s.table.Withhold(slot)
	if s.removals.Add(slot) {
		s.unlinkRemovals()
	}
	return true
}

func (s *Scheduler[T, C, W]) flush() {
	if s.removals.Len() > 0 {
		s.unlinkRemovals()
	}
	if s.arrivals.Len() > 0 {
		s.linkArrivals()
	}
}

func (s *Scheduler[T, C, W]) linkArrivals() { W(&s.wheel).Link(&s.nodes, s.arrivals.Take()) }

func (s *Scheduler[T, C, W]) unlinkRemovals() {
	slots := s.removals.Take(&s.nodes)
	for _, slot := range slots {
		W(&s.wheel).Unlink(&s.nodes, slot)
	}
	s.table.Release(slots)
}

// Pop moves the clock to now, and removes and returns the earliest timer if it is due.
func (s *Scheduler[T, C, W]) Pop(now structures.Tick) (t structures.Timer[T], ok bool) {
	s.flush()
	slot := W(&s.wheel).Pop(&s.nodes, s.clock.Advance(now))
	if slot == slab.None {
		return t, false
	}
	t.ID, t.Deadline = s.table.ID(slot), s.nodes.Deadline(slot)
	t.Value = s.table.Free(slot)
	return t, true
}

// Next returns the tick at which Pop must be called again. ok is false when nothing is pending.
func (s *Scheduler[T, C, W]) Next() (at structures.Tick, ok bool) {
	if s.table.Len() == 0 {
		return 0, false
	}
	s.flush()
	return W(&s.wheel).Next(&s.nodes, s.clock.Now()), true
}

// Len returns the number of pending timers.
func (s *Scheduler[T, C, W]) Len() int { return s.table.Len() }

// Work returns the counters of the work of the wheel so far.
func (s *Scheduler[T, C, W]) Work() structures.Work { return W(&s.wheel).Work() }

// CheckInvariants returns the first broken invariant. It costs O(slots of the wheel/64 + timers).
func (s *Scheduler[T, C, W]) CheckInvariants() error {
	if err := s.table.CheckInvariants(); err != nil {
		return err
	}
	b := snapshot.Builder{Clock: s.clock.Now(), Entry: s.table.Entry, Holds: func(slot uint32) bool {
		return s.table.InUse(slot) || s.removals.Holds(slot)
	}}
	linked := s.table.Len() + s.removals.Len() - s.arrivals.Count()
	return b.Check(W(&s.wheel).Walk(&s.nodes, &b), linked)
}

// Parts returns the parts of a scheduler, for white-box tests. Next makes sure that all timers
// have reached the wheel.
func Parts[T, C any, W Wheel[C]](s *Scheduler[T, C, W]) (table *slab.Table[T], nodes *fifo.Lists, wheel *C) {
	return &s.table, &s.nodes, &s.wheel
}

// Snapshot returns the shape of the wheel, and the timers not linked yet. The entry of a
// cancelled timer that is still linked is stale. It costs O(n + slots).
func (s *Scheduler[T, C, W]) Snapshot() shape.Snapshot {
	b := snapshot.Builder{Clock: s.clock.Now(), Entry: s.table.Entry}
	_ = W(&s.wheel).Walk(&s.nodes, &b) // CheckInvariants returns the error
	b.List("new timers, linked in batches", s.arrivals.All(&s.nodes))
	return shape.Snapshot{Parts: b.Parts}
}
