package hwheel

import (
	"math"
	"math/bits"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/records"
)

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
