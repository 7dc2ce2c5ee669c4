package ladder

import (
	"math"
	"slices"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/records"
)

// A handful of timers is a pile: all are in the front, without order, and a scan finds the earliest. It waits until the clock reaches
// due, so a timer that is cancelled or moves to later costs no scan. The records name their places as if they were in lists.
//
// Scans may make perCall comparisons for each timer that comes or moves, and mostCredit after a long time without scans. Those of up to
// freeLen timers are free. If scans make more, or if there are more than mostPiled timers, all go to lists.
const (
	perCall, mostCredit, freeLen, mostPiled = 8, 1 << 16, 16, 512

	unknown = math.MaxUint
)

func placeInPile(r *records.Record) uint { return uint(r.Where>>nodeShift) - 1 }

// AddToPile puts a new timer into the pile, or all timers into lists. It returns the ID and the record.
func (q *Queue) AddToPile(rs *records.Set, index uint32, r *records.Record) (structures.ID, *records.Record) {
	f, n := &q.front, len(q.front.entries)
	if q.credit < 0 || n >= cap(f.entries) || n == mostPiled {
		return q.addSlowly(rs, index, r) // last, so that no variable is saved across a call
	}
	f.entries = f.entries[:n+1]
	f.entries[n] = entryOf(index, r)
	r.Where = whereAt(uint32(n+1), 0)
	if q.credit < mostCredit {
		q.credit += perCall
	}
	first := q.first
	if r.Deadline < q.due {
		first = uint(n) // without a branch: which one is the earliest cannot be predicted
	}
	q.due, q.first = min(q.due, r.Deadline), first
	return records.IDOf(index, r.Generation), r
}

// addSlowly is AddToPile if there is no room.
func (q *Queue) addSlowly(rs *records.Set, index uint32, r *records.Record) (structures.ID, *records.Record) {
	if q.credit >= 0 && len(q.front.entries) < mostPiled {
		q.front.entries = slices.Grow(q.front.entries, 1)
		return q.AddToPile(rs, index, r)
	}
	q.Spread(rs)
	return q.Place(rs, index, r)
}

// MoveInPile is Reschedule in the pile.
func (q *Queue) MoveInPile(r *records.Record, deadline structures.Tick) bool {
	at := placeInPile(r)
	r.Deadline = deadline
	q.front.entries[at].deadline = deadline
	if q.credit < mostCredit {
		q.credit += perCall
	}
	if deadline < q.due {
		q.due, q.first = deadline, at
	} else if at == q.first && deadline > q.due {
		q.first = unknown
	}
	return true
}

// CancelNow cancels a timer, and takes its record out of its list or out of the pile. It returns true.
func (q *Queue) CancelNow(rs *records.Set, index uint32, r *records.Record) bool {
	if q.Pile {
		q.leavePile(rs, r)
	} else {
		q.Unlink(index, r)
	}
	q.left++
	if r.End(); !rs.TryRelease(index, r) {
		rs.Release(index, r)
	}
	return true
}

// leavePile takes a record out of the pile. The last timer of the pile moves to its place.
func (q *Queue) leavePile(rs *records.Set, r *records.Record) {
	entries := q.front.entries
	at, last, first := placeInPile(r), uint(len(entries)-1), q.first
	if first == at {
		first = unknown // without a branch
	}
	if at < last { // the timer that came last is often the first to leave
		e := entries[last]
		entries[at] = e
		rs.At(e.index).Where = whereAt(uint32(at+1), 0)
		if first == last {
			first = at
		}
	}
	r.Where = records.Nowhere
	q.first = first
	q.front.entries = q.front.entries[:last]
}

// PopPile is Pop in the pile.
func (q *Queue) PopPile(rs *records.Set) (structures.ID, *records.Record) {
	if q.first == unknown {
		q.scan()
	}
	at, entries := q.first, q.front.entries
	if q.due > rs.Clock || at >= uint(len(entries)) {
		return 0, nil
	}
	// The same as leavePile, but without branches: the place of the timer cannot be predicted here.
	index, last := entries[at].index, len(entries)-1
	r := rs.At(index)
	id, moved := records.IDOf(index, r.Generation), entries[last].index
	entries[at] = entries[last]
	rs.At(moved).Where = whereAt(uint32(at+1), 0)
	q.front.entries = q.front.entries[:last]
	q.scan() // so that the next call knows whether a timer is due
	r.Where = records.Nowhere
	r.Generation++
	if q.left++; !rs.TryRelease(index, r) {
		rs.Release(index, r)
	}
	return id, r
}

// scan finds the earliest timer of the pile. Minima from both ends take less time than one, which waits for each step.
func (q *Queue) scan() {
	entries, one, other := q.front.entries, structures.Tick(math.MaxInt64), structures.Tick(math.MaxInt64)
	n := len(entries)
	for i := range (n + 1) / 2 {
		one, other = min(one, entries[i].deadline), min(other, entries[n-1-i].deadline)
	}
	q.due, q.first = min(one, other), unknown
	at := 0
	if one > other {
		at = n / 2 // it is in the other half
	}
	for ; at < n; at++ {
		if entries[at].deadline == q.due {
			q.first = uint(at)
			break
		}
	}
	if q.work.Comparisons += uint64(n); n > freeLen {
		q.credit -= n
	}
}

// Spread puts the timers of the pile into lists.
func (q *Queue) Spread(rs *records.Set) {
	entries := q.front.entries
	q.Begin(min(rs.Clock, q.due))
	q.Pile, q.Eager, q.front.entries = false, false, entries[:0]
	for _, e := range entries {
		r := rs.At(e.index)
		r.Where = records.Nowhere
		q.link(e.index, r)
	}
}

// Gather makes a pile of the timers in lists.
func (q *Queue) Gather(rs *records.Set) {
	q.End(rs)
	for index, ok := q.TakeFirst(rs); ok; index, ok = q.TakeFirst(rs) {
		r := rs.At(index)
		q.front.entries = append(q.front.entries, entryOf(index, r))
		r.Where = whereAt(uint32(len(q.front.entries)), 0)
		q.left--
	}
	q.Pile, q.Eager, q.listed, q.credit = true, true, math.MaxInt64, 0
	q.scan()
}
