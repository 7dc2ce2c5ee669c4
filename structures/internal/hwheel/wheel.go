// Package hwheel is the core of packages structures/hwheel and auto: a hierarchical timer wheel in which no call takes
// long. The caller holds the records.
package hwheel

import (
	"math"
	"math/bits"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/records"
)

// Wheel holds timers in slots, and in a buffer of timers that wait to be put into slots. Make it with New.
//
// Invariants:
//
//   - No timer in the buffer is due before buffersDue.
//   - No timer in a slot is due before slotsDue, and no step of emptyAhead is due before it. If a timer is due at the
//     cursor, slotsDue is not after the clock instead.
type Wheel struct {
	slotsDue   structures.Tick
	buffersDue structures.Tick
	count      int
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

// Reserve makes room for n timers. Each slot of the two lowest levels may have a chunk that is not full.
func (w *Wheel) Reserve(rs *records.Set, n uint64) {
	rs.ReserveTimers(n)
	w.chunks.reserve(1 + n/records.Places + min(n, 2*ringLen))
	w.ring(0)
	w.ring(1)
}

// Len returns the number of timers.
func (w *Wheel) Len() int { return w.count }

// Quiet returns a tick before which no timer is due and the wheel has nothing to do.
func (w *Wheel) Quiet() structures.Tick { return min(w.slotsDue, w.buffersDue) }

// Work returns the counters of the work done so far. SlotsVisited counts slots of level 0 whose timers fired, and steps
// that emptied slots of other levels. Moved counts timers that cascaded.
func (w *Wheel) Work() structures.Work { return w.work }

// Schedule adds a timer with a deadline after the clock. It returns the ID and the record, which gets the value.
func (w *Wheel) Schedule(rs *records.Set, deadline structures.Tick) (structures.ID, *records.Record) {
	var index uint32
	var r *records.Record
	if n := w.vacancies - 1; n < vacantLen {
		w.vacancies = n
		index = w.vacant[n]
		r = rs.At(index)
		if r.Generation == 0 { // all are used
			w.vacancies++
			w.fileAll(rs)
			return w.Schedule(rs, deadline)
		}
	} else {
		index = w.takeFree(rs)
		r = rs.At(index)
	}
	if deadline < w.buffersDue {
		w.buffersDue = deadline
	}
	r.Generation++
	w.count++
	id, full := records.IDOf(index, r.Generation), false
	switch {
	case r.Where == records.InBuffer:
		r.Deadline = deadline
		return id, r
	case r.Where.InSlot():
		full = w.move(index, r, deadline)
	default:
		full = w.arrive(index, r, deadline)
	}
	if full {
		w.file(rs)
	}
	return id, r
}

// takeFree takes a free record, or a new one.
func (w *Wheel) takeFree(rs *records.Set) uint32 {
	w.taken++
	if rs.HasFree() {
		return rs.TakeFree()
	}
	w.ring(0)
	index := rs.Take()
	rs.At(index).Where = records.Nowhere
	return index
}

// Reschedule moves the timer of a record to a deadline after the clock. It returns false if the record has none.
func (w *Wheel) Reschedule(rs *records.Set, index uint32, r *records.Record, deadline structures.Tick) bool {
	if !r.Pending() {
		return false
	}
	if deadline < w.buffersDue {
		w.buffersDue = deadline
	}
	if !r.Where.InSlot() {
		r.Deadline = deadline // it waits already
		return true
	}
	if w.move(index, r, deadline) {
		w.file(rs)
	}
	return true
}

// Cancel cancels the pending timer of a record, whose value is cleared. It reports whether FreeVacancies must be
// called.
func (w *Wheel) Cancel(index uint32, r *records.Record) (full bool) {
	r.End()
	w.count--
	w.vacant[w.vacancies&vacantMask] = index
	w.vacancies++
	return w.vacancies == vacantLen
}

// Pop removes the earliest timer if it is due at the clock. It returns the ID and the record, which still has the
// value, or nil.
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
		if !r.Pending() || r.Where == records.InBuffer {
			w.fileAll(rs) // this one was cancelled or moved
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

// Next returns the tick at which Pop next fires a timer or cascades a slot. It names the start of a slot only if the
// slot has many timers, or timers that were moved to later. The wheel must not be empty.
func (w *Wheel) Next(rs *records.Set) structures.Tick {
	w.fileAll(rs)
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

// earliestIn returns a tick before which no timer of a level is due whose first slot starts at start: the first deadline
// in the slot, or start if the slot has more than one chunk.
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
