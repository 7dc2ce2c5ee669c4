// Package bucketed makes a scheduler of timers from a scheduler of buckets: all
// timers of one tick are in one bucket, only buckets that hold any exist, and what
// orders the buckets is a structure of its own.
package bucketed

import (
	"fmt"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/clock"
	"github.com/timerbench/timerbench/structures/internal/fifo"
	"github.com/timerbench/timerbench/structures/internal/slab"
	"github.com/timerbench/timerbench/structures/internal/tickmap"
)

// Order is what orders the buckets, by number.
type Order interface {
	structures.Scheduler[uint32]
	Work() structures.Work
	CheckInvariants() error
}

// Scheduler keeps the contract of structures.Scheduler. Where a bucket is there,
// each method costs O(1) expected; where one has to come or to go, also what the
// order takes for it. Timers of one deadline fire in the order in which they were
// last scheduled or rescheduled (FIFO).
type Scheduler[T any] struct {
	clock   clock.Clock
	table   slab.Table[T]
	lists   fifo.Lists
	in      []uint32 // by slot of a timer: its bucket
	buckets []bucket
	free    []uint32 // buckets that hold none
	byTick  tickmap.Map
	order   Order
	due     uint32 // bucket being served, which has left the order; 0: none
	served  uint64
}

// bucket holds the timers of one tick.
type bucket struct {
	tick structures.Tick
	list fifo.List
	id   structures.ID // in the order
}

// New returns an empty scheduler whose buckets are ordered by order, which must be
// empty, too, with room for capacity timers.
func New[T any](order Order, capacity int) Scheduler[T] {
	return Scheduler[T]{
		table: slab.New[T](capacity), lists: fifo.New(capacity),
		in: make([]uint32, 1, capacity+1), buckets: make([]bucket, 1), order: order,
	}
}

// Schedule adds a pending timer that comes due at deadline and returns its ID.
func (s *Scheduler[T]) Schedule(deadline structures.Tick, value T) structures.ID {
	slot, id := s.table.Put(value)
	if int(slot) == len(s.in) {
		s.in = append(s.in, 0)
	}
	s.add(slot, s.clock.Clamp(deadline))
	return id
}

// Reschedule moves a pending timer to deadline and keeps its ID and its value. It
// returns false when id is not pending.
func (s *Scheduler[T]) Reschedule(id structures.ID, deadline structures.Tick) bool {
	slot := s.table.Find(id)
	if slot == slab.None {
		return false
	}
	s.remove(slot)
	s.add(slot, s.clock.Clamp(deadline))
	return true
}

// Cancel removes a pending timer. It returns false when id is not pending.
func (s *Scheduler[T]) Cancel(id structures.ID) bool {
	slot := s.table.Find(id)
	if slot == slab.None {
		return false
	}
	s.remove(slot)
	s.table.Free(slot)
	return true
}

// Pop moves the clock to now, unless it is there or past it, and removes and
// returns the earliest timer, if that is due.
func (s *Scheduler[T]) Pop(now structures.Tick) (t structures.Timer[T], ok bool) {
	now = s.clock.Advance(now)
	if s.due == 0 {
		first, ok := s.order.Pop(now)
		if !ok {
			return t, false
		}
		s.due = first.Value
		s.served++
		s.byTick.Delete(s.buckets[s.due].tick)
	}
	slot := s.buckets[s.due].list.Front()
	s.remove(slot)
	t.ID, t.Deadline = s.table.ID(slot), s.lists.Deadline(slot)
	t.Value = s.table.Free(slot)
	return t, true
}

// Next returns the earliest deadline, and false when nothing is pending.
func (s *Scheduler[T]) Next() (at structures.Tick, ok bool) {
	if s.due != 0 {
		return s.buckets[s.due].tick, true
	}
	return s.order.Next()
}

// Len returns the number of pending timers.
func (s *Scheduler[T]) Len() int { return s.table.Len() }

// Work returns the comparisons that ordering the buckets took, and as slots visited
// the buckets that were served, none of which was empty.
func (s *Scheduler[T]) Work() structures.Work {
	w := s.order.Work()
	w.SlotsVisited += s.served
	return w
}

// add appends a slot to the bucket of its deadline, which is after the clock, or
// the last tick.
func (s *Scheduler[T]) add(slot uint32, deadline structures.Tick) {
	s.lists.SetDeadline(slot, deadline)
	number, ok := s.byTick.Get(deadline)
	if !ok {
		number = s.open(deadline)
	}
	s.in[slot] = number
	s.lists.PushBack(&s.buckets[number].list, slot)
}

// open makes a bucket for a tick that has none.
func (s *Scheduler[T]) open(tick structures.Tick) uint32 {
	var number uint32
	if n := len(s.free); n > 0 {
		number = s.free[n-1]
		s.free = s.free[:n-1]
	} else {
		number = uint32(len(s.buckets))
		s.buckets = append(s.buckets, bucket{})
	}
	s.buckets[number].tick = tick
	s.buckets[number].id = s.order.Schedule(tick, number)
	s.byTick.Put(tick, number)
	return number
}

// remove unlinks a slot, and closes its bucket if it was the last one there.
func (s *Scheduler[T]) remove(slot uint32) {
	number := s.in[slot]
	b := &s.buckets[number]
	if !s.lists.Remove(&b.list, slot) {
		return
	}
	if number == s.due {
		s.due = 0 // it has left the order already
	} else {
		s.order.Cancel(b.id)
		s.byTick.Delete(b.tick)
	}
	s.free = append(s.free, number)
}

// CheckInvariants walks all buckets and names the first broken invariant. It costs
// O(n).
func (s *Scheduler[T]) CheckInvariants() error {
	for _, check := range []func() error{s.table.CheckInvariants, s.byTick.CheckInvariants, s.order.CheckInvariants} {
		if err := check(); err != nil {
			return err
		}
	}
	open := len(s.buckets) - 1 - len(s.free)
	ordered := open
	if s.due != 0 {
		ordered--
	}
	if s.order.Len() != ordered || s.byTick.Len() != ordered {
		return fmt.Errorf("bucketed: %d buckets wait, %d are ordered and %d are found by tick", ordered, s.order.Len(), s.byTick.Len())
	}
	total := 0
	for i := range s.buckets[1:] {
		n, err := s.checkBucket(uint32(i + 1))
		if err != nil {
			return err
		}
		if n > 0 {
			open--
		}
		total += n
	}
	if open != 0 || total != s.table.Len() {
		return fmt.Errorf("bucketed: %d open buckets are empty; %d timers in buckets, %d pending", open, total, s.table.Len())
	}
	return nil
}

func (s *Scheduler[T]) checkBucket(number uint32) (length int, err error) {
	b := &s.buckets[number]
	if length, err = s.lists.Check(b.list); err != nil || length == 0 {
		return length, err
	}
	if found, ok := s.byTick.Get(b.tick); number != s.due && (!ok || found != number) {
		return 0, fmt.Errorf("bucketed: the bucket of tick %d is %d, but %d is found, %t", b.tick, number, found, ok)
	}
	for slot, deadline := range s.lists.All(b.list) {
		if s.in[slot] != number || deadline != b.tick || !s.table.InUse(slot) {
			return 0, fmt.Errorf("bucketed: slot %d with deadline %d in bucket %d of tick %d", slot, deadline, number, b.tick)
		}
	}
	return length, nil
}
