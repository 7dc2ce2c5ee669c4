// Package ordered makes a scheduler of any container that keeps keys in order:
// the common part of the adapters of third-party containers, which differ in
// nothing but that container.
//
// Such containers do not take two equal keys, or replace one by the other, so a
// key is a deadline and a sequence number, which also makes equal deadlines FIFO.
// Values stay in the slab; a container never holds a reference to one.
package ordered

import (
	"cmp"
	"fmt"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/clock"
	"github.com/timerbench/timerbench/structures/internal/slab"
)

// Key is a pending timer as a container sees it. Each slot owns one and fills it
// anew for every timer that takes the slot, so that a container which wants an
// interface is given a pointer and boxes nothing. It is written only while it is
// in no container.
type Key struct {
	Deadline structures.Tick
	Sequence uint64 // of the call that scheduled or moved it
	Slot     uint32 // in the slab; no part of the order
}

// Compare returns the order of two keys, negative if a comes first.
func Compare(a, b *Key) int {
	if a.Deadline != b.Deadline {
		return cmp.Compare(a.Deadline, b.Deadline)
	}
	return cmp.Compare(a.Sequence, b.Sequence)
}

// Container keeps keys in the order of Compare, no two of them equal.
type Container interface {
	Insert(*Key)  // no other is equal
	Remove(*Key)  // one that is there
	First() *Key  // nil: there is none
	RemoveFirst() // there is one
	Ascend(func(*Key) bool)
	Len() int
	Comparisons() uint64 // calls of Compare so far
}

// Scheduler keeps the contract of structures.Scheduler on a container. Each
// method costs what the container takes, and O(1) besides.
type Scheduler[T any] struct {
	clock    clock.Clock
	table    slab.Table[T]
	keys     []*Key // by slot, which keeps its key for every timer that takes it
	sequence uint64
	in       Container
}

// New returns an empty scheduler on an empty container, with room for capacity
// values in the slab.
func New[T any](in Container, capacity int) Scheduler[T] {
	return Scheduler[T]{table: slab.New[T](capacity), keys: make([]*Key, 1, capacity+1), in: in}
}

// Schedule adds a pending timer that comes due at deadline and returns its ID. It
// costs one insertion.
func (s *Scheduler[T]) Schedule(deadline structures.Tick, value T) structures.ID {
	slot, id := s.table.Put(value)
	if int(slot) == len(s.keys) {
		s.keys = append(s.keys, &Key{Slot: slot})
	}
	s.insert(slot, deadline)
	return id
}

// Reschedule moves a pending timer to deadline, behind all timers of that
// deadline. It returns false when id is not pending. It costs one removal and one
// insertion.
func (s *Scheduler[T]) Reschedule(id structures.ID, deadline structures.Tick) bool {
	slot := s.table.Find(id)
	if slot == slab.None {
		return false
	}
	s.in.Remove(s.keys[slot])
	s.insert(slot, deadline)
	return true
}

func (s *Scheduler[T]) insert(slot uint32, deadline structures.Tick) {
	s.sequence++
	k := s.keys[slot] // in no container now
	k.Deadline, k.Sequence = s.clock.Clamp(deadline), s.sequence
	s.in.Insert(k)
}

// Cancel removes a pending timer. It returns false when id is not pending. It
// costs one removal.
func (s *Scheduler[T]) Cancel(id structures.ID) bool {
	slot := s.table.Find(id)
	if slot == slab.None {
		return false
	}
	s.in.Remove(s.keys[slot])
	s.table.Free(slot)
	return true
}

// Pop moves the clock to now, unless it is there or past it, and removes and
// returns the earliest timer, if that is due. It costs one removal of the first,
// or a look at it.
func (s *Scheduler[T]) Pop(now structures.Tick) (t structures.Timer[T], ok bool) {
	now = s.clock.Advance(now)
	first := s.in.First()
	if first == nil || first.Deadline > now {
		return t, false
	}
	s.in.RemoveFirst()
	t.ID, t.Deadline = s.table.ID(first.Slot), first.Deadline
	t.Value = s.table.Free(first.Slot)
	return t, true
}

// Next returns the earliest deadline, and false when nothing is pending. It costs
// a look at the first.
func (s *Scheduler[T]) Next() (at structures.Tick, ok bool) {
	first := s.in.First()
	if first == nil {
		return 0, false
	}
	return first.Deadline, true
}

// Len returns the number of pending timers.
func (s *Scheduler[T]) Len() int { return s.table.Len() }

// Work returns how many times the container called the comparator, which is all
// that can be seen from outside.
func (s *Scheduler[T]) Work() structures.Work {
	return structures.Work{Comparisons: s.in.Comparisons()}
}

// CheckInvariants checks what can be seen from outside the container: order,
// size, and that each key is that of a pending timer. It costs O(n).
func (s *Scheduler[T]) CheckInvariants() error {
	if err := s.table.CheckInvariants(); err != nil {
		return err
	}
	if s.in.Len() != s.table.Len() {
		return fmt.Errorf("ordered: %d keys in the container, %d timers pending", s.in.Len(), s.table.Len())
	}
	var err error
	var last *Key
	met := 0
	s.in.Ascend(func(k *Key) bool {
		switch {
		case last != nil && Compare(last, k) >= 0:
			err = fmt.Errorf("ordered: key %+v comes after %+v", *k, *last)
		case int(k.Slot) >= len(s.keys) || *s.keys[k.Slot] != *k:
			err = fmt.Errorf("ordered: key %+v is not that of slot %d", *k, k.Slot)
		case !s.table.InUse(k.Slot):
			err = fmt.Errorf("ordered: key %+v is of a slot without a timer", *k)
		}
		met++
		last = k
		return err == nil
	})
	if err == nil && met != s.table.Len() {
		err = fmt.Errorf("ordered: met %d keys in the container, %d timers pending", met, s.table.Len())
	}
	return err
}
