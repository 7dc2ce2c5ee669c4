// Package minheap keeps timers in a binary heap, the structure that most timer
// code begins with: whoever uses container/heap, Java's DelayQueue, libuv and
// gocorex/cron.
//
// The heap is the one of Williams and Floyd. It differs from these four in what
// it touches. The array holds no pointers or interfaces but 16-byte entries, the
// deadline beside the number of a slot, so that sifting compares what it reads
// anyway and calls nothing. Where an entry stands is kept in an array of its
// own, 4 bytes a timer, so that moving an entry never touches its value and
// cancelling is direct: DelayQueue searches for the timer, and gocorex/cron
// leaves it in the heap until it gets to the root. Sifting moves a hole rather
// than swapping, and chooses the earlier child without a branch.
//
// Costs, for n pending timers: Schedule O(log n), but O(1) on average for
// deadlines in random order, with at most log2(n) comparisons; Pop and Cancel
// O(log n), at most 2 log2(n) + 1 comparisons; Reschedule the same, in place;
// Next O(1). Nothing is searched for and nothing is left behind. 20 bytes a
// timer beside the value and its ID, and what append adds in growing.
//
// Ties: unspecified. Equal deadlines fire in any order, though always in the
// same one for the same calls.
//
// Pick it for exact order in the least code, and to compare others with. For
// speed pick quadheap, which does the same with half the levels and is ahead at
// 10^3 timers already. When equal deadlines must fire in the order in which they
// were scheduled, pick rbtree; when most timers are cancelled and ticks may be
// coarse, a timer wheel does everything in O(1).
package minheap

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
		option.Between("minheap", "Capacity", n, 0, slab.MaxCapacity)
		c.capacity = n
	}
}

// Heap is a binary heap of timers with values of type T. Make it with New.
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
