// Package hwheel is the core of packages hwheel and auto: a hierarchical timer wheel in which no call takes long. The caller owns
// the records of the timers.
package hwheel

import (
	"math"
	"math/bits"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/paged"
	"github.com/timerbench/timerbench/structures/internal/records"
	"github.com/timerbench/timerbench/structures/internal/runs"
)

// Wheel holds timers in the arrival buffer, in slots and in departures. New makes one.
//
// Invariants:
//
//   - No timer in the arrival buffer or in departures is due before buffersDue.
//   - Before slotsDue, no timer in a slot is due and no slot needs a step of emptyAhead. While a timer is due at the cursor,
//     slotsDue is at or before the clock.
type Wheel struct {
	slotsDue   structures.Tick
	buffersDue structures.Tick
	count      int // timers outside the arrival buffer
	buffers
	hierarchy
	Runs    *runs.Runs // for new timers that come in order, from which the caller takes them; nil: none
	flushes uint8      // runs are told of the timers of some
}

// New returns an empty wheel whose clock is at tick 0. runs may be nil. The chunks are on huge pages if the records are.
func New(rs *records.Set, runs *runs.Runs) *Wheel {
	w := &Wheel{
		Runs:     runs,
		slotsDue: math.MaxInt64, buffersDue: math.MaxInt64,
		hierarchy: hierarchy{
			cascadeAt: math.MaxInt64, stepAt: math.MaxInt64,
			chunks: chunks{chunk: paged.ArrayOf[chunk](), mask: paged.ArrayOf[uint16]()},
		},
	}
	w.chunks.chunk.Huge, w.chunks.mask.Huge = rs.Huge, rs.Huge
	return w
}

// Reserve makes room for n timers. It allows for one chunk with free places in each slot of the two lowest levels.
func (w *Wheel) Reserve(rs *records.Set, n uint64) {
	rs.ReserveTimers(n + bufferLen)
	w.chunks.reserve(1 + n/records.Places + min(n, 2*ringLen))
	w.ring(0)
	w.ring(1)
}

// MayFire reports whether a timer that is due before a tick may be in the wheel.
func (w *Wheel) MayFire(before structures.Tick) bool { return w.Quiet() < before && w.cursor < before }

// Len returns the number of timers.
func (w *Wheel) Len() int { return w.count + int(w.arrived) }

// Quiet returns a tick before which no timer is due and no slot needs work.
func (w *Wheel) Quiet() structures.Tick { return min(w.slotsDue, w.buffersDue) }

// Work returns the counters. SlotsVisited counts the slots of level 0 from which timers fired and each step in which a higher
// slot cascaded. Moved counts the timers that cascaded.
func (w *Wheel) Work() structures.Work { return w.work }

// Schedule adds a timer and returns its record, in which the caller stores the value. The deadline must be after the clock.
// Schedule reuses the record of a cancelled timer if there is one.
func (w *Wheel) Schedule(rs *records.Set, deadline structures.Tick) (structures.ID, *records.Record) {
	if w.noVacancies() {
		return w.scheduleArrival(rs, deadline)
	}
	v := w.occupy()
	r := rs.At(v.index)
	if r.Generation == 0 { // the record has used up its generations
		w.clearPlaces(rs, []departure{v})
		return w.Schedule(rs, deadline)
	}
	if deadline < w.buffersDue {
		w.buffersDue = deadline
	}
	r.Generation++
	w.count++
	id := records.IDOf(v.index, r.Generation)
	if w.move(r, v, deadline) {
		w.clearDepartures(rs)
	}
	return id, r
}

// scheduleArrival is Schedule without vacancies.
func (w *Wheel) scheduleArrival(rs *records.Set, deadline structures.Tick) (structures.ID, *records.Record) {
	if w.arrived == w.positions {
		w.flushArrivals(rs)
		w.openPositions(rs)
	}
	return w.Arrive(deadline)
}

// Reschedule moves the timer of a record to a deadline after the clock. It returns false if the record has no pending timer.
func (w *Wheel) Reschedule(rs *records.Set, index uint32, r *records.Record, deadline structures.Tick) bool {
	if deadline < w.buffersDue {
		w.buffersDue = deadline
	}
	from := r.Where
	if !from.InSlot() {
		if from == records.InRun {
			return w.moveInRun(rs, index, r, deadline)
		}
		if !r.Pending() || from != records.Nowhere && chunkOf(from) >= w.arrived { // gone, or a prepared ID
			return false
		}
		r.Deadline = deadline
		w.comeBack(index, r)
		return true
	}
	if w.move(r, departure{index, from, r.Deadline}, deadline) {
		w.clearDepartures(rs)
	}
	return true
}

// moveInRun is Reschedule for a record of a run. A timer that moves to later keeps its entry there.
func (w *Wheel) moveInRun(rs *records.Set, index uint32, r *records.Record, deadline structures.Tick) bool {
	earlier := deadline < r.Deadline
	if !r.Pending() {
		return false
	}
	if r.Deadline = deadline; earlier {
		w.Runs.Leave(rs)
		w.Adopt(rs, index)
	}
	return true
}

// Leave cancels a timer in a slot. The caller has cleared the value. If Leave returns true, the caller must call ClearVacancies.
func (w *Wheel) Leave(index uint32, r *records.Record) (full bool) {
	from := r.Where
	r.End()
	r.Where = records.Nowhere
	w.count--
	return w.vacate(index, from, r.Deadline)
}

// Pop removes the earliest timer that is due at the clock and returns its record, which still has the value. It returns nil if no
// timer is due.
func (w *Wheel) Pop(rs *records.Set) (structures.ID, *records.Record) {
	if w.levels[0] == nil {
		return 0, nil
	}
	for {
		n := w.firing().chunk()
		if n == 0 {
			if !w.advance(rs) {
				return 0, nil
			}
			continue
		}
		mask := w.chunks.mask.At(n)
		index := w.chunks.chunk.At(n).timers[bits.TrailingZeros16(*mask)&records.TagMask]
		r := rs.At(index)
		if r.Where == records.Nowhere {
			w.clearAll(rs) // this timer was cancelled or moved
			continue
		}
		*mask &= *mask - 1
		if *mask == 0 {
			w.unlink(n)
			if w.firing() != 0 {
				w.prefetchFiring(rs)
			}
		}
		id := records.IDOf(index, r.Generation)
		r.Where = records.Nowhere
		r.Generation++
		w.count--
		rs.Release(index, r)
		return id, r
	}
}

// Settle moves the timers of the arrival buffer, and those that left their places, to slots or to runs.
func (w *Wheel) Settle(rs *records.Set) {
	w.clearAll(rs)
	w.flush(rs)
}

// Next returns the tick at which Pop next fires a timer or cascades a slot that needs it: one with more than a chunk of timers,
// or with timers that moved to later. The wheel must have a timer.
func (w *Wheel) Next(rs *records.Set) structures.Tick {
	w.Settle(rs)
	if w.firing() != 0 || w.advance(rs) {
		return w.cursor
	}
	at, _ := w.firstOf(0)
	for level := uint(1); level < Levels; level++ {
		if start, ok := w.firstOf(level); ok && start < at {
			at = min(at, w.earliestIn(rs, level, start))
		}
	}
	return at
}

// earliestIn returns the first deadline in the first slot of a level, or the start of the slot if it has more than one chunk. No
// timer of the level is due earlier.
func (w *Wheel) earliestIn(rs *records.Set, level uint, start structures.Tick) structures.Tick {
	n := w.levels[level].lists[slotOf(level, start)].chunk()
	c := w.chunks.chunk.At(n)
	if c.next != 0 {
		return start
	}
	at := start | (1<<widthBits(level) - 1)
	for rest := *w.chunks.mask.At(n); rest != 0; rest &= rest - 1 {
		at = min(at, rs.At(c.timers[bits.TrailingZeros16(rest)&records.TagMask]).Deadline)
	}
	return at
}

// Begin prepares an empty wheel for Adopt. No adopted timer may be due before the cursor.
func (w *Wheel) Begin(cursor structures.Tick) {
	w.ring(0)
	w.cursor = cursor
}

// Adopt adds the timer of a record to a slot. It must not be due before the cursor.
func (w *Wheel) Adopt(rs *records.Set, index uint32) {
	r := rs.At(index)
	r.Where = w.add(index, r.Deadline)
	w.count++
	w.slotsDue = min(w.slotsDue, w.stepAt, r.Deadline)
}

// End moves all timers into slots, from which TakeFirst takes them. It returns a tick before which no timer is due.
func (w *Wheel) End(rs *records.Set) structures.Tick {
	w.Settle(rs)
	for _, id := range w.ids[:w.positions] {
		r := rs.At(uint32(id))
		r.Generation++
		r.Where = records.Nowhere
		rs.Release(uint32(id), r)
	}
	w.positions = 0
	return w.cursor
}

// TakeFirst removes a timer from the lowest occupied level. Call End first. ok is false if the wheel is empty.
func (w *Wheel) TakeFirst(rs *records.Set) (index uint32, ok bool) {
	for _, g := range w.levels {
		if g == nil || g.empty() {
			continue
		}
		n := g.lists[g.next(0)].chunk()
		mask := w.chunks.mask.At(n)
		index = w.chunks.chunk.At(n).timers[bits.TrailingZeros16(*mask)&records.TagMask]
		*mask &= *mask - 1
		if *mask == 0 {
			w.unlink(n)
		}
		rs.At(index).Where = records.Nowhere
		w.count--
		return index, true
	}
	w.slotsDue, w.cascadeAt, w.stepAt = math.MaxInt64, math.MaxInt64, math.MaxInt64
	return 0, false
}
