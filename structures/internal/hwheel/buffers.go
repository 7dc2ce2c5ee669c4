package hwheel

import (
	"math"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/prefetch"
	"github.com/timerbench/timerbench/structures/internal/records"
)

// buffers holds the timers that are to be put into slots, or out of them. That is done
// for many together, so that their cache misses overlap.
type buffers struct {
	arrivals
	departures
	vacancies
	ahead   prefetch.Batch
	records [bufferLen]*records.Record // by position: those of the IDs of arrivals
}

const (
	bufferLen  = 32
	bufferMask = bufferLen - 1
)

// arrivals is the buffer for new timers. A timer that is cancelled in it never gets to a
// slot.
//
// The first positions have timers. The others that are open have IDs prepared for the next
// ones, which Cancel and Reschedule refuse.
type arrivals struct {
	arrived   uint32 // positions with a timer
	positions uint32 // open ones: up to bufferLen, and not more than twice the records in use
	ids       [bufferLen]structures.ID
}

// departures is the buffer for timers that were moved, and whose places in slots are
// still to be cleared. Their records are nowhere. Those that were cancelled since then are
// not free yet.
type departures struct {
	departed uint32
	left     [bufferLen]departure
}

// departure is the index of a record, and where it was.
type departure struct {
	index uint32
	from  records.Where
}

// openPositions opens more positions of the arrival buffer: as many as there are records. So a
// wheel with few large values does not hold many unused ones.
func (w *Wheel) openPositions(rs *records.Set) {
	w.ring(0)
	for n := min(bufferLen, max(1, rs.Fresh())); w.positions < n; w.positions++ {
		w.prepare(rs, w.positions)
	}
}

// prepare gives a position of the arrival buffer a record, and prepares the ID.
func (w *Wheel) prepare(rs *records.Set, position uint32) {
	var index uint32
	if rs.HasFree() {
		index = rs.TakeFree()
	} else {
		index = w.takeNew(rs)
	}
	r := rs.At(index)
	r.Generation++
	r.Where = records.Where(position)<<records.TagBits | records.InBuffer
	w.ids[position&bufferMask] = records.IDOf(index, r.Generation)
	w.records[position&bufferMask] = r
}

// takeNew takes a record that was never used, and keeps the pointers of the arrival buffer.
func (w *Wheel) takeNew(rs *records.Set) uint32 {
	room := rs.Room()
	index := rs.Take()
	if rs.Room() != room {
		// The first page of records may have moved.
		for position, id := range w.ids[:w.positions] {
			w.records[position] = rs.At(uint32(id))
		}
	}
	return index
}

// Open reports whether the next timer goes to the arrival buffer, and there is room.
func (w *Wheel) Open() bool { return w.noVacancies() && w.arrived < w.positions }

// Arrive is Schedule if Open is true.
func (w *Wheel) Arrive(deadline structures.Tick) (structures.ID, *records.Record) {
	if deadline < w.buffersDue {
		w.buffersDue = deadline
	}
	position := w.arrived & bufferMask
	w.arrived++
	r := w.records[position]
	r.Deadline = deadline
	return w.ids[position], r
}

// flushArrivals moves all timers from the arrival buffer to slots.
func (w *Wheel) flushArrivals(rs *records.Set) {
	for position := range w.arrived {
		r := w.records[position&bufferMask]
		r.Where = w.add(uint32(w.ids[position&bufferMask]), r.Deadline)
		w.prepare(rs, position)
	}
	w.count += int(w.arrived)
	rs.PrefetchFree(&w.ahead, int(w.arrived))
	w.arrived = 0
	w.slotsDue = min(w.slotsDue, w.buffersDue, w.stepAt)
}

// Prefetch prefetches the records that IDs name.
func (w *Wheel) Prefetch(rs *records.Set, ids []structures.ID) { rs.PrefetchIDs(&w.ahead, ids) }

// CancelElsewhere cancels the timer of a record that is in no slot. It returns false if the
// record has none. Its value is cleared.
func (w *Wheel) CancelElsewhere(rs *records.Set, r *records.Record) bool {
	if r.Where == records.Nowhere {
		return w.cancelMoved(r)
	}
	position := chunkOf(r.Where)
	if position >= w.arrived {
		return false // the ID is only prepared
	}
	w.arrived--
	last := w.arrived & bufferMask
	if position != last {
		at := position & bufferMask
		w.ids[at], w.ids[last] = w.ids[last], w.ids[at]
		w.records[at], w.records[last] = w.records[last], r
		w.records[at].Where, r.Where = r.Where, w.records[at].Where
	}
	r.Generation += 2
	w.ids[last] += 2 << 32 // the next timer of this position uses the same record
	if r.Generation == 1 { // all are used
		r.Generation, r.Where = 0, records.Nowhere
		w.prepare(rs, last)
	}
	return true
}

// cancelMoved is CancelElsewhere for a record that is nowhere.
func (w *Wheel) cancelMoved(r *records.Record) bool {
	if !r.Pending() {
		return false
	}
	r.End()
	w.count--
	return true
}

// move gives the timer of a record a new deadline, instead of the one in v, which is where the
// record is. A timer above level 0 whose deadline is not earlier keeps its place: the slot
// cascades in time. Any other one leaves it. move reports whether departures is full.
//
// It has no branches. They would be mispredicted, and each one would delay the cache misses
// of the calls that follow. Both deadlines are after tick 0, so differences do not overflow.
func (b *buffers) move(r *records.Record, v vacancy, deadline structures.Tick) (full bool) {
	// -1, or 0 if it does not stay.
	stays := (v.deadline + ^deadline) & structures.Tick(int32(v.from)) >> 63
	r.Deadline = deadline
	r.Where = records.Nowhere + records.Where(stays)&(v.from-records.Nowhere)
	b.left[b.departed&bufferMask] = v.departure
	b.departed += uint32(1 + stays)
	return b.departed == bufferLen
}

// clearDepartures clears the places of the timers in departures, and puts those that are
// pending into their new slots.
func (w *Wheel) clearDepartures(rs *records.Set) {
	n := w.departed
	w.departed = 0
	w.clearPlaces(rs, w.left[:n])
}

// clearAll clears the places of all timers that have left them.
func (w *Wheel) clearAll(rs *records.Set) {
	w.clearDepartures(rs)
	for !w.noVacancies() {
		w.ClearVacancies(rs)
	}
}

// flush puts all pending timers into slots.
func (w *Wheel) flush(rs *records.Set) {
	w.clearDepartures(rs)
	w.flushArrivals(rs)
	w.buffersDue = math.MaxInt64
}

// clearPlaces clears the places that up to bufferLen timers have left. It puts those that
// are pending into their new slots, and makes the records of the others free.
func (w *Wheel) clearPlaces(rs *records.Set, left []departure) {
	var emptied [bufferLen]uint32
	n := 0
	for _, d := range left {
		emptied[n&bufferMask] = chunkOf(d.from)
		if w.chunks.clear(d.from) {
			n++
		}
	}
	for _, chunk := range emptied[:n] {
		w.chunks.prefetch(&w.ahead, chunk)
	}
	w.ahead.Issue()
	for _, d := range left {
		r := rs.At(d.index)
		if r.Pending() {
			r.Where = w.add(d.index, r.Deadline)
		} else {
			rs.Release(d.index, r)
		}
	}
	for _, chunk := range emptied[:n] {
		if *w.chunks.mask.At(chunk) == 0 { // no timer was added
			w.unlink(chunk)
		}
	}
	w.slotsDue = min(w.slotsDue, w.buffersDue, w.stepAt)
}
