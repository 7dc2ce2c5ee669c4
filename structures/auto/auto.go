// Package auto is a timer structure to take without thinking: pools without order while
// timers are few, and a hierarchical timer wheel in which no call takes long when they are
// many.
//
// Up to 12,000 timers are in pools. A pool is a list of timers in no order, all of which
// are due after those of the pool before it. To schedule, cancel or move a timer mostly
// writes its record, and no more. The next few timers to fire are sorted. When they have
// fired, a sample says how far to go to take about an eighth of the next pool.
//
// With more, all timers are in the wheel. When fewer than an eighth of the limit are
// left, they go back to the pools. Level 0 has 4096 slots of one tick each, level 1 has
// 4096 slots of 256 ticks, and so on. A timer that is further away than 4096 ticks goes to a
// higher level, and cascades to the levels below before it is due. So Schedule and Cancel
// cost O(1) for any delay, and every timer fires exactly at its tick.
//
// Pedigree. To sort only the next ones and to leave the rest in coarse lists is the idea of
// the ladder queue (Tang, Goh and Thng 2005), whose rungs are of equal width. The limits
// here are quantiles, so that no distribution of deadlines is a bad one. As in Go's
// runtime, the listing of a cancelled timer is used again by the next one.
//
// The hierarchy is scheme 7 of Varghese and Lauck, "Hashed and Hierarchical
// Timing Wheels" (SOSP 1987). A slot of Linux before 4.8 cascades in one go when it
// starts. The wheel of ratas (Juho Snellman, 2016) does so in steps, if the caller limits
// the work of a call. This package differs:
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
// Costs. Schedule, Reschedule and Cancel are O(1). In the pools Pop takes O(log n) on
// average: for each timer that fires it looks at about eight others for each pool on its
// way. The longest call looks at all that are in pools. The change between pools and wheel
// moves up to 12,000 timers in one call, in 0.1 to 0.2 ms. In the wheel Pop is O(1) and the
// cascades. If the clock goes tick by tick, a call moves about one timer in 3840 of those
// pending at most, or 900 for each level, whatever their deadlines: 2,600 of ten million. A
// clock that jumps pays for all that it passes.
//
// Ties. Timers with equal deadlines fire in unspecified order.
//
// Memory. Empty it takes less than 1 KiB. A timer takes 16 bytes and the value. In the
// pools it takes about 8 bytes of lists as well. In the wheel it takes 5 to 15 bytes of
// chunks: 5 where few are cancelled, 15 where most are. Timers that are alone in a chunk
// take 66 bytes for it. Levels are made when they are used first, and take 33 KiB each.
// Pages have up to 96 KiB, or one value if that is larger.
//
// Pick it unless timers with equal deadlines must fire in the order of their scheduling:
// then pick package hwheellist. A tickless driver is rarely woken up for nothing: Next
// names the start of a slot that cascades only if the slot has more than one chunk.
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
// Unless many is set, all timers are in pools. Otherwise a pending timer is in the arrival
// buffer, in a slot, or in departures. No timer in the arrival buffer or in departures is due
// before soonest, and no other one before nextWork. If one is due at the cursor, and many
// is set, nextWork is not after the clock instead.
type Timers[T any] struct {
	clock    structures.Tick
	nextWork structures.Tick
	soonest  structures.Tick
	many     bool
	fewLimit int // most timers in pools
	settled  int // timers that are not in the arrival buffer
	buffers  *buffers[T]
	records  records[T]
	pools    pools[T]
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
	t.pools.reserve(int(min(n, fewLimit)))
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
	if !t.many {
		if t.settled >= t.fewLimit {
			return t.scheduleFull(deadline, value)
		}
		if deadline < t.nextWork {
			t.nextWork = deadline
		}
		return t.scheduleFew(deadline, value)
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
	position := b.arrived & bufferMask
	b.arrived++
	r := b.records[position]
	r.deadline, r.value = deadline, value
	return b.ids[position]
}

// scheduleFull is Schedule if there is no room in the pools or in the arrival buffer.
func (t *Timers[T]) scheduleFull(deadline structures.Tick, value T) structures.ID {
	if t.many {
		t.settle()
	} else {
		t.beginWheel()
	}
	return t.Schedule(deadline, value)
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
	if !t.many {
		return t.rescheduleFew(index, r, deadline)
	}
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
	if !t.many {
		return t.cancelFew(index, r)
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
	if !t.many {
		return t.popFew()
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
		var none T
		r.value = none
		r.generation++
		r.where = nowhere
		t.settled--
		if t.records.full() {
			t.records.makeRoom(1)
		}
		t.records.push(index, r)
		return due, true
	}
}

// Len returns the number of pending timers.
func (t *Timers[T]) Len() int {
	if !t.many {
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
// The pools add timers that went to another pool or to the front (Moved), stale listings
// and entries (Dropped), and deadlines compared with a limit or with one another
// (Comparisons).
func (t *Timers[T]) Work() structures.Work {
	w, p := t.wheel.work, t.pools.work
	w.Moved += p.Moved
	w.Dropped += p.Dropped
	w.Comparisons += p.Comparisons
	return w
}
