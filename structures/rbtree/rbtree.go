// Package rbtree keeps timers in a red-black tree, as nginx does for its event
// timers and Linux for its high-resolution ones (hrtimer).
//
// The tree is the one of Guibas and Sedgewick, deadlines in order from left to
// right. Like Linux's rb_root_cached it remembers the leftmost node, so that
// asking for the next timer never walks. It differs from both in four ways:
// nodes lie in one array and link to each other by 4-byte index, with nothing in
// them for the garbage collector; a node is what a search reads and no more, as
// colours stand in the links and parents in an array of their own; it remembers the
// rightmost node too, so that timers scheduled in order of their deadlines (one
// timeout for all) are placed with a single comparison; and mirrored cases are
// one case, as a node's children are an array indexed by side.
//
// Costs, for n pending timers: Schedule and Reschedule O(log n), at most
// 2 log2(n+1) + 1 comparisons; Cancel O(log n) at worst and O(1) on average over
// the timers, without a comparison or a search; Pop O(log n) at worst and O(1)
// amortised; Next O(1). Rebalancing takes at most two rotations to schedule and
// three to cancel. 20 bytes a timer beside the value and its ID.
//
// Ties: FIFO. Of equal deadlines the one scheduled first fires first, and a
// rescheduled timer goes behind its equals.
//
// Pick it for exact order with FIFO ties, a logarithmic bound on every single
// operation, and many timers that are cancelled or moved far before they fire.
// When most timers fire and ties may come in any order, a heap is smaller; when
// n is very large, a timer wheel schedules in O(1).
package rbtree

import (
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/clock"
	"github.com/timerbench/timerbench/structures/internal/option"
	"github.com/timerbench/timerbench/structures/internal/slab"
)

var _ structures.Scheduler[int] = (*Tree[int])(nil)

// An Option sets up a Tree.
type Option func(*config)

type config struct{ capacity int }

// Capacity reserves room for n timers, so that none of the first n allocates; it
// is no limit. New panics unless 0 <= n <= 2^31-1. The default is 0.
func Capacity(n int) Option {
	return func(c *config) {
		option.Between("rbtree", "Capacity", n, 0, maxLen)
		c.capacity = n
	}
}

// Tree is a red-black tree of timers with values of type T. Make it with New.
type Tree[T any] struct {
	clock clock.Clock
	table slab.Table[T]
	core  core
}

// New returns an empty tree whose clock stands at tick 0.
func New[T any](opts ...Option) *Tree[T] {
	var c config
	for _, set := range opts {
		set(&c)
	}
	return &Tree[T]{table: slab.New[T](c.capacity), core: newCore(c.capacity)}
}

// Schedule adds a timer that comes due at tick deadline, or at the tick after
// the clock if that is later, and returns the ID that names it. O(log n), and
// O(1) amortised for a deadline that is not before any other.
func (t *Tree[T]) Schedule(deadline structures.Tick, value T) structures.ID {
	slot, id := t.table.Put(value)
	t.core.insert(slot, t.clock.Clamp(deadline))
	return id
}

// Reschedule moves a pending timer to tick deadline, behind those already due
// then; it keeps its ID and value. It returns false, and touches nothing, when
// id is not pending. O(log n).
func (t *Tree[T]) Reschedule(id structures.ID, deadline structures.Tick) bool {
	slot := t.table.Find(id)
	if slot == slab.None {
		return false
	}
	t.core.remove(slot)
	t.core.insert(slot, t.clock.Clamp(deadline))
	return true
}

// Cancel removes a pending timer. It returns false, and touches nothing, when
// id is not pending. O(log n) at worst, O(1) on average.
func (t *Tree[T]) Cancel(id structures.ID) bool {
	slot := t.table.Find(id)
	if slot == slab.None {
		return false
	}
	t.core.remove(slot)
	t.table.Free(slot)
	return true
}

// Pop moves the clock to tick now, unless it is there or past it, and removes
// and returns the earliest timer if it is due; of equal deadlines, the one that
// was given it first. O(log n) at worst, O(1) amortised.
func (t *Tree[T]) Pop(now structures.Tick) (timer structures.Timer[T], ok bool) {
	now = t.clock.Advance(now)
	slot, deadline := t.core.first()
	if slot == slab.None || deadline > now {
		return timer, false
	}
	timer.ID = t.table.ID(slot)
	timer.Deadline = deadline
	t.core.remove(slot)
	timer.Value = t.table.Free(slot)
	return timer, true
}

// Next returns the earliest deadline, in ticks; ok is false when nothing is
// pending. O(1).
func (t *Tree[T]) Next() (at structures.Tick, ok bool) {
	slot, deadline := t.core.first()
	return deadline, slot != slab.None
}

// Len returns the number of pending timers. O(1).
func (t *Tree[T]) Len() int { return t.table.Len() }

// Work returns how many deadlines were compared so far, all of them to place
// timers: removal compares none.
func (t *Tree[T]) Work() structures.Work {
	return structures.Work{Comparisons: t.core.comparisons}
}

// CheckInvariants walks the whole tree and names the first broken invariant.
// O(n).
func (t *Tree[T]) CheckInvariants() error {
	if err := t.table.CheckInvariants(); err != nil {
		return err
	}
	return t.core.check(t.table.Len(), t.table.InUse)
}
