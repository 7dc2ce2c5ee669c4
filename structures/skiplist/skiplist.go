// Package skiplist keeps timers in a skip list, as DPDK does (rte_timer).
//
// The list is the one of Pugh (1990) with p = 1/2: every timer stands in the
// list of level 0, half of them in that of level 1 too, half of these in that of
// level 2, up to 32 levels, enough for 2^32 timers. A search starts on the highest
// and thinnest list and steps down. It differs from DPDK's in six ways. There p is
// 1/4, which takes less memory, but makes a search pass half as many timers again,
// and of a million timers most that it passes are cache misses. Links go both ways on every level, so that a timer is taken out
// where it stands, with no search for what lies before it. Each link carries
// the deadline of the timer it leads to, so that a search reads the timers it
// passes and not those at which it turns down. Links are 4-byte indexes into one
// array, with nothing in them for the garbage collector. A timer that is not
// before any other, as with one timeout for all, goes to the end without a
// search. And a slot draws the height of its tower once and keeps the tower for
// every timer that takes it: heights are as random and as independent of
// deadlines as if each timer drew its own, memory is bounded by the largest Len,
// and nothing is allocated in the steady state.
//
// Costs, for n pending timers, expected over the heights: Schedule and
// Reschedule O(log n), about 2 log2(n) comparisons; Cancel and Pop O(1), without
// a comparison or a search. Next O(1), always. A search may take O(n), with a
// probability that vanishes as n grows, unless somebody who knows the seed picks
// the timers to cancel. About 44 bytes a timer beside the value and its ID.
//
// Ties: FIFO. Of equal deadlines the one scheduled first fires first, and a
// rescheduled timer goes behind its equals.
//
// Pick it for exact order with FIFO ties and cheap Pop and Cancel. When a
// logarithmic bound must hold for every single Schedule, pick a tree; when most
// timers fire and ties may come in any order, a heap is smaller; when n is very
// large, a timer wheel schedules in O(1).
package skiplist

import (
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/clock"
	"github.com/timerbench/timerbench/structures/internal/option"
	"github.com/timerbench/timerbench/structures/internal/slab"
)

var _ structures.Scheduler[int] = (*List[int])(nil)

// An Option sets up a List.
type Option func(*config)

type config struct {
	capacity int
	seed     uint64
}

// Capacity reserves room for n timers, so that none of the first n allocates; it
// is no limit. New panics unless 0 <= n <= 2^32-2. The default is 0.
func Capacity(n int) Option {
	return func(c *config) {
		option.Between("skiplist", "Capacity", n, 0, slab.MaxCapacity)
		c.capacity = n
	}
}

// Seed seeds the random heights of the towers; any n will do. Lists with equal
// seeds that see the same calls have the same shape. The default is 0.
func Seed(n uint64) Option {
	return func(c *config) { c.seed = n }
}

// List is a skip list of timers with values of type T. Make it with New.
type List[T any] struct {
	clock clock.Clock
	table slab.Table[T]
	core  core
}

// New returns an empty list whose clock stands at tick 0.
func New[T any](opts ...Option) *List[T] {
	var c config
	for _, set := range opts {
		set(&c)
	}
	return &List[T]{table: slab.New[T](c.capacity), core: newCore(c.capacity, c.seed)}
}

// Schedule adds a timer that comes due at tick deadline, or at the tick after
// the clock if that is later, and returns the ID that names it. Expected
// O(log n), and O(1) for a deadline that is not before any other.
func (l *List[T]) Schedule(deadline structures.Tick, value T) structures.ID {
	slot, id := l.table.Put(value)
	l.core.insert(slot, l.clock.Clamp(deadline))
	return id
}

// Reschedule moves a pending timer to tick deadline, behind those already due
// then; it keeps its ID and value. It returns false, and touches nothing, when
// id is not pending. Expected O(log n).
func (l *List[T]) Reschedule(id structures.ID, deadline structures.Tick) bool {
	slot := l.table.Find(id)
	if slot == slab.None {
		return false
	}
	l.core.remove(slot)
	l.core.insert(slot, l.clock.Clamp(deadline))
	return true
}

// Cancel removes a pending timer. It returns false, and touches nothing, when
// id is not pending. Expected O(1).
func (l *List[T]) Cancel(id structures.ID) bool {
	slot := l.table.Find(id)
	if slot == slab.None {
		return false
	}
	l.core.remove(slot)
	l.table.Free(slot)
	return true
}

// Pop moves the clock to tick now, unless it is there or past it, and removes
// and returns the earliest timer if it is due; of equal deadlines, the one that
// was given it first. Expected O(1).
func (l *List[T]) Pop(now structures.Tick) (timer structures.Timer[T], ok bool) {
	now = l.clock.Advance(now)
	slot, deadline := l.core.first()
	if slot == slab.None || deadline > now {
		return timer, false
	}
	timer.ID = l.table.ID(slot)
	timer.Deadline = deadline
	l.core.remove(slot)
	timer.Value = l.table.Free(slot)
	return timer, true
}

// Next returns the earliest deadline, in ticks; ok is false when nothing is
// pending. O(1).
func (l *List[T]) Next() (at structures.Tick, ok bool) {
	slot, deadline := l.core.first()
	return deadline, slot != slab.None
}

// Len returns the number of pending timers. O(1).
func (l *List[T]) Len() int { return l.table.Len() }

// Work returns how many deadlines were compared so far, all of them to place
// timers: removal compares none.
func (l *List[T]) Work() structures.Work {
	return structures.Work{Comparisons: l.core.comparisons}
}

// CheckInvariants walks every level of the list and names the first broken
// invariant. O(n).
func (l *List[T]) CheckInvariants() error {
	if err := l.table.CheckInvariants(); err != nil {
		return err
	}
	return l.core.check(l.table.Len(), l.table.InUse)
}
