// Package hwheel is the core of package hwheel, on records that its user has: a hierarchical
// timer wheel in which no call takes long.
package hwheel

import (
	"math"
	"math/bits"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/records"
)

// Wheel holds timers: in the arrival buffer, in slots, or in departures. Make it with New.
//
// Invariants:
//
//   - No timer in the arrival buffer or in departures is due before buffersDue.
//   - No timer in a slot is due before slotsDue, nor is there anything to do in steps. If a
//     timer is due at the cursor, slotsDue is not after the clock instead.
type Wheel struct {
	slotsDue   structures.Tick
	buffersDue structures.Tick
	count      int // timers that are not in the arrival buffer
	buffers
	hierarchy
}

// New returns an empty wheel whose clock is at tick 0.
func New() Wheel {
	return Wheel{
		slotsDue: math.MaxInt64, buffersDue: math.MaxInt64,
		hierarchy: hierarchy{cascadeAt: math.MaxInt64, stepAt: math.MaxInt64},
	}
}

// Reserve makes room for n timers. Each slot of the two lowest levels may have a chunk
// that is not full.
func (w *Wheel) Reserve(rs *records.Set, n uint64) {
	rs.ReserveTimers(n + bufferLen)
	w.chunks.reserve(1 + n/records.Places + min(n, 2*ringLen))
	w.ring(0)
	w.ring(1)
}

// Len returns the number of timers.
func (w *Wheel) Len() int { return w.count + int(w.arrived) }

// Quiet returns a tick before which no timer is due, and nothing is to be done.
func (w *Wheel) Quiet() structures.Tick { return min(w.slotsDue, w.buffersDue) }

// Work returns the counters of the work done so far: slots of level 0 whose timers fired, and
// slots of other levels that cascaded, once for each step (SlotsVisited), and timers that
// cascaded (Moved).
func (w *Wheel) Work() structures.Work { return w.work }

// Schedule adds a timer with a deadline after the clock, whose record gets the value. It takes
// over the record of one that was cancelled, if there is any.
func (w *Wheel) Schedule(
	rs *records.Set, deadline structures.Tick,
) (structures.ID, *records.Record) {
	if w.noVacancies() {
		return w.scheduleArrival(rs, deadline)
	}
	v := w.occupy()
	r := rs.At(v.index)
	if r.Generation == 0 { // all are used
		w.clearPlaces(rs, []departure{v.departure})
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

// scheduleArrival is Schedule if there are no vacancies.
func (w *Wheel) scheduleArrival(
	rs *records.Set, deadline structures.Tick,
) (structures.ID, *records.Record) {
	if w.arrived == w.positions {
		w.flushArrivals(rs)
		w.openPositions(rs)
	}
	return w.Arrive(deadline)
}

// Reschedule moves the timer of a record to a deadline after the clock. It returns false if
// the record has none.
func (w *Wheel) Reschedule(
	rs *records.Set, index uint32, r *records.Record, deadline structures.Tick,
) bool {
	if deadline < w.buffersDue {
		w.buffersDue = deadline
	}
	from := r.Where
	if !from.InSlot() {
		if !w.pending(r) {
			return false
		}
		r.Deadline = deadline
		return true
	}
	if w.move(r, vacancy{departure{index, from}, r.Deadline}, deadline) {
		w.clearDepartures(rs)
	}
	return true
}

// pending reports whether a record that is in no slot has a pending timer.
func (w *Wheel) pending(r *records.Record) bool {
	return r.Pending() && (r.Where == records.Nowhere || chunkOf(r.Where) < w.arrived)
}

// Leave cancels the timer of a record that is in a slot. Its value is cleared. It reports whether
// ClearVacancies must be called.
func (w *Wheel) Leave(index uint32, r *records.Record) (full bool) {
	from := r.Where
	r.End()
	r.Where = records.Nowhere
	w.count--
	return w.vacate(index, from, r.Deadline)
}

// Pop removes a timer that is due at the clock, the earliest one. It returns its record, which
// still has the value, or nil.
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
			w.clearAll(rs) // this one was cancelled or moved
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

// Next returns the tick at which Pop next fires a timer or cascades a slot with many timers, or
// one from which timers were moved to later. There must be a timer.
func (w *Wheel) Next(rs *records.Set) structures.Tick {
	w.clearAll(rs)
	w.flush(rs)
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

// earliestIn returns a tick before which no timer of a slot is due, nor any other one of
// its level: the first deadline in the slot, or its start if the slot has more than a
// chunk.
func (w *Wheel) earliestIn(
	rs *records.Set, level uint, start structures.Tick,
) structures.Tick {
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
