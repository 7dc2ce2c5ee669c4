// Package quadheaplazy keeps timers in a 4-ary heap that is put in order late, as
// Go's runtime does since 1.14.
//
// Most timers are cancelled or moved before they fire, and most of those that are
// moved go later. To follow at once costs a heap a search for the entry and a
// walk through it, each time. Here, to cancel a timer is to note in its slot that
// it is gone, and to move it later is to note the new deadline: the heap is not
// touched. The timer's entry stays where it is, too early at worst. When it
// surfaces at the root, it is dropped, or filed anew under the deadline noted.
// And as in Go, where Reset takes up the entry that Stop has left, a new timer in
// a slot whose old entry is still in the heap, and early enough, takes that over:
// starting and stopping timers with one timeout does not touch the heap at all.
//
// Only a deadline earlier than that of the entry cannot wait. Go's runtime marks
// such a timer and keeps the earliest of their deadlines; once that has come, it
// reads the whole heap and builds it anew. Likewise when more than a quarter of
// the entries are of stopped timers. So once in a while one call costs O(n). This
// heap differs in both. A timer moved before its entry gets a second one at once,
// which makes the first a dead entry, told from the other by a version number.
// And dead entries are swept a few at a time: each call that leaves one more dead
// or one fewer alive examines 20 entries, if need be, so that at no time more
// than a quarter of the heap is dead, plus 32. Entries are those of package
// quadheap, 16 bytes without pointers, four children to a cache line; what is
// missing is the array that says where a timer's entry stands, which quadheap
// writes at each step of each walk.
//
// Costs, for n pending timers: Cancel O(1) amortised, without a look at the heap
// unless entries have to be swept; Reschedule to later O(1), to earlier as
// Schedule and Cancel; Schedule O(log n), O(1) on average for deadlines in random
// order or when it takes over an entry; Pop and Next O(log n) amortised: they pay
// for dead and moved entries at the root, each of which costs O(log n) once. A
// value is let go at once, whatever becomes of the entry. 36 bytes a timer beside
// the value and its ID, and 16 for each dead entry.
//
// Ties: unspecified. Equal deadlines fire in any order, though always in the
// same one for the same calls.
//
// Pick it where a heap is wanted and timers are mostly cancelled or pushed out
// (timeouts, leases, idle connections), or where they are many. Pick quadheap
// where each call must cost the same, as here a single Pop or Next may find any
// number of dead entries at the root, or where memory counts.
package quadheaplazy

import (
	"math"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/clock"
	"github.com/timerbench/timerbench/structures/internal/option"
	"github.com/timerbench/timerbench/structures/internal/slab"
)

var _ structures.Scheduler[int] = (*Heap[int])(nil)

// An Option sets up a Heap.
type Option func(*config)

type config struct{ capacity int }

// Capacity reserves room for n timers, and for the dead entries among them, so
// that nothing allocates while at most n are pending. More are welcome. New
// panics unless n is at least 0.
func Capacity(n int) Option {
	return func(c *config) {
		option.Between("quadheaplazy", "Capacity", n, 0, slab.MaxCapacity)
		c.capacity = n
	}
}

// Heap is a lazy 4-ary heap of timers with values of type T. Make it with New.
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
	h.core.set(slot, h.clock.Clamp(deadline))
	return id
}

// Reschedule moves a pending timer to tick deadline and keeps its ID and its
// value. It returns false when id is not pending. It costs O(1) to a deadline no
// earlier than the one that the timer has, and O(log n) otherwise.
func (h *Heap[T]) Reschedule(id structures.ID, deadline structures.Tick) bool {
	slot := h.table.Find(id)
	if slot == slab.None {
		return false
	}
	h.core.set(slot, h.clock.Clamp(deadline))
	return true
}

// Cancel removes a pending timer and lets its value go; the entry stays in the
// heap for now. It returns false when id is not pending. It costs O(1), and at
// most the examination of 20 entries more, of which a dead one costs O(log n).
func (h *Heap[T]) Cancel(id structures.ID) bool {
	slot := h.table.Find(id)
	if slot == slab.None {
		return false
	}
	h.table.Free(slot)
	h.core.cancel(slot)
	return true
}

// Pop moves the clock to tick now, unless it is there or past it, and removes
// and returns a timer with the earliest deadline, if that is due. It costs
// O(log n) amortised, or O(1) when no entry is due.
func (h *Heap[T]) Pop(now structures.Tick) (t structures.Timer[T], ok bool) {
	if !h.core.settle(h.clock.Advance(now)) {
		return t, false
	}
	slot, deadline := h.core.pop()
	t.ID, t.Deadline = h.table.ID(slot), deadline
	t.Value = h.table.Free(slot)
	return t, true
}

// Next returns the earliest deadline, and false when nothing is pending. It
// costs O(1), and O(log n) for each entry at the root that is dead or filed too
// early, which it puts in order.
func (h *Heap[T]) Next() (at structures.Tick, ok bool) {
	if h.table.Len() == 0 || !h.core.settle(math.MaxInt64) {
		return 0, false
	}
	return h.core.first(), true
}

// Len returns the number of pending timers, in O(1).
func (h *Heap[T]) Len() int { return h.table.Len() }

// Work returns the counters of the work done so far:
//
//   - Dropped: one for each dead entry taken out of the heap.
//   - Moved: one for each entry filed anew, because its timer, or the one that
//     took it over, has a later deadline.
//   - Comparisons: one for each time that two deadlines were compared.
func (h *Heap[T]) Work() structures.Work { return h.core.work }

// CheckInvariants walks the whole heap and names the first broken invariant. It
// costs O(n).
func (h *Heap[T]) CheckInvariants() error {
	if err := h.table.CheckInvariants(); err != nil {
		return err
	}
	return h.core.check(h.table.Len(), h.table.InUse)
}
