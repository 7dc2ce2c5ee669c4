// Package intrusive is the second contract, for timers that are fields of the caller's structs:
//
//	type conn struct {
//		idle hwheel.Timer[*conn]
//		...
//	}
//
// A [structures.Scheduler] returns an ID for each timer, and every operation looks the ID up: two cache misses, one
// after the other. A structure of a package below this one links the caller's own timers. It has no ID, no table and
// no copy of the value, so an operation starts with the timer itself, and scheduling allocates nothing.
//
// The price is care. The caller must not copy or overwrite a pending timer. A timer knows whether
// it is pending, but not what for: one that fired and was scheduled again looks like the first,
// where a stale ID would be refused. A pending timer keeps the struct around it alive, even if the
// caller forgets it: it fires, and only then may it be collected.
//
// All rules of structures.Scheduler hold except those about IDs: the clock, past deadlines, range, order, freedom
// between two calls of Pop, jumps, release and concurrency. A method panics, and changes nothing, when it is given
// nil, a timer that is pending in another structure, or a copy of a pending timer. go vet reports copies.
//
// Package hwheel is the fastest form. Package linkedwheel is the classical wheel, with FIFO ties. Package heap is the smallest
// form, and has a bound on every operation. [WithIDs] makes a structures.Scheduler of any of them.
package intrusive

import (
	"fmt"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/slab"
)

// Structure is the second contract, for timers of type N. The methods keep all rules of
// [structures.Scheduler] except those about IDs.
type Structure[N any] interface {
	// Schedule makes t pending, due at deadline. It moves t if t is pending.
	Schedule(t *N, deadline structures.Tick)

	// Reschedule moves t to deadline. It returns false, and changes nothing, if t is not pending.
	Reschedule(t *N, deadline structures.Tick) bool

	// Cancel removes t. It returns false if t is not pending.
	Cancel(t *N) bool

	// Pop moves the clock to now, and removes and returns one timer that is due, the earliest
	// first. It returns nil if none is due.
	Pop(now structures.Tick) *N

	// Next returns a tick before which no timer is due. ok is false if no timer is pending.
	Next() (at structures.Tick, ok bool)

	// Len returns the number of pending timers.
	Len() int
}

// Timer is a pointer to a timer of type N.
type Timer[N any] interface {
	*N
	Deadline() structures.Tick
}

// Item is the value of a timer that has an ID.
type Item[T any] struct {
	slot  uint32
	value T
}

// Scheduler issues IDs for the timers of a Structure. Make it with WithIDs. It holds the timers
// itself, and keeps one for each slot once it was used.
type Scheduler[T, N any, P Timer[N]] struct {
	structure Structure[N]
	item      func(P) *Item[T]
	table     slab.Table[struct{}]
	timers    []P // by slot
}

// WithIDs makes a structures.Scheduler of an empty structure. item returns the address of the value of a timer. It
// costs a lookup for each operation by ID, and a pointer, an allocated timer and 8 bytes for each ID.
func WithIDs[T, N any, P Timer[N]](s Structure[N], item func(P) *Item[T]) *Scheduler[T, N, P] {
	return &Scheduler[T, N, P]{structure: s, item: item, table: slab.New[struct{}](0), timers: make([]P, 1)}
}

// Schedule adds a pending timer and returns its ID.
func (s *Scheduler[T, N, P]) Schedule(deadline structures.Tick, value T) structures.ID {
	s.table.Reserve()
	slot, id := s.table.Take(struct{}{})
	if int(slot) == len(s.timers) {
		s.timers = append(s.timers, new(N))
	}
	t := s.timers[slot]
	*s.item(t) = Item[T]{slot, value}
	s.structure.Schedule(t, deadline)
	return id
}

// Reschedule moves a pending timer. It returns false if id is not pending.
func (s *Scheduler[T, N, P]) Reschedule(id structures.ID, deadline structures.Tick) bool {
	slot := s.table.Find(id)
	return slot != slab.None && s.structure.Reschedule(s.timers[slot], deadline)
}

// Cancel removes a pending timer. It returns false if id is not pending.
func (s *Scheduler[T, N, P]) Cancel(id structures.ID) bool {
	slot := s.table.Find(id)
	if slot == slab.None || !s.structure.Cancel(s.timers[slot]) {
		return false
	}
	s.free(slot)
	return true
}

// free makes the ID of a slot stale and drops the value.
func (s *Scheduler[T, N, P]) free(slot uint32) {
	*s.item(s.timers[slot]) = Item[T]{}
	s.table.Free(slot)
}

// Pop moves the clock to now, and removes and returns one timer that is due.
func (s *Scheduler[T, N, P]) Pop(now structures.Tick) (t structures.Timer[T], ok bool) {
	fired := P(s.structure.Pop(now))
	if fired == nil {
		return t, false
	}
	item := *s.item(fired)
	t = structures.Timer[T]{ID: s.table.ID(item.slot), Deadline: fired.Deadline(), Value: item.value}
	s.free(item.slot)
	return t, true
}

// Next returns what Next of the structure returns.
func (s *Scheduler[T, N, P]) Next() (at structures.Tick, ok bool) { return s.structure.Next() }

// Len returns the number of pending timers.
func (s *Scheduler[T, N, P]) Len() int { return s.structure.Len() }

// Work returns the counters of the structure.
func (s *Scheduler[T, N, P]) Work() structures.Work {
	return s.structure.(interface{ Work() structures.Work }).Work()
}

// CheckInvariants returns the first broken invariant of the structure or of the IDs.
func (s *Scheduler[T, N, P]) CheckInvariants() error {
	if err := s.table.CheckInvariants(); err != nil {
		return err
	}
	if ids, timers := s.table.Len(), s.structure.Len(); ids != timers {
		return fmt.Errorf("intrusive: %d IDs of %d timers", ids, timers)
	}
	return s.structure.(interface{ CheckInvariants() error }).CheckInvariants()
}
