// Package auto is a timer structure to take without thinking: lists with a sorted front
// while timers are few, and a hierarchical timer wheel in which no call takes long when
// they are many.
//
// Up to 12,000 timers are in lists: a hierarchical wheel with 64 slots a level, of 1, 64,
// 4096 ticks and so on. A slot has a linked list in no order. When a slot starts, its timers are
// sorted and fire from there, if they are at most 32 or have the same deadline. Otherwise they
// go to the levels below. To cancel a timer, or to move it to later, its record is written, and
// no more. Its place in the list is used again, or dropped when the slot starts.
//
// With more, all timers are in a wheel of another form. They move there a few in each call.
// When fewer than an eighth of the limit are left, they go back to lists. Level 0 of this wheel
// has 4096 slots of one tick each, level 1 has 4096 slots of 256 ticks, and so on. A timer that
// is further away than 4096 ticks goes to a higher level, and cascades to the levels below
// before it is due. So Schedule and Cancel cost O(1) for any delay, and every timer fires
// exactly at its tick.
//
// Pedigree. The hierarchy is scheme 7 of Varghese and Lauck, "Hashed and Hierarchical Timing
// Wheels" (SOSP 1987). The level of a list is that of the first digit in which a deadline
// differs from now, as in the radix heap (Ahuja, Mehlhorn, Orlin and Tarjan 1990). To sort only
// the next ones and to leave the rest in coarse lists is the idea of the ladder queue (Tang,
// Goh and Thng 2005). As in Go's runtime, the place of a cancelled timer is used again by the
// next one.
//
// A slot of Linux before 4.8 cascades in one go when it starts. The wheel of ratas (Juho
// Snellman, 2016) does so in steps, if the caller limits the work of a call. The wheel for
// many timers differs:
//
//   - A slot is a list of chunks. A chunk is one cache line: the indexes of up to 14
//     records. A bit mask says which of them hold a timer. The masks of a million timers
//     fit the second-level cache.
//   - Each timer has one record: 16 bytes and the value. It says in which place of which
//     chunk the timer is. So Cancel clears one bit. Nothing dead stays behind, and nothing
//     is swept. A chunk without timers is taken out of its list at once.
//   - New timers wait in a buffer until there are 32, or until one is due. So do timers
//     that were cancelled or moved, whose places are still to be cleared. The cache misses
//     of 32 timers overlap that way. Most timers that are cancelled soon never leave the
//     buffer.
//   - A timer that is moved to later keeps its place, unless that is in level 0: the slot
//     cascades in time, and the record has the deadline. A new timer takes over the record
//     of one that was cancelled, and in the same way its place.
//   - Levels overlap: a slot of level 1 can be emptied from 3840 ticks before its start
//     on. If it holds many timers, it is emptied in steps, some at each tick, so that it
//     is empty when it starts. The same holds for the levels above.
//   - Memory grows by pages. No call copies more than one page.
//
// Costs. Schedule, Reschedule and Cancel are O(1). Pop is O(1) and the cascades: in its whole
// life a timer costs O(levels). In lists, a slot is emptied in one call, which looks at 12,000
// timers at most. While timers move from the lists to the wheel, each call moves 16, and Pop
// those that may be due. In the wheel, if the clock goes tick by tick, a call moves about one
// timer in 3840 of those pending at most, or 900 for each level, whatever their deadlines:
// 2,600 of ten million. A clock that jumps pays for all that it passes.
//
// Ties. Timers with equal deadlines fire in unspecified order.
//
// Memory. Empty it takes less than 1 KiB. A timer takes 16 bytes and the value. In lists it
// takes 8 bytes more, a level takes 128 bytes, and the fullest slot so far takes 16 bytes a
// timer. In the wheel it takes 5 to 15 bytes of chunks: 5 where few are cancelled, 15 where
// most are. Timers that are alone in a chunk take 66 bytes for it. Levels are made when they
// are used first, and take 33 KiB each. Pages have up to 96 KiB, or one value if that is
// larger.
//
// Pick it unless timers with equal deadlines must fire in the order of their scheduling: then
// pick package hwheellist. A tickless driver is rarely woken up for nothing: Next names the
// start of a slot that cascades only if the slot has more than 32 timers, or more than one
// chunk in the wheel.
package auto

import (
	"math"
	"math/bits"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/option"
)

type config struct{ capacity int }

// Option sets one of the parameters of Timers.
type Option func(*config)

// Capacity reserves room for n timers of up to a million ticks, n at least 0, by
// default 0. New panics otherwise. There may be more: the structure grows as needed.
func Capacity(n int) Option { return func(c *config) { c.capacity = n } }

// Timers is a set of pending timers. Make it with New. It keeps the contract of
// structures.Scheduler, and is for one goroutine at a time.
//
// If mode is few, all timers are in lists. Otherwise a pending timer is in the arrival buffer,
// in a slot, or in departures, or in a list if mode is changing. No timer in the arrival buffer
// or in departures is due before soonest, and no other one before nextWork. If one is due at the
// cursor, nextWork is not after the clock instead.
type Timers[T any] struct {
	clock    structures.Tick
	nextWork structures.Tick
	soonest  structures.Tick
	mode     mode
	fewLimit int // most timers in lists
	settled  int // timers that are not in the arrival buffer
	buffers  *buffers[T]
	records  records[T]
	lists    lists[T]
	wheel
}

var _ structures.Scheduler[int] = (*Timers[int])(nil)

// New returns an empty set of timers whose clock is at tick 0. It panics if an option is
// invalid.
func New[T any](opts ...Option) *Timers[T] {
	c := option.Apply(config{}, opts)
	option.Between("auto", "Capacity", c.capacity, 0, maxTimers)
	t := &Timers[T]{nextWork: math.MaxInt64, soonest: math.MaxInt64, fewLimit: fewLimit}
	t.nextAbove, t.aheadAt = math.MaxInt64, math.MaxInt64
	if c.capacity > 0 {
		t.reserve(uint64(c.capacity))
	}
	return t
}

// reserve makes room for n timers. Each slot of the two lowest levels may have a chunk
// that is not full.
func (t *Timers[T]) reserve(n uint64) {
	t.lists.reserve(int(min(n, fewLimit)))
	t.records.Reserve(n + bufferLen)
	t.records.free.Reserve(n + bufferLen)
	if n > fewLimit {
		t.chunks.reserve(1 + n/chunkLen + min(n, 2*ringLen))
		t.buffers = new(buffers[T])
		t.ring(0)
		t.ring(1)
	}
}

// Schedule adds a pending timer that is due at deadline, in ticks, and returns its ID. A
// deadline at or before the clock counts as the tick after the clock. Schedule costs
// O(1). Every 32nd call moves 32 timers from the arrival buffer to slots.
func (t *Timers[T]) Schedule(deadline structures.Tick, value T) structures.ID {
	if deadline <= t.clock {
		deadline = t.afterClock()
	}
	if t.mode != many {
		rs := &t.records
		if t.mode != few || t.settled >= t.fewLimit || rs.freeCount == 0 {
			return t.scheduleFull(deadline, value)
		}
		if deadline < t.nextWork {
			t.nextWork = deadline
		}
		rs.freeCount--
		index := *rs.free.At(rs.freeCount)
		r := rs.At(index)
		r.deadline, r.value = deadline, value
		r.generation++
		t.settled++
		if t.lists.settled(r.where, deadline) {
			return idOf(index, r.generation)
		}
		return t.place(index, r)
	}
	if deadline < t.soonest {
		t.soonest = deadline
	}
	b := t.buffers
	if !b.empty() {
		return t.takeOver(deadline, value)
	}
	if b.arrived == bufferLen {
		return t.scheduleFull(deadline, value)
	}
	return b.arrive(deadline, value)
}

// scheduleFull is Schedule if there is no free record or no room in the lists, or no room in the
// arrival buffer, or while timers move from the lists to the wheel.
func (t *Timers[T]) scheduleFull(deadline structures.Tick, value T) structures.ID {
	if t.mode == few {
		if t.settled < t.fewLimit {
			return t.scheduleFirst(deadline, value)
		}
		t.beginWheel()
	}
	if t.mode == changing {
		t.change()
	}
	t.soonest = min(t.soonest, deadline)
	b := t.buffers
	if !b.empty() {
		return t.takeOver(deadline, value)
	}
	if b.arrived == bufferLen {
		t.settle()
	}
	return b.arrive(deadline, value)
}

// afterClock returns the tick after the clock, or the last tick of all.
func (t *Timers[T]) afterClock() structures.Tick { return t.clock + min(1, math.MaxInt64-t.clock) }

// Reschedule moves a pending timer to deadline. The timer keeps its ID and its value. It
// returns false, and changes nothing, if id is not pending. It costs O(1). Every 32nd
// call moves 32 timers to their new slots.
func (t *Timers[T]) Reschedule(id structures.ID, deadline structures.Tick) bool {
	index := uint32(id)
	if index >= t.records.Fresh() {
		return false
	}
	r := t.records.At(index)
	if r.generation != uint32(id>>32) {
		return false
	}
	if t.mode == many || t.mode == changing && !r.where.inList() {
		return t.rescheduleMany(index, r, deadline)
	}
	if r.generation&1 == 0 {
		return false
	}
	if deadline <= t.clock {
		deadline = t.afterClock()
	}
	if deadline < t.nextWork {
		t.nextWork = deadline
	}
	if t.lists.settled(r.where, deadline) {
		r.deadline = deadline
		return true
	}
	return t.rescheduleFew(index, r, deadline)
}

// rescheduleMany is Reschedule for a timer of the wheel, for a record with the generation of
// the ID.
func (t *Timers[T]) rescheduleMany(index uint32, r *record[T], deadline structures.Tick) bool {
	if deadline <= t.clock {
		deadline = t.afterClock()
	}
	if deadline < t.soonest {
		t.soonest = deadline
	}
	from := r.where
	if !from.inSlot() {
		if !t.pending(r) {
			return false
		}
		r.deadline = deadline
		return true
	}
	if t.buffers.move(r, vacancy{departure{index, from}, r.deadline}, deadline) {
		t.endDepartures()
	}
	return true
}

// pending reports whether a record that is in no slot has a pending timer.
func (t *Timers[T]) pending(r *record[T]) bool {
	return r.generation&1 == 1 && (r.where == nowhere || r.where.chunk() < t.buffers.arrived)
}

// Cancel removes a pending timer. It returns false, and changes nothing, if id is not
// pending. It costs O(1). Every 32nd call clears the places of 32 timers in slots.
func (t *Timers[T]) Cancel(id structures.ID) bool {
	index := uint32(id)
	if index >= t.records.Fresh() {
		return false
	}
	r := t.records.At(index)
	if r.generation != uint32(id>>32) {
		return false
	}
	if t.mode != many && (t.mode == few || r.where.inList()) {
		if r.generation&1 == 0 {
			return false
		}
		// As release. The call would take an eighth of start-stop.
		var none T
		r.value = none
		r.generation++
		t.settled--
		if t.records.full() {
			t.records.makeRoom(1)
		}
		t.records.push(index, r)
		return true
	}
	from := r.where
	if !from.inSlot() {
		return t.cancelElsewhere(r)
	}
	var none T
	r.value = none
	r.generation++
	r.where = nowhere
	t.settled--
	if t.buffers.vacate(index, from, r.deadline) {
		t.endVacancies()
	}
	return true
}

// Pop moves the clock to now if now is later. It removes and returns one timer that is
// due: the earliest first, in unspecified order among equal deadlines. It costs O(1), and
// what workAhead and the cascades cost: in its whole life a timer costs O(levels),
// whatever the width of the jumps.
func (t *Timers[T]) Pop(now structures.Tick) (due structures.Timer[T], ok bool) {
	if now > t.clock {
		t.clock = now
	}
	if min(t.nextWork, t.soonest) > t.clock {
		return due, false
	}
	if t.mode != many {
		if t.mode == few {
			return t.popFew()
		}
		t.moveDue()
	}
	for {
		n := t.firing().chunk()
		if n == 0 {
			if !t.advance() {
				if t.settled < t.fewLimit/fewAgain {
					t.endWheel()
				}
				return due, false
			}
			continue
		}
		mask := t.chunks.mask.At(n)
		index := t.chunks.chunk.At(n).timers[bits.TrailingZeros16(*mask)&placeMask]
		r := t.records.At(index)
		if r.where == nowhere {
			t.clearAll() // this one was cancelled or moved
			continue
		}
		*mask &= *mask - 1
		if *mask == 0 {
			t.unlink(n)
			if t.firing() != 0 {
				t.prefetchFiring()
			}
		}
		due = structures.Timer[T]{ID: idOf(index, r.generation), Deadline: r.deadline, Value: r.value}
		r.where = nowhere
		t.release(index, r)
		return due, true
	}
}

// release makes the record of a timer free that is in lists or has fired.
func (t *Timers[T]) release(index uint32, r *record[T]) {
	var none T
	r.value = none
	r.generation++
	t.settled--
	if t.records.full() {
		t.records.makeRoom(1)
	}
	t.records.push(index, r)
}

// Len returns the number of pending timers.
func (t *Timers[T]) Len() int {
	if t.buffers == nil {
		return t.settled
	}
	return t.settled + int(t.buffers.arrived)
}

// Work returns the counters of the work done so far:
//
//   - SlotsVisited: slots of level 0 whose timers fired, and slots of other levels
//     that cascaded. A slot that was emptied in steps counts once for each step.
//   - EmptySlots: none, because a bitmap leads to the occupied slots.
//   - Moved: timers that cascaded.
//   - Dropped: none, because the places of cancelled timers are cleared.
//   - Comparisons: none, because the slots are in order.
//
// The lists add slots that were emptied (SlotsVisited), timers that went to another list or to
// the front (Moved), free records and stale entries (Dropped), and deadlines compared with one
// another (Comparisons).
func (t *Timers[T]) Work() structures.Work {
	w, p := t.wheel.work, t.lists.work
	w.SlotsVisited += p.SlotsVisited
	w.Moved += p.Moved
	w.Dropped += p.Dropped
	w.Comparisons += p.Comparisons
	return w
}
