// Package wheel is a flat (hashed) timer wheel.
//
// It is an array of slots, one for each tick, over which the clock turns: a timer
// is in the slot of its deadline, modulo the number of slots. One whose deadline
// is more than a revolution away stays where it is while the clock passes. So a
// timer is scheduled and cancelled in O(1) and never moved before it fires, on
// its tick exactly.
//
// Pedigree. It is scheme 6 of Varghese and Lauck, "Hashed and Hierarchical Timing
// Wheels" (SOSP 1987), the hash table with unsorted lists; Netty, go-zero and
// gocorex/cron have one. What is different here: instead of a count of rounds to
// go that has to be brought down, a timer keeps its deadline, and a slot the
// earliest of those in it, so that passing a slot without anything due is one
// comparison; a bitmap leads to the occupied slots, so that no empty one is ever
// visited; and a jump over many revolutions passes each slot once and puts what is
// due in order by a radix sort on the revolution, without a comparison. Nothing is
// rounded, neither deadlines nor the number of slots.
//
// Costs. Schedule, Reschedule and Cancel O(1). A slot that has a timer due is gone
// through as a whole, so a timer costs O(1) plus a look in each revolution before
// its own in which another timer of its slot fires: delay/slots looks at most.
// That is the price of having one level only. Next is O(1) as long as its answer
// is known, and otherwise searches the occupied slots, up to the first timer due
// within a revolution. A cancelled timer
// leaves its list when 64 have gathered, or with the next Pop or Next, if sooner;
// its value is let go at once.
//
// Ties. Timers of one deadline fire in the order in which they were last
// scheduled or rescheduled (FIFO).
//
// Default. 65,536 slots, 1 MiB when empty: with ticks of a millisecond a revolution
// is a minute, and the usual delays fit it. Measured with a million timers of up to
// 60,000 ticks, each scheduled again when it fires, 16,384 slots took nearly twice
// as long a timer (1.4 looks at timers not due), 4096 slots 4 to 5 times (7 looks)
// and 512 slots 30 times (59 looks). Take fewer where an empty wheel must be small.
//
// Pick it where most delays fit a revolution, many timers or few: then no timer is
// handled before it fires. Pick package hwheel where delays span many revolutions.
package wheel

import (
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/clock"
	"github.com/timerbench/timerbench/structures/internal/fifo"
	"github.com/timerbench/timerbench/structures/internal/option"
	"github.com/timerbench/timerbench/structures/internal/slab"
)

// maxSlots is the largest number of slots.
const maxSlots = 1 << 26

type config struct{ slots, capacity int }

// Option sets one of the parameters of a Wheel.
type Option func(*config)

// Slots sets the number of slots: any from 1 to 2^26, a tick each, by default
// 65,536. New panics otherwise. A power of two saves a division an operation. A
// slot takes 16 bytes.
func Slots(n int) Option { return func(c *config) { c.slots = n } }

// Capacity reserves room for n timers, n at least 0, by default 0. New panics
// otherwise. A wheel grows beyond it as needed.
func Capacity(n int) Option { return func(c *config) { c.capacity = n } }

// Wheel is a flat timer wheel. Make it with New. It keeps the contract of
// structures.Scheduler, and is for one goroutine at a time.
type Wheel[T any] struct {
	clock clock.Clock
	table slab.Table[T]
	ring  ring

	arrivals  fifo.Arrivals // slots in use, not yet in the ring
	cancelled fifo.Deferred // slots withheld from the table, still in the ring
}

var _ structures.Scheduler[int] = (*Wheel[int])(nil)

// New returns an empty wheel whose clock stands at tick 0. It panics when an
// option is invalid.
func New[T any](opts ...Option) *Wheel[T] {
	c := config{slots: 1 << 16}
	for _, opt := range opts {
		opt(&c)
	}
	option.Between("wheel", "Slots", c.slots, 1, maxSlots)
	option.Between("wheel", "Capacity", c.capacity, 0, slab.MaxCapacity)
	return &Wheel[T]{
		table: slab.New[T](c.capacity),
		ring:  newRing(c.slots, c.capacity),

		arrivals: fifo.NewArrivals(c.capacity),
	}
}

// Schedule adds a pending timer that comes due at deadline, in ticks, and
// returns its ID. A deadline at or before the clock counts as the tick after
// it. It costs O(1), amortised over growth and over batches of 64
// that are linked together.
func (w *Wheel[T]) Schedule(deadline structures.Tick, value T) structures.ID {
	slot, id := w.table.Put(value)
	w.arrive(slot, deadline)
	return id
}

// Reschedule moves a pending timer to deadline, behind all timers of that
// deadline; it keeps its ID and its value. It returns false, and touches
// nothing, when id is not pending. It costs O(1).
func (w *Wheel[T]) Reschedule(id structures.ID, deadline structures.Tick) bool {
	slot := w.table.Find(id)
	if slot == slab.None {
		return false
	}
	if !w.arrivals.Remove(&w.ring.lists, slot) {
		w.ring.remove(slot)
	}
	w.arrive(slot, deadline)
	return true
}

// Cancel removes a pending timer. It returns false, and touches nothing, when
// id is not pending. It costs O(1), amortised: every 64th call unlinks a batch.
func (w *Wheel[T]) Cancel(id structures.ID) bool {
	slot := w.table.Find(id)
	if slot == slab.None {
		return false
	}
	if w.arrivals.Remove(&w.ring.lists, slot) {
		w.table.Free(slot)
		return true
	}
	w.table.Withhold(slot)
	if w.cancelled.Add(slot) {
		w.unlink()
	}
	return true
}

// arrive takes a timer in that is in no list.
func (w *Wheel[T]) arrive(slot uint32, deadline structures.Tick) {
	w.ring.lists.SetDeadline(slot, w.clock.Clamp(deadline))
	if w.arrivals.Add(&w.ring.lists, slot) {
		w.ring.link(w.arrivals.Take())
	}
}

// settle catches up with the timers that have come and gone since the last time.
func (w *Wheel[T]) settle() {
	if w.cancelled.Len() > 0 {
		w.unlink()
	}
	if w.arrivals.Len() > 0 {
		w.ring.link(w.arrivals.Take())
	}
}

// unlink takes the cancelled timers out of their lists.
func (w *Wheel[T]) unlink() {
	slots := w.cancelled.Take(&w.ring.lists)
	for _, slot := range slots {
		w.ring.remove(slot)
	}
	w.table.Release(slots)
}

// Pop moves the clock to now, unless it is there or past it, and removes and
// returns one timer that is due: the earliest first, and FIFO among timers of
// one deadline. The first Pop that finds something due gathers all that is due
// up to now, and those after it cost O(1). Gathering costs O(1) for each
// occupied slot that the clock passes, and O(timers in it) for each of them that
// has a timer due; a slot that the clock passes many times counts once. It costs
// O(1) when no slot is passed that holds a timer.
func (w *Wheel[T]) Pop(now structures.Tick) (t structures.Timer[T], ok bool) {
	w.settle()
	slot := w.ring.pop(w.clock.Advance(now))
	if slot == slab.None {
		return t, false
	}
	t.ID = w.table.ID(slot)
	t.Deadline = w.ring.lists.Deadline(slot)
	t.Value = w.table.Free(slot)
	return t, true
}

// Next returns the earliest deadline, or an earlier tick that was the deadline
// of a timer since cancelled; a Pop at such a tick finds that out. It is after
// the clock unless a timer is due now. ok is false when no timer is pending. It
// costs O(1) while the answer is known; it is not after timers were gathered or
// the earliest was cancelled, and then costs O(occupied slots) up to the first
// one with a timer due within a revolution.
func (w *Wheel[T]) Next() (at structures.Tick, ok bool) {
	if w.table.Len() == 0 {
		return 0, false
	}
	w.settle()
	return w.ring.earliest(w.clock.Now()), true
}

// Len returns the number of pending timers.
func (w *Wheel[T]) Len() int { return w.table.Len() }

// CheckInvariants walks the whole wheel and names the first broken invariant.
// It costs O(slots/64 + timers).
func (w *Wheel[T]) CheckInvariants() error {
	if err := w.table.CheckInvariants(); err != nil {
		return err
	}
	return w.ring.check(w.clock.Now(), w.table.Len()+w.cancelled.Len()-w.arrivals.Count(), func(slot uint32) bool {
		return w.table.InUse(slot) || w.cancelled.Holds(slot)
	})
}

// Work returns the counters of the work done so far, by Pop and by Next:
//
//   - SlotsVisited: one each time that the bound of an occupied slot is looked
//     at, because the clock passes the slot or because Next searches for the
//     earliest timer.
//   - EmptySlots: none, as the bitmap leads to occupied slots only.
//   - Moved: one for each timer that is looked at in a slot and is not due, as it
//     has revolutions still to go.
//   - Comparisons: none, as the slots keep the order, and a radix sort where the
//     clock jumps over more than a revolution.
func (w *Wheel[T]) Work() structures.Work { return w.ring.work }
