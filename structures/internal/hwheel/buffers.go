package hwheel

import (
	"math"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/prefetch"
	"github.com/timerbench/timerbench/structures/internal/records"
)

// buffers holds changes that the slots do not show yet. They are made for many timers together, so that their cache
// misses overlap. A timer that is cancelled soon after it was scheduled never gets to a slot.
//
//   - waiting: records whose timer goes to a slot. Some of them also have a place in a slot, which must be cleared.
//     Such a record says InBuffer. Its timer may be cancelled since, and replaced by another one.
//   - vacant: a stack of records whose timers were cancelled, in a slot, in waiting or in neither. A new timer takes
//     the last one, as if it had been moved from the deadline of the cancelled one (see move). So it often keeps the
//     place, and nothing has to be cleared or added. The other free records belong to the set.
type buffers struct {
	waits     uint32 // used of waiting
	vacancies uint32 // used of vacant
	taken     uint32 // free records that were taken since the last call of file
	waiting   [bufferLen]departure
	vacant    [vacantLen]uint32
	ahead     prefetch.Batch
}

// departure is the index of a record, and the place that the record leaves, or Nowhere.
type departure struct {
	index uint32
	from  records.Where
}

// Twice as many vacancies as places that are cleared together: some are left for the timers that follow.
const (
	bufferLen  = 32
	bufferMask = bufferLen - 1
	vacantLen  = 2 * bufferLen
	vacantMask = vacantLen - 1
)

// Prefetch prefetches the records that IDs name.
func (w *Wheel) Prefetch(rs *records.Set, ids []structures.ID) { rs.PrefetchIDs(&w.ahead, ids) }

// move gives a record in a slot a new deadline. A record above level 0 whose deadline is not earlier than before keeps
// its place: the slot cascades in time. Any other record waits. move reports whether waiting is full.
//
// It has no branches. They would be mispredicted, and each one would delay the cache misses of the calls that follow.
// No deadline is before tick 0, so differences do not overflow.
func (b *buffers) move(index uint32, r *records.Record, deadline structures.Tick) (full bool) {
	from := r.Where
	stays := records.Where((r.Deadline + ^deadline) & structures.Tick(int32(from)) >> 63) // all bits, or 0
	r.Deadline = deadline
	r.Where = records.InBuffer + stays&(from-records.InBuffer)
	b.waiting[b.waits&bufferMask] = departure{index, from}
	b.waits += uint32(1 + stays)
	return b.waits == bufferLen
}

// arrive lets a record wait that is in no slot and does not wait yet. It reports whether waiting is full.
func (b *buffers) arrive(index uint32, r *records.Record, deadline structures.Tick) (full bool) {
	r.Deadline = deadline
	r.Where = records.InBuffer
	b.waiting[b.waits&bufferMask] = departure{index, records.Nowhere}
	b.waits++
	return b.waits == bufferLen
}

// file puts the timers in waiting into their slots, and clears the places of all records in waiting.
func (w *Wheel) file(rs *records.Set) {
	n, taken := w.waits, w.taken
	w.waits, w.taken = 0, 0
	if n > taken {
		w.clearPlaces(rs, w.waiting[:n])
	} else { // no record has a place
		for _, d := range w.waiting[:n] {
			w.settle(rs, d.index)
		}
	}
	w.slotsDue = min(w.slotsDue, w.buffersDue, w.stepAt)
	rs.PrefetchFree(&w.ahead, int(taken)) // those that are taken next
}

// settle puts the timer of a record into its slot, if the record has one.
func (w *Wheel) settle(rs *records.Set, index uint32) {
	r := rs.At(index)
	r.Where = records.Nowhere
	if r.Pending() {
		r.Where = w.add(index, r.Deadline)
	}
}

// fileAll makes all changes that the slots do not show yet.
func (w *Wheel) fileAll(rs *records.Set) {
	w.file(rs)
	for w.vacancies > 0 {
		w.FreeVacancies(rs)
	}
	w.buffersDue = math.MaxInt64
}

// FreeVacancies clears the places of the first vacancies, up to bufferLen, and gives their records to the set.
func (w *Wheel) FreeVacancies(rs *records.Set) {
	w.file(rs) // so that no vacancy waits
	var left [bufferLen]departure
	n := min(w.vacancies, bufferLen)
	for i, index := range w.vacant[:n] {
		left[i] = departure{index, rs.At(index).Where}
	}
	w.clearPlaces(rs, left[:n])
	for _, d := range left[:n] {
		rs.Release(d.index, rs.At(d.index))
	}
	copy(w.vacant[:], w.vacant[n:w.vacancies])
	w.vacancies -= n
}

// clearPlaces clears the places that records leave, and puts the pending timers of them into slots.
func (w *Wheel) clearPlaces(rs *records.Set, left []departure) {
	var emptied [bufferLen]uint32
	n := 0
	for _, d := range left {
		if d.from.InSlot() {
			emptied[n&bufferMask] = chunkOf(d.from)
			if w.chunks.clear(d.from) {
				n++
			}
		}
	}
	for _, chunk := range emptied[:n] {
		w.chunks.prefetch(&w.ahead, chunk)
	}
	w.ahead.Issue()
	for _, d := range left {
		w.settle(rs, d.index)
	}
	for _, chunk := range emptied[:n] {
		if *w.chunks.mask.At(chunk) == 0 { // no timer was added
			w.unlink(chunk)
		}
	}
}
