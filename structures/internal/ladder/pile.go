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
// The place of a timer that leaves is due never, and stays with the free record, whose next timer has it again unless it goes to a run.
// Places without timers are removed when there is no room for more, and when scans cost too much.
//
// The credit is how many comparisons scans may make. A timer that comes or moves adds perCall, up to mostCredit. A scan of more than freeLen
// places uses one for each, or farCost above nearLen places. All timers go to lists if the credit is used up, or mostPiled places are
// not enough, unless most places have no timer. Used credit is forgiven at most once in forgiveEvery new timers.
const (
	perCall, mostCredit, forgiveEvery    = 32, 1 << 16, 1024
	freeLen, nearLen, farCost, mostPiled = 32, 160, 4, 512
	unknown, never                       = math.MaxUint, structures.Tick(math.MaxInt64)
)

// placeInPile returns the place of a record in the pile. For a record without one it is beyond the pile.
func placeInPile(r *records.Record) uint { return uint(r.Where>>nodeShift) - 1 }

// AddToPile puts a new timer into the pile, or all timers into lists. It returns the ID and the record.
func (q *Queue) AddToPile(rs *records.Set, index uint32, r *records.Record) (structures.ID, *records.Record) {
	at, entries := placeInPile(r), q.front.entries
	if at >= uint(len(entries)) || q.credit < 0 {
		return q.addSlowly(rs, index, r) // last, so that no variable is saved across a call
	}
	entries[at].deadline = r.Deadline
	first := q.first
	if r.Deadline < q.due {
		first = at // without a branch: which one is the earliest cannot be predicted
	}
	q.due, q.first = min(q.due, r.Deadline), first
	return records.IDOf(index, r.Generation), r
}

// addSlowly is AddToPile for a record without a place, or if scans cost too much.
func (q *Queue) addSlowly(rs *records.Set, index uint32, r *records.Record) (structures.ID, *records.Record) {
	f := &q.front
	r.Where = records.Nowhere
	if n := len(f.entries); q.credit < 0 || n == mostPiled || n == cap(f.entries) {
		if q.tidy(rs); !q.pile {
			return q.Place(rs, index, r)
		}
		if 2*len(f.entries) > cap(f.entries) {
			f.entries = slices.Grow(f.entries, cap(f.entries)-len(f.entries)+1)
		}
	}
	f.entries = append(f.entries, entry{never, index, 0})
	r.Where = whereAt(uint32(len(f.entries)), 0)
	return q.AddToPile(rs, index, r)
}

// tidy removes the places that have no timer. If scans cost too much or the pile is full, it moves all timers to lists, or forgives
// the used credit.
func (q *Queue) tidy(rs *records.Set) {
	n, costly := len(q.front.entries), q.credit < 0
	if q.removePlaces(rs); !costly && n < mostPiled {
		return
	}
	if 2*len(q.front.entries) > n || costly && q.came-q.mark < forgiveEvery {
		q.Spread(rs)
	} else {
		q.credit, q.mark = max(q.credit, 0), q.came
	}
}

// removePlaces removes the places that have no timer.
func (q *Queue) removePlaces(rs *records.Set) {
	kept := q.front.entries[:0]
	for i, e := range q.front.entries {
		if r := rs.At(e.index); placeInPile(r) == uint(i) {
			if r.Where = records.Nowhere; r.Pending() {
				kept = append(kept, e)
				r.Where = whereAt(uint32(len(kept)), 0)
			}
		}
	}
	q.front.entries, q.first = kept, unknown
}

// MoveInPile is Reschedule in the pile.
func (q *Queue) MoveInPile(r *records.Record, deadline structures.Tick) bool {
	at := placeInPile(r)
	r.Deadline = deadline
	q.front.entries[at].deadline = deadline
	q.moved++
	first := q.first
	if first == at { // without branches, as in AddToPile
		first = unknown
	}
	if deadline <= q.due {
		first = at
	}
	q.due, q.first = min(q.due, deadline), first
	return true
}

// CancelNow cancels a timer in a list or in the pile. Its record leaves the list. It returns true.
func (q *Queue) CancelNow(rs *records.Set, index uint32, r *records.Record) bool {
	if q.left++; !q.pile {
		q.Unlink(index, r)
		if r.End(); !rs.TryRelease(index, r) {
			rs.Release(index, r)
		}
		return true // with one end for both, the pile would save all arguments for the call of Unlink
	}
	at, first := placeInPile(r), q.first
	q.front.entries[at].deadline = never
	if first == at {
		first = unknown // without a branch
	}
	q.first = first
	if r.End(); !rs.TryRelease(index, r) {
		rs.Release(index, r)
	}
	return true
}

// PopPile is Pop in the pile.
func (q *Queue) PopPile(rs *records.Set) (structures.ID, *records.Record) {
	if q.first == unknown {
		if q.scan(rs); !q.pile {
			return q.Pop(rs)
		}
	}
	at, entries := q.first, q.front.entries
	if q.due > rs.Clock {
		return 0, nil
	}
	if at >= uint(len(entries)) { // timers that are due at the last tick of all look like places without one
		q.Spread(rs)
		return q.Pop(rs)
	}
	index := entries[at].index
	r := rs.At(index)
	id := records.IDOf(index, r.Generation)
	entries[at].deadline = never
	q.left++
	if r.End(); !rs.TryRelease(index, r) {
		rs.Release(index, r)
	}
	q.scan(rs) // so that the next call knows whether a timer is due
	return id, r
}

// scan finds the earliest timer of the pile, without branches on deadlines. Minima of both halves take less time than one, which
// waits for each step. If scans cost too much, the timers may be in lists afterwards.
func (q *Queue) scan(rs *records.Set) {
	if q.credit < 0 {
		if q.tidy(rs); !q.pile {
			return
		}
	}
	entries, n := q.front.entries, len(q.front.entries)
	half, one, other := entries[:n/2], never, never
	rest := entries[len(half):][:len(half)]
	first, second := uint(unknown), uint(0)
	for i := range half {
		if at := half[i].deadline; at < one {
			one, first = at, uint(i)
		}
		if at := rest[i].deadline; at < other {
			other, second = at, uint(i)
		}
	}
	second += uint(len(half))
	if n&1 == 1 {
		if at := entries[n-1].deadline; at < other {
			other, second = at, uint(n-1)
		}
	}
	if other < one {
		one, first = other, second
	}
	q.due, q.first = one, first
	if q.work.Comparisons += uint64(n); n > nearLen {
		n *= farCost
	}
	if n > freeLen {
		came := q.came + q.moved
		q.credit = min(q.credit+perCall*int(came-q.paid), mostCredit) - n
		q.paid = came
	}
}

// Spread puts the timers of the pile into lists.
func (q *Queue) Spread(rs *records.Set) {
	q.removePlaces(rs)
	entries := q.front.entries
	q.Begin(min(rs.Clock, q.due))
	q.pile, q.eager, q.front.entries = false, false, entries[:0]
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
	q.pile, q.eager, q.listed, q.credit, q.paid = true, true, math.MaxInt64, 0, q.came+q.moved
	q.scan(rs)
}
