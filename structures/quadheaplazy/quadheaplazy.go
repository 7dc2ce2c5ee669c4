// Package quadheaplazy keeps timers in a 4-ary heap that cancels and moves lazily, as Go's
// runtime does since 1.14.
//
// Most timers are cancelled or moved to later before they fire. Here Cancel marks the slot of the
// timer as vacant, and Reschedule to later records the new deadline: neither touches the heap.
// When the entry reaches the root it is dropped, or filed again. As in Go, where Reset takes up
// the entry that Stop has left, a new timer takes over the old entry of its slot if that is early
// enough: to start and stop timers with one timeout does not touch the heap at all.
//
// Pedigree. Go's runtime builds the whole heap anew when more than a quarter of its entries are
// of stopped timers, or a timer was moved before its entry: now and then a call costs O(n).
// What is different here:
//
//   - A timer moved before its entry gets a second one. The first is dead then; a version
//     number tells the two apart.
//   - Dead entries are swept a few at a time: a call that leaves one more dead or one fewer
//     alive examines 20 entries if need be, so that never more than a quarter of the heap is
//     dead, plus 32.
//   - Entries are those of quadheap, without the array of positions.
//
// Costs, for n timers: Cancel O(1) amortised; Reschedule to later O(1), to earlier as Schedule
// and Cancel; Schedule O(log n), on average or where it takes over an entry O(1); Pop and Next
// O(log n) amortised. A value is released at once. 36 bytes a timer beside the value and its
// ID, and 16 for each dead entry.
//
// Work counts Dropped, dead entries removed; Moved, entries filed again under a later deadline;
// and Comparisons of two deadlines.
//
// Ties. Unspecified, but the same for the same calls.
//
// Pick it where a heap is wanted and timers are mostly cancelled or pushed out. Pick quadheap
// where each call must cost the same, as here a Pop or Next may find any number of dead entries
// at the root, or where memory counts.
package quadheaplazy

import (
	"math"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/clock"
	"github.com/timerbench/timerbench/structures/internal/dary"
	"github.com/timerbench/timerbench/structures/internal/option"
	"github.com/timerbench/timerbench/structures/internal/slab"
)

var _ structures.Scheduler[int] = (*Heap[int])(nil)

// An Option sets up a Heap.
type Option func(*option.Room)

// Capacity reserves room for n timers, from 0, the default, to 2^32-2, and their dead entries.
func Capacity(n int) Option { return option.Capacity("quadheaplazy", n, slab.MaxCapacity) }

// Heap is a lazy 4-ary heap of timers with values of type T. Make it with New.
//
// Its methods do what those of slotted.Scheduler do, which other structures share. Here
// they are so short that to call the queue through a dictionary made start-stop and
// reschedule among 1000 timers 1.2 times as long.
type Heap[T any] struct {
	clock clock.Clock
	table slab.Table[T]
	core  core
}

// New returns an empty heap at tick 0. It panics if an option is invalid.
func New[T any](opts ...Option) *Heap[T] {
	n := option.Apply(option.Room{}, opts).Capacity
	return &Heap[T]{table: slab.New[T](n), core: newCore(n)}
}

// Schedule adds a pending timer. It costs O(log n), on average O(1), amortised over growth.
func (h *Heap[T]) Schedule(deadline structures.Tick, value T) structures.ID {
	h.table.Reserve()
	slot, id := h.table.Take(value)
	h.core.set(slot, h.clock.Clamp(deadline))
	return id
}

// Reschedule moves a pending timer. It costs O(1) to a later deadline, and O(log n) otherwise.
func (h *Heap[T]) Reschedule(id structures.ID, deadline structures.Tick) bool {
	slot := h.table.Find(id)
	if slot == slab.None {
		return false
	}
	h.core.set(slot, h.clock.Clamp(deadline))
	return true
}

// Cancel removes a pending timer; its entry stays for now. It costs O(1), and at most the
// examination of 20 entries more, of which a dead one costs O(log n).
func (h *Heap[T]) Cancel(id structures.ID) bool {
	slot := h.table.Find(id)
	if slot == slab.None {
		return false
	}
	h.table.Free(slot)
	h.core.cancel(slot)
	return true
}

// Pop removes the earliest timer, if that is due. It costs O(log n) amortised.
func (h *Heap[T]) Pop(now structures.Tick) (t structures.Timer[T], ok bool) {
	if !h.core.fixRoot(h.clock.Advance(now)) {
		return t, false
	}
	slot, deadline := h.core.pop()
	t.ID, t.Deadline = h.table.ID(slot), deadline
	t.Value = h.table.Free(slot)
	return t, true
}

// Next returns the earliest deadline. It costs O(1), and O(log n) for each dead or early root.
func (h *Heap[T]) Next() (at structures.Tick, ok bool) {
	if h.table.Len() == 0 || !h.core.fixRoot(math.MaxInt64) {
		return 0, false
	}
	return h.core.heap[dary.Root].deadline, true
}

// Len returns the number of pending timers.
func (h *Heap[T]) Len() int { return h.table.Len() }

// Work returns the counters of the work done so far.
func (h *Heap[T]) Work() structures.Work { return h.core.work }
