// Package radixheap keeps timers in a radix heap.
//
// A radix heap has a bucket for each bit of a deadline: a timer is in the bucket
// of the highest bit in which its deadline differs from the base, a tick that the
// clock has passed. Deadlines in a lower bucket come before those in a higher one.
// When the lowest bucket that holds any comes due, its earliest deadline becomes
// the base, and its timers are spread over the buckets below.
//
// Pedigree. Ahuja, Mehlhorn, Orlin and Tarjan, "Faster algorithms for the shortest
// path problem" (1990); seastar's timer_set keeps timers this way. It is a
// hierarchical wheel with two slots a level. What is different here: the base never
// runs ahead of the clock, as a timer may be scheduled at the tick after it; a
// bucket remembers its earliest deadline; and a timer is 16 bytes in an array
// beside its value.
//
// Costs. Schedule, Reschedule and Cancel O(1). A timer moves down at most 63 times
// in its life, in practice about as often as its delay has bits, whatever the
// number of timers: Pop and Next are O(1) besides. A Pop or Next that spreads a
// bucket goes through all of it. A bucket is not searched for its earliest deadline
// when that timer is cancelled or moved. Next keeps naming the old deadline then,
// until a Pop at that tick spreads the bucket.
//
// Ties. Timers of one deadline fire in the order in which they were last scheduled
// or rescheduled (FIFO).
//
// Pick it where timers are very many, mostly fire, and the memory of a wheel's
// slots is unwelcome: it has 64 lists in all. Pick package hwheel where many are
// cancelled or where long pauses of a single Pop matter.
package radixheap

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

// Capacity reserves room for n timers, n at least 0. New panics otherwise.
func Capacity(n int) Option { return func(c *config) { c.capacity = n } }

// Heap is a radix heap of timers with values of type T. Make it with New. It keeps
// the contract of structures.Scheduler, and is for one goroutine at a time.
type Heap[T any] struct {
	clock clock.Clock
	table slab.Table[T]
	core  core
}

// New returns an empty heap whose clock stands at tick 0. It panics when an option
// is invalid.
func New[T any](opts ...Option) *Heap[T] {
	var c config
	for _, set := range opts {
		set(&c)
	}
	option.Between("radixheap", "Capacity", c.capacity, 0, slab.MaxCapacity)
	return &Heap[T]{table: slab.New[T](c.capacity), core: newCore(c.capacity)}
}

// Schedule adds a pending timer that comes due at tick deadline and returns the ID
// that names it. It costs O(1), amortised over growth.
func (h *Heap[T]) Schedule(deadline structures.Tick, value T) structures.ID {
	slot, id := h.table.Put(value)
	h.core.add(slot, h.clock.Clamp(deadline))
	return id
}

// Reschedule moves a pending timer to tick deadline, behind all timers of that
// deadline; it keeps its ID and its value. It returns false when id is not pending.
// It costs O(1).
func (h *Heap[T]) Reschedule(id structures.ID, deadline structures.Tick) bool {
	slot := h.table.Find(id)
	if slot == slab.None {
		return false
	}
	h.core.remove(slot)
	h.core.add(slot, h.clock.Clamp(deadline))
	return true
}

// Cancel removes a pending timer. It returns false when id is not pending. It costs
// O(1).
func (h *Heap[T]) Cancel(id structures.ID) bool {
	slot := h.table.Find(id)
	if slot == slab.None {
		return false
	}
	h.core.remove(slot)
	h.table.Free(slot)
	return true
}

// Pop moves the clock to tick now, unless it is there or past it, and removes and
// returns a timer with the earliest deadline, if that is due: FIFO among timers of
// one deadline. It costs O(1), and O(timers in it) for a bucket that is spread,
// which happens to a timer at most 63 times.
func (h *Heap[T]) Pop(now structures.Tick) (t structures.Timer[T], ok bool) {
	now = h.clock.Advance(now)
	if h.table.Len() == 0 || h.core.next() > now {
		return t, false
	}
	slot := h.core.pop(now)
	if slot == slab.None {
		return t, false // the bound was the deadline of a timer since cancelled
	}
	t.ID, t.Deadline = h.table.ID(slot), h.core.lists.Deadline(slot)
	t.Value = h.table.Free(slot)
	return t, true
}

// Next returns the earliest deadline or, where the timer that had it was cancelled
// or moved, possibly that older and earlier one; a Pop at that tick spreads a bucket.
// It is after the clock unless a timer is due now. ok is false when nothing is
// pending. It costs as much as Pop.
func (h *Heap[T]) Next() (at structures.Tick, ok bool) {
	if h.table.Len() == 0 {
		return 0, false
	}
	h.core.advance(h.clock.Now())
	return h.core.next(), true
}

// Len returns the number of pending timers, in O(1).
func (h *Heap[T]) Len() int { return h.table.Len() }

// Work returns the counters of the work done so far, by Pop and by Next:
//
//   - SlotsVisited: one for each bucket that is spread.
//   - Moved: one for each timer of a bucket that is spread.
func (h *Heap[T]) Work() structures.Work { return h.core.work }

// CheckInvariants walks the whole heap and names the first broken invariant. It
// costs O(n).
func (h *Heap[T]) CheckInvariants() error {
	if err := h.table.CheckInvariants(); err != nil {
		return err
	}
	return h.core.check(h.clock.Now(), h.table.Len(), h.table.InUse)
}
