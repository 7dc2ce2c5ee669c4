package hwheel

import (
	"math"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/prefetch"
	"github.com/timerbench/timerbench/structures/internal/records"
	"github.com/timerbench/timerbench/structures/internal/runs"
)

// buffers holds timers on their way into slots or out of them. The wheel moves many together, so their cache misses overlap.
type buffers struct {
	arrivals
	departures
	vacancies
	ahead   prefetch.Batch
	records [bufferLen]*records.Record // by position in the arrival buffer
}

const (
	bufferLen  = 32
	bufferMask = bufferLen - 1
)

// arrivals is the buffer for new timers. A timer that is cancelled in the buffer never enters a slot.
//
// The first positions have timers. The other open positions have prepared IDs for the next timers. Cancel and Reschedule refuse a
// prepared ID.
type arrivals struct {
	arrived   uint32 // positions with a timer
	positions uint32 // open positions: at most bufferLen, and at most twice the records in use
	ids       [bufferLen]structures.ID
}

// departures is the buffer for moved timers whose old places in slots are not cleared yet. Where is Nowhere in their records. The
// record of a timer that was cancelled after the move is not free yet.
type departures struct {
	departed uint32
	left     [bufferLen]departure
}

// departure is the index of a record with its old place and the deadline that it had there.
type departure struct {
	index    uint32
	from     records.Where
	deadline structures.Tick
}

// openPositions opens one position of the arrival buffer per record in use. So a wheel with a few large values does not hold many
// unused records.
func (w *Wheel) openPositions(rs *records.Set) {
	w.ring(0)
	for n := min(bufferLen, max(1, rs.Fresh)); w.positions < n; w.positions++ {
		w.prepare(rs, w.positions)
	}
}

// prepare gives a position of the arrival buffer a record and an ID.
func (w *Wheel) prepare(rs *records.Set, position uint32) {
	index, ok := rs.TryFree()
	if room := rs.Room; !ok {
		if index = rs.Free(); rs.Room != room { // the first page of records may have moved
			for position, id := range w.ids[:w.positions] {
				w.records[position] = rs.At(uint32(id))
			}
		}
	}
	r := rs.At(index)
	r.Generation++
	r.Where = records.Where(position)<<records.TagBits | records.InBuffer
	w.ids[position&bufferMask] = records.IDOf(index, r.Generation)
	w.records[position&bufferMask] = r
}

// Open reports whether the next timer enters the arrival buffer and the buffer has room.
func (w *Wheel) Open() bool { return w.noVacancies() && w.arrived < w.positions }

// Arrive is Schedule while Open is true.
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

// flushArrivals moves all timers from the arrival buffer to slots, or to runs. Timers that are due go to slots, where Pop looks
// for them when the runs have none.
func (w *Wheel) flushArrivals(rs *records.Set) {
	w.flushes++
	for position := range w.arrived {
		index, r, q := uint32(w.ids[position&bufferMask]), w.records[position&bufferMask], w.Runs
		if q != nil && r.Deadline >= q.From && r.Deadline > rs.Clock && (q.Add(index, r) || q.AddSlowly(rs, index, r, q.Live)) {
			q.Live++
		} else {
			r.Where = w.add(index, r.Deadline)
			if w.count++; q != nil && w.flushes%runs.MissedShare == 0 {
				q.Miss(r.Deadline)
			}
		}
		w.prepare(rs, position)
	}
	rs.PrefetchFree(&w.ahead, int(w.arrived))
	w.arrived = 0
	w.slotsDue = min(w.slotsDue, w.buffersDue, w.stepAt)
}

// Prefetch prefetches the records of the IDs.
func (w *Wheel) Prefetch(rs *records.Set, ids []structures.ID) { rs.PrefetchIDs(&w.ahead, ids) }

// CancelElsewhere cancels the timer of a record outside the slots. The caller has cleared the value. CancelElsewhere returns
// false if the record has no pending timer.
func (w *Wheel) CancelElsewhere(rs *records.Set, r *records.Record) bool {
	if r.Where == records.Nowhere { // it is in departures, or has no timer
		if !r.Pending() {
			return false
		}
		r.End()
		w.count--
		return true
	}
	position := chunkOf(r.Where)
	if position >= w.arrived {
		return false // a prepared ID
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

// move gives the timer of a record a new deadline. d has its place and its old deadline. A timer above level 0 that moves to
// later keeps its place, because the slot cascades in time. Any other timer leaves its place. move reports whether departures is
// full.
//
// It has no branches. They would be mispredicted, and each misprediction would delay the cache misses of the following calls.
// Both deadlines are after tick 0, so the difference does not overflow.
func (b *buffers) move(r *records.Record, d departure, deadline structures.Tick) (full bool) {
	// -1 if the timer stays, 0 if it leaves
	stays := (d.deadline + ^deadline) & structures.Tick(int32(d.from)) >> 63
	r.Deadline = deadline
	r.Where = records.Nowhere + records.Where(stays)&(d.from-records.Nowhere)
	b.left[b.departed&bufferMask] = d
	b.departed += uint32(1 + stays)
	return b.departed == bufferLen
}

// clearDepartures clears the old places of the timers in departures, and adds the pending timers to their new slots.
func (w *Wheel) clearDepartures(rs *records.Set) {
	n := w.departed
	w.departed = 0
	w.clearPlaces(rs, w.left[:n])
}

// comeBack gives the timer that departed last its old place above level 0 if it moved back at once, to the old deadline or a
// later one.
func (b *buffers) comeBack(index uint32, r *records.Record) {
	d := &b.left[(b.departed-1)&bufferMask]
	if b.departed > 0 && d.index == index && d.from&above != 0 && r.Deadline >= d.deadline {
		r.Where = d.from
		b.departed--
	}
}

// clearAll clears all old places of moved and cancelled timers.
func (w *Wheel) clearAll(rs *records.Set) {
	w.clearDepartures(rs)
	for !w.noVacancies() {
		w.ClearVacancies(rs)
	}
}

// flush adds all timers of the buffers to slots.
func (w *Wheel) flush(rs *records.Set) {
	w.clearDepartures(rs)
	w.flushArrivals(rs)
	w.buffersDue = math.MaxInt64
}

// clearPlaces clears the old places of up to bufferLen timers. It adds the pending timers to their new slots and frees the
// records of the others.
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

// vacancies is the queue of timers that were cancelled in slots. The next new timer gets the record of the first cancelled timer,
// as if that timer moved to the new deadline with a new ID (see move). So the record often keeps its place, and no place needs
// clearing.
//
// Where is Nowhere in the records, and they are not free. The queue is a ring: end counts all timers added so far, first all
// timers removed.
type vacancies struct {
	first, end uint32
	vacant     [vacantLen]departure
}

// The length is twice the number of places that are cleared together, so some vacancies remain for the next timers.
const (
	vacantLen  = 2 * bufferLen
	vacantMask = vacantLen - 1
)

func (v *vacancies) noVacancies() bool { return v.first == v.end }

// vacate adds a vacancy and reports whether the queue is full.
func (v *vacancies) vacate(index uint32, from records.Where, deadline structures.Tick) (full bool) {
	v.vacant[v.end&vacantMask] = departure{index, from, deadline}
	v.end++
	return v.end-v.first == vacantLen
}

// occupy removes and returns the first vacancy. There must be one.
func (v *vacancies) occupy() departure {
	v.first++
	return v.vacant[(v.first-1)&vacantMask]
}

// ClearVacancies clears the places of the first vacancies, at most bufferLen, and frees their records.
func (w *Wheel) ClearVacancies(rs *records.Set) {
	var left [bufferLen]departure
	n := min(w.end-w.first, bufferLen)
	for i := range left[:n] {
		left[i] = w.occupy()
	}
	w.clearPlaces(rs, left[:n])
}
