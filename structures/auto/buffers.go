package auto

import (
	"math"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/prefetch"
)

// buffers holds the timers that are to be put into slots, or out of them. That is done
// for many together, so that their cache misses overlap.
type buffers[T any] struct {
	arrivals
	departures
	vacancies
	ahead   prefetch.Batch
	records [bufferLen]*record[T] // by position: those of the IDs of arrivals
}

const (
	bufferLen  = 32
	bufferMask = bufferLen - 1
)

// arrivals is the buffer for new timers. A timer that is cancelled in it never gets to a
// slot.
//
// The first n positions have timers. The others have IDs prepared for the next ones,
// which Cancel and Reschedule refuse.
type arrivals struct {
	arrived uint32
	ids     [bufferLen]structures.ID
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
	from  where
}

// prepare gives a position of the arrival buffer a record, and prepares the ID.
func (t *Timers[T]) prepare(position uint32) {
	index := t.takeRecord()
	r := t.records.At(index)
	if r.where.inList() {
		t.lists.unlink(r)
	}
	r.generation++
	r.where = where(position)<<placeBits | inArrivals
	t.buffers.ids[position&bufferMask] = idOf(index, r.generation)
	t.buffers.records[position&bufferMask] = r
}

// arrive is Schedule if the arrival buffer is not full.
func (b *buffers[T]) arrive(deadline structures.Tick, value T) structures.ID {
	position := b.arrived & bufferMask
	b.arrived++
	r := b.records[position]
	r.deadline, r.value = deadline, value
	return b.ids[position]
}

// takeRecord takes a record, and keeps the pointers of the arrival buffer.
func (t *Timers[T]) takeRecord() uint32 {
	rs := &t.records
	room := rs.Room()
	index := rs.take()
	if rs.Room() != room {
		// The first page of records may have moved.
		for position, id := range t.buffers.ids {
			t.buffers.records[position] = rs.At(uint32(id))
		}
	}
	return index
}

// settle moves all timers from the arrival buffer to slots.
func (t *Timers[T]) settle() {
	b := t.buffers
	for position := range b.arrived {
		r := b.records[position&bufferMask]
		r.where = t.add(uint32(b.ids[position&bufferMask]), r.deadline)
		t.prepare(position)
	}
	t.settled += int(b.arrived)
	t.records.prefetchFree(&b.ahead, b.arrived)
	b.arrived = 0
	t.nextWork = min(t.nextWork, t.soonest, t.aheadAt)
}

// cancelElsewhere is Cancel for a record that is in no slot.
func (t *Timers[T]) cancelElsewhere(r *record[T]) bool {
	if r.where == nowhere {
		return t.cancelMoved(r)
	}
	b := t.buffers
	position := r.where.chunk()
	if position >= b.arrived {
		return false // the ID is only prepared
	}
	b.arrived--
	last := b.arrived & bufferMask
	if position != last {
		at := position & bufferMask
		b.ids[at], b.ids[last] = b.ids[last], b.ids[at]
		b.records[at], b.records[last] = b.records[last], r
		b.records[at].where, r.where = r.where, b.records[at].where
	}
	var none T
	r.value = none
	r.generation += 2
	b.ids[last] += 2 << 32 // the next timer of this position uses the same record
	if r.generation == 1 { // all are used
		r.generation, r.where = 0, nowhere
		t.prepare(last)
	}
	return true
}

// cancelMoved is Cancel for a record that is nowhere.
func (t *Timers[T]) cancelMoved(r *record[T]) bool {
	if r.generation&1 == 0 {
		return false
	}
	var none T
	r.value = none
	r.generation++
	t.settled--
	return true
}

// move gives the timer of a record a new deadline, instead of that in v. It leaves it in
// its place if that is in a slot above level 0 and the new deadline is not earlier. It
// reports whether departures is full.
//
// It has no branches. They would be mispredicted, and each one would delay the cache misses
// of the calls that follow. Both deadlines are after tick 0, so differences do not overflow.
func (b *buffers[T]) move(r *record[T], v vacancy, deadline structures.Tick) (full bool) {
	stays := (v.deadline + ^deadline) & structures.Tick(int32(v.from)) >> 63 // -1, or 0 if it does not stay
	r.deadline = deadline
	r.where = nowhere + where(stays)&(v.from-nowhere)
	b.left[b.departed&bufferMask] = v.departure
	b.departed += uint32(1 + stays)
	return b.departed == bufferLen
}

// endDepartures clears a full buffer, and goes back to lists if few timers are left.
func (t *Timers[T]) endDepartures() {
	t.clearDepartures()
	t.endIfFew()
}

// endIfFew goes back to lists if few timers are left.
func (t *Timers[T]) endIfFew() {
	if t.settled < t.fewLimit/fewAgain {
		t.endWheel()
	}
}

// clearDepartures clears the places of the timers in departures, and puts those that are
// pending into their new slots.
func (t *Timers[T]) clearDepartures() {
	n := t.buffers.departed
	t.buffers.departed = 0
	t.clearPlaces(t.buffers.left[:n])
}

// clearAll clears the places of all timers that have left them.
func (t *Timers[T]) clearAll() {
	t.clearDepartures()
	for !t.buffers.empty() {
		t.clearVacancies()
	}
}

// settleAll puts all pending timers into slots.
func (t *Timers[T]) settleAll() {
	t.clearDepartures()
	t.settle()
	t.soonest = math.MaxInt64
}

// clearPlaces clears the places that up to bufferLen timers have left. It puts those that
// are pending into their new slots, and makes the records of the others free.
func (t *Timers[T]) clearPlaces(left []departure) {
	b := t.buffers
	t.records.makeRoom(bufferLen)
	var emptied [bufferLen]uint32
	n := 0
	for _, d := range left {
		emptied[n&bufferMask] = d.from.chunk()
		if t.chunks.clear(d.from) {
			n++
		}
	}
	for _, chunk := range emptied[:n] {
		t.chunks.prefetch(&b.ahead, chunk)
	}
	b.ahead.Issue()
	for _, d := range left {
		r := t.records.At(d.index)
		if r.generation&1 == 1 {
			r.where = t.add(d.index, r.deadline)
		} else {
			t.records.push(d.index, r)
		}
	}
	for _, chunk := range emptied[:n] {
		if *t.chunks.mask.At(chunk) == 0 { // no timer was added
			t.unlink(chunk)
		}
	}
	t.nextWork = min(t.nextWork, t.soonest, t.aheadAt)
}
