// Package quadheaplazy keeps timers in a 4-ary heap that cancels and moves lazily, as [Go's runtime] has done since 1.14.
//
// Most timers are cancelled or moved to a later tick before they fire. Here Cancel only marks the slot of the timer as vacant,
// and Reschedule to a later tick only records the new deadline. The heap is not touched until the entry reaches the root; then
// it is dropped or filed again. A new timer takes over the old entry of its slot if that is early enough, as Reset in Go takes
// over the entry that Stop left behind. So starting and stopping timers with one timeout does not touch the heap.
//
// Pedigree. Go's runtime rebuilds the whole heap when more than a quarter of its entries belong to stopped timers, or when a
// timer was moved before its entry, so a call now and then costs O(n). Differences here:
//
//   - A timer that is moved before its entry gets a second entry, and the first one is dead. A version number tells them
//     apart.
//   - Dead entries are swept a few at a time. A call that adds a dead entry, or removes a live one, examines up to 20 entries.
//     So at most a quarter of the heap, plus 32 entries, is dead.
//   - Entries are those of quadheap, without the array of positions.
//
// Costs, for n timers: Cancel O(1) amortized. Reschedule to a later tick O(1), to an earlier one as Cancel and Schedule.
// Schedule O(log n), on average or with an entry to take over O(1). Pop and Next O(log n) amortized. A value is released at
// once. A timer takes 36 bytes, plus its value and ID, and each dead entry takes 16.
//
// Work counts Dropped, dead entries that were removed; Moved, entries that were filed again under a later deadline; and
// Comparisons of two deadlines.
//
// Ties. Unspecified, but the same for the same calls.
//
// Pick it if you want a heap and most timers are cancelled or moved to a later tick. Pick quadheap if memory counts or every
// call must have a bound: here a Pop or Next may find any number of dead entries at the root.
//
// [Go's runtime]: https://github.com/golang/go/blob/release-branch.go1.14/src/runtime/time.go
package quadheaplazy

import (
	"math"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/dary"
	"github.com/timerbench/timerbench/structures/internal/rules"
	"github.com/timerbench/timerbench/structures/internal/slab"
)

var _ structures.Scheduler[int] = (*Heap[int])(nil)

// Option sets a parameter of a Heap.
type Option func(*rules.Room)

// Capacity reserves room for n timers and their dead entries. n is from 0, the default, to 2^32-2.
func Capacity(n int) Option { return rules.Capacity("quadheaplazy", n, slab.MaxCapacity) }

// Heap is a lazy 4-ary heap of timers with values of type T. Make it with New.
//
// Its methods repeat those of slotted.Scheduler, because a call through a dictionary would be a large part of them.
type Heap[T any] struct {
	clock structures.Tick
	table slab.Table[T]
	core  core
}

// New returns an empty heap at tick 0. It panics if an option is invalid.
func New[T any](opts ...Option) *Heap[T] {
	n := rules.Apply(rules.Room{}, opts).Capacity
	return &Heap[T]{table: slab.New[T](n), core: newCore(n)}
}

// Schedule adds a pending timer. It costs O(log n), on average O(1), amortized over growth.
func (h *Heap[T]) Schedule(deadline structures.Tick, value T) structures.ID {
	h.table.Reserve()
	slot, id := h.table.Take(value)
	h.core.set(slot, rules.Clamp(h.clock, deadline))
	return id
}

// Reschedule moves a pending timer. It costs O(1) to a later deadline, and O(log n) otherwise.
func (h *Heap[T]) Reschedule(id structures.ID, deadline structures.Tick) bool {
	slot := h.table.Find(id)
	if slot == slab.None {
		return false
	}
	h.core.set(slot, rules.Clamp(h.clock, deadline))
	return true
}

// Cancel removes a pending timer, and leaves its entry in the heap. It costs O(1), and may sweep up to 20 entries, of which a
// dead one costs O(log n).
func (h *Heap[T]) Cancel(id structures.ID) bool {
	slot := h.table.Find(id)
	if slot == slab.None {
		return false
	}
	h.table.Free(slot)
	h.core.cancel(slot)
	return true
}

// Pop removes the earliest timer if it is due. It costs O(log n) amortized.
func (h *Heap[T]) Pop(now structures.Tick) (t structures.Timer[T], ok bool) {
	h.clock = max(h.clock, now)
	if !h.core.fixRoot(h.clock) {
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
