// Package quadheap keeps timers in a 4-ary heap, as Go's runtime and libev do.
//
// Johnson's d-ary heap is flatter than a binary one: with four children a node
// it has half the levels, so that a timer moves half as often, up with half the
// comparisons and down with as many. LaMarca and Ladner showed that it pays if
// the children of a node share a cache line. Go's runtime had 64 such heaps from
// Go 1.10 on and has one per P since 1.14, nowadays with the deadlines in the
// heap; libev keeps ("caches") the deadlines there too, and puts its root at
// index 3 so that children begin at multiples of four. So does this one. It
// differs from both in three ways: entries are free of pointers, 16 bytes with
// the number of a slot; the array itself is aligned, so that the four children
// do share one line of 64 bytes; and the earliest of the four is chosen without
// a branch. Where an entry stands is kept in an array of its own, 4 bytes a
// timer, so that moving an entry never touches its value. Unlike Go's runtime it
// removes a cancelled timer at once.
//
// Costs, for n pending timers: Schedule O(log n), but O(1) on average for
// deadlines in random order, with at most about log4(n) comparisons; Pop and
// Cancel O(log n), about 4 log4(n) comparisons at most; Reschedule the same, in
// place; Next O(1). Nothing is searched for and nothing is left behind. 20 bytes
// a timer beside the value and its ID; the array grows by doubling, so that up
// to half of it may be empty.
//
// Ties: unspecified. Equal deadlines fire in any order, though always in the
// same one for the same calls.
//
// Pick it when in doubt and the order of equal deadlines does not matter: it
// does what minheap does, faster at 10^3 timers already, and the more so the
// more timers there are. When equal deadlines must fire in the order in which
// they were scheduled, pick rbtree; when most timers are cancelled and ticks may
// be coarse, a timer wheel does everything in O(1).
package quadheap

import (
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/clock"
	"github.com/timerbench/timerbench/structures/internal/option"
	"github.com/timerbench/timerbench/structures/internal/slab"
)

var _ structures.Scheduler[int] = (*Heap[int])(nil)

// An Option sets up a Heap.
type Option func(*config)

type config struct{ capacity int }

// Capacity reserves room for n timers, so that none of the first n allocates.
// More are welcome. New panics unless n is at least 0.
func Capacity(n int) Option {
	return func(c *config) {
		option.Between("quadheap", "Capacity", n, 0, maxLen)
		c.capacity = n
	}
}

// Heap is a 4-ary heap of timers with values of type T. Make it with New.
type Heap[T any] struct {
	clock clock.Clock
	table slab.Table[T]
	core  core
}

// New returns an empty heap whose clock stands at tick 0. It panics when an
// option is invalid.
func New[T any](opts ...Option) *Heap[T] {
	var c config
	for _, set := range opts {
		set(&c)
	}
	return &Heap[T]{table: slab.New[T](c.capacity), core: newCore(c.capacity)}
}

// Schedule adds a pending timer that comes due at tick deadline and returns the
// ID that names it. It costs O(log n), on average O(1), amortised over growth.
func (h *Heap[T]) Schedule(deadline structures.Tick, value T) structures.ID {
	slot, id := h.table.Put(value)
	h.core.push(slot, h.clock.Clamp(deadline))
	return id
}

// Reschedule moves a pending timer to tick deadline and keeps its ID and its
// value. It returns false when id is not pending. It costs O(log n).
func (h *Heap[T]) Reschedule(id structures.ID, deadline structures.Tick) bool {
	slot := h.table.Find(id)
	if slot == slab.None {
		return false
	}
	h.core.move(slot, h.clock.Clamp(deadline))
	return true
}

// Cancel removes a pending timer. It returns false when id is not pending. It
// costs O(log n).
func (h *Heap[T]) Cancel(id structures.ID) bool {
	slot := h.table.Find(id)
	if slot == slab.None {
		return false
	}
	h.core.remove(slot)
	h.table.Free(slot)
	return true
}

// Pop moves the clock to tick now, unless it is there or past it, and removes
// and returns a timer with the earliest deadline, if that is due. It costs
// O(log n), or O(1) when nothing is due.
func (h *Heap[T]) Pop(now structures.Tick) (t structures.Timer[T], ok bool) {
	now = h.clock.Advance(now)
	if h.core.len() == 0 || h.core.first() > now {
		return t, false
	}
	e := h.core.pop()
	t.ID, t.Deadline = h.table.ID(e.slot), e.deadline
	t.Value = h.table.Free(e.slot)
	return t, true
}

// Next returns the earliest deadline, and false when nothing is pending. It
// costs O(1).
func (h *Heap[T]) Next() (at structures.Tick, ok bool) {
	if h.core.len() == 0 {
		return 0, false
	}
	return h.core.first(), true
}

// Len returns the number of pending timers, in O(1).
func (h *Heap[T]) Len() int { return h.core.len() }

// Work returns how many times two deadlines were compared. A heap does no work
// of the other kinds.
func (h *Heap[T]) Work() structures.Work {
	return structures.Work{Comparisons: h.core.comparisons}
}

// CheckInvariants walks the whole heap and names the first broken invariant. It
// costs O(n).
func (h *Heap[T]) CheckInvariants() error {
	if err := h.table.CheckInvariants(); err != nil {
		return err
	}
	return h.core.check(h.table.Len(), h.table.InUse)
}
