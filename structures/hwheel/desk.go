package hwheel

import (
	"math"
	"math/bits"
	"unsafe"

	"github.com/timerbench/timerbench/structures"
)

// The desk is where timers wait until deskLen of them have come, or until the
// wheel turns, whichever is first. It makes Schedule a handful of stores to memory
// that is in the cache: the ID was made ready before, and to go into the wheel is
// the business of settle, which has many timers to do at a time, so that their
// cache misses overlap. And a timer that is cancelled while it is here, as most
// are that are cancelled soon, has never been anywhere else: starting and stopping
// one among a million takes 6 ns with the desk, 19 without.
//
// A timer at the desk has a record already, one that was made ready before as
// well, and all that is known of it stands there.
type desk[T any] struct {
	taken  uint32                 // by position, a bit each: a timer is there
	open   uint32                 // by position, a bit each: it has a record; the first ones do
	ready  [deskLen]structures.ID // by position: the ID that the timer there has, or that the next one gets
	record [deskLen]*record[T]    // by position: that of ready
	coming [deskLen]uint32        // by position: the record to use after that one
}

const (
	deskLen  = 32
	deskMask = deskLen - 1
)

// len returns the number of timers at the desk.
func (d *desk[T]) len() int { return bits.OnesCount32(d.taken) }

// holds reports whether a timer is at a position.
func (d *desk[T]) holds(position int) bool { return d.taken>>position&1 != 0 }

// clear moves the timers at a desk that is full into the wheel. Where the desk has
// fewer positions than it may have, it adds some: as many as there are timers in
// the wheel, or as have their records in a first page. So few large values are not
// outnumbered by the records that are ready.
func (w *Wheel[T]) clear() {
	w.settle()
	d := &w.desk
	few := 1 << lenBits(firstBytes, unsafe.Sizeof(record[T]{})) / 2
	for position := bits.Len32(d.open); position < min(deskLen, max(1, few, w.linked)); position++ {
		d.coming[position] = w.take()
		w.prepare(position)
		d.open |= 1 << position
	}
}

// take returns the index of a record not in use, the last one freed first.
func (w *Wheel[T]) take() uint32 {
	if w.records.free.len() > 0 {
		return w.records.free.pop()
	}
	return w.takeFresh()
}

// takeFresh returns the index of a record that was never used. The first page of
// records may have moved then, and those at the desk with it.
func (w *Wheel[T]) takeFresh() uint32 {
	index := w.records.take(1)
	d := &w.desk
	for position := range bits.Len32(d.open) {
		d.record[position] = w.records.at(uint32(d.ready[position]))
	}
	return index
}

// prepare makes the ID of a position ready, and picks the record that comes next.
func (w *Wheel[T]) prepare(position int) {
	d := &w.desk
	for {
		index := d.coming[position]
		d.coming[position] = w.take()
		r := w.records.at(index)
		if r.word.spent() {
			continue
		}
		r.word = r.word&^placeMask + (atDesk | word(position)<<placeShift) + nextGeneration
		d.ready[position] = idOf(index, r.word)
		d.record[position] = r
		return
	}
}

// settle moves the timers at the desk into the wheel.
func (w *Wheel[T]) settle() {
	d := &w.desk
	if d.taken == 0 {
		return
	}
	w.catchUp()
	w.linked += d.len()
	for rest := d.taken; rest != 0; rest &= rest - 1 {
		position := bits.TrailingZeros32(rest) & deskMask
		w.link(uint32(d.ready[position]), d.record[position])
		w.prepare(position)
		// The records picked are those freed last, or else they are far from
		// any cache. Either way they are near when the desk is full again.
		w.records.touch(w.records.at(d.coming[position]))
	}
	d.taken = 0
	w.records.ahead.Issue()
}

// catchUp moves the cursor to where nothing is left behind, so that timers go to
// the level that their delay calls for.
func (w *Wheel[T]) catchUp() {
	w.cursor = max(w.cursor, min(w.now, w.next-1, math.MaxInt64-1))
}

// leave takes the timer of a record at the desk away, and reports whether it was
// there: the ID of a position that is not taken was never given out.
func (w *Wheel[T]) leave(r *record[T]) bool {
	d := &w.desk
	position := r.word.position()
	if !d.holds(position) {
		return false
	}
	d.taken &^= 1 << position
	var none T
	r.value = none
	if r.word.generation() == math.MaxUint32 {
		r.word += nextGeneration // spent
		w.prepare(position)
		return true
	}
	// The record stays for the next timer of this position.
	r.word += 2 * nextGeneration
	d.ready[position] += 2 << 32
	return true
}
