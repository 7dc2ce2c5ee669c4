// Package pairingheap keeps timers in a pairing heap, as libxev does for the
// timers of its event loop.
//
// The heap is the one of Fredman, Sedgewick, Sleator and Tarjan (1986): a tree
// of any shape in which no timer is due before its parent. Two trees are melded
// with one comparison, the later root becoming a child of the earlier one, and
// that is all it takes to schedule. The work is put off until the root goes: then
// its children are melded in pairs, and the pairs from the last to the first into
// one tree. It differs from libxev's in three ways: nodes lie in one array and
// link to each other by 4-byte index, 24 bytes a timer and nothing in them for
// the garbage collector; a timer that is moved to earlier takes its whole tree
// along to the root, and one that is moved to later stays where it is and gives
// its children to the root, so that neither is removed and scheduled again; and
// the children of a cancelled timer join the root without a comparison, as none
// of them can be before it.
//
// Costs, for n pending timers: Schedule and Next O(1), with one comparison and
// none; Pop, Cancel and Reschedule O(log n) amortised, where cancelling or
// delaying a timer without children is O(1), and so is moving any to earlier
// apart from what it adds to a later Pop. A single Pop may cost O(n), with n-2
// comparisons: the first one after n timers were scheduled in order, as they are
// all children of the root by then. No operation is recursive. 24 bytes a timer
// beside the value and its ID.
//
// Ties: unspecified. Equal deadlines fire in any order, though always in the
// same one for the same calls.
//
// Pick it where Schedule must be O(1) for any deadlines, or where many timers are
// moved to earlier, and an occasional long Pop does no harm. Measured against
// quadheap, cancelling a timer and scheduling another took 1.1 to 1.4 times as
// long, and scheduling a timer for each that fires 1.7 to 2.9 times from 16 timers
// on: the children of a node lie side by side there, and all over the memory here.
// So pick quadheap where timers fire; where every operation must be short, rbtree;
// where ticks may be coarse and timers are many, a timer wheel.
package pairingheap

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

// Capacity reserves room for n timers, so that none of the first n allocates; it
// is no limit. New panics unless 0 <= n <= 2^32-2. The default is 0.
func Capacity(n int) Option {
	return func(c *config) {
		option.Between("pairingheap", "Capacity", n, 0, slab.MaxCapacity)
		c.capacity = n
	}
}

// Heap is a pairing heap of timers with values of type T. Make it with New.
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

// Schedule adds a pending timer that comes due at tick deadline, or at the tick
// after the clock if that is later, and returns the ID that names it. O(1),
// amortised over growth.
func (h *Heap[T]) Schedule(deadline structures.Tick, value T) structures.ID {
	slot, id := h.table.Put(value)
	h.core.insert(slot, h.clock.Clamp(deadline))
	return id
}

// Reschedule moves a pending timer to tick deadline and keeps its ID and its
// value. It returns false, and touches nothing, when id is not pending. O(1) to
// earlier, O(log n) amortised to later.
func (h *Heap[T]) Reschedule(id structures.ID, deadline structures.Tick) bool {
	slot := h.table.Find(id)
	if slot == slab.None {
		return false
	}
	h.core.move(slot, h.clock.Clamp(deadline))
	return true
}

// Cancel removes a pending timer. It returns false, and touches nothing, when
// id is not pending. O(log n) amortised.
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
// and returns a timer with the earliest deadline, if that is due. O(log n)
// amortised, O(n) at worst, and O(1) when nothing is due.
func (h *Heap[T]) Pop(now structures.Tick) (t structures.Timer[T], ok bool) {
	now = h.clock.Advance(now)
	slot := h.core.root
	if slot == slab.None || h.core.deadline(slot) > now {
		return t, false
	}
	t.ID, t.Deadline = h.table.ID(slot), h.core.deadline(slot)
	h.core.remove(slot)
	t.Value = h.table.Free(slot)
	return t, true
}

// Next returns the earliest deadline, in ticks; ok is false when nothing is
// pending. O(1).
func (h *Heap[T]) Next() (at structures.Tick, ok bool) {
	if h.core.root == slab.None {
		return 0, false
	}
	return h.core.deadline(h.core.root), true
}

// Len returns the number of pending timers. O(1).
func (h *Heap[T]) Len() int { return h.table.Len() }

// Work returns how many times two deadlines were compared. A heap does no work
// of the other kinds.
func (h *Heap[T]) Work() structures.Work {
	return structures.Work{Comparisons: h.core.comparisons}
}

// CheckInvariants walks the whole heap and names the first broken invariant.
// O(n).
func (h *Heap[T]) CheckInvariants() error {
	if err := h.table.CheckInvariants(); err != nil {
		return err
	}
	return h.core.check(h.table.Len(), h.table.InUse)
}
