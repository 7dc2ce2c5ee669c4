package ladder

import (
	"math"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/records"
)

// refill empties the first slot if it starts at or before the clock and before the timers in the front are due. Otherwise it
// returns false. It sets listed to the start of the first slot, which may be later than listed was: a timer that left its slot, or
// a slot that had only free records, does not raise listed.
func (q *Queue) refill(rs *records.Set) bool {
	start := q.firstList()
	if q.listed = start; start > rs.Clock || q.levels == 0 {
		return false
	}
	if n := len(q.front.entries); n > 0 && start >= q.front.entries[n-1].deadline {
		return false // else the base would be after timers in the front
	}
	q.drainFirst(rs, start)
	q.listed = q.firstList()
	return true
}

// drainFirst moves the timers of the first occupied slot, which starts at start, to the front or to the levels below.
func (q *Queue) drainFirst(rs *records.Set, start structures.Tick) {
	q.work.SlotsVisited++
	q.base = start
	at := q.next()
	last, level := at.last(start), at.level()
	timers, differ, rest := q.takeUpToSorted(rs, at)
	if rest != 0 {
		q.linkEntries(rs, timers)
		q.spread(rs, rest)
		return
	}
	if len(timers) > 0 && (differ>>at.shift() != 0 || timers[0].deadline > last) {
		timers = q.linkLater(rs, timers, last)
	}
	if level == 0 {
		differ = 0
	}
	if len(timers) > frontLen && differ != 0 && (level > 2 || level == 2 && len(q.front.entries) > 0) {
		q.linkBelow(rs, timers)
		return
	}
	q.toFront(timers, level, differ)
	q.front.limit = max(q.front.limit, min(last, math.MaxInt64-1)+1)
}

// takeUpToSorted takes the timers out of a slot, but at most sortedLen unless all are due at one tick. They are in q.emptied. The
// bits of differ are those in which deadlines differ, and rest is the first node that is left, without a list, or 0.
func (q *Queue) takeUpToSorted(rs *records.Set, at position) (emptied []entry, differ structures.Tick, rest uint32) {
	first := q.nodes.heads[at].first
	q.nodes.heads[at].first = 0
	q.setEmpty(at)
	p, all := &q.nodes, q.nodes.all
	dropped := uint64(0)
	emptied = q.emptied[:0]
	number, behind := first, uint32(0)
	for number != 0 && (len(emptied) < sortedLen || differ == 0) {
		n := &all[number]
		index := n.index
		behind, number = number, n.behind
		r := rs.At(index)
		r.Where = records.Nowhere
		if !r.Pending() {
			dropped++
			continue
		}
		emptied = append(emptied, entry{r.Deadline, index, r.Generation})
		differ |= r.Deadline ^ emptied[0].deadline
	}
	if !p.byIndex && behind != 0 { // all that were taken are free
		all[behind].behind, p.free = p.free, first
	}
	q.visit(uint(dropped) + uint(len(emptied)))
	q.work.Dropped += dropped
	q.work.Moved += uint64(len(emptied))
	q.emptied = emptied
	return emptied, differ, number
}

// linkBelow puts timers into the levels below, after it moved the base up to the earliest of all timers.
func (q *Queue) linkBelow(rs *records.Set, timers []entry) {
	q.base = rs.Clock
	for _, e := range timers {
		q.base = min(q.base, e.deadline)
	}
	if n := len(q.front.entries); n > 0 {
		q.base = min(q.base, q.front.entries[n-1].deadline)
	}
	q.linkEntries(rs, timers)
}

// linkLater puts the timers that are due after a tick into lists. It returns the other timers.
func (q *Queue) linkLater(rs *records.Set, timers []entry, last structures.Tick) []entry {
	kept := timers[:0]
	for _, e := range timers {
		if e.deadline > last {
			q.link(e.index, rs.At(e.index))
		} else {
			kept = append(kept, e)
		}
	}
	return kept
}

// spread puts the timers of a list, from a node on, into the lists of their deadlines.
func (q *Queue) spread(rs *records.Set, number uint32) {
	for number != 0 {
		n := &q.nodes.all[number]
		index, behind := n.index, n.behind
		q.nodes.release(n, number)
		number = behind
		r := rs.At(index)
		if r.Where = records.Nowhere; r.Pending() {
			q.link(index, r)
			q.work.Moved++
		} else {
			q.work.Dropped++
		}
	}
}

// The queue compares the timers that come with the records in the slots that it empties. If fewer come than eagerBelow/2 times
// the records, most cancelled records would be visited once more, and are unlinked at once. If more come than lazyAbove times the
// records, cancelled records are used again in their lists. More than eagerLen timers are not in the second-level cache,
// where unlinking costs more than a visit.
const (
	window     = 64 // records from one decision to the next
	eagerBelow = 3
	lazyAbove  = 16
	eagerLen   = 1 << 14
)

// visit counts the records in a slot that is emptied.
func (q *Queue) visit(n uint) {
	if q.visited += n; q.visited >= window {
		came := q.came - q.mark
		q.eager = q.Len() <= eagerLen && (2*came < eagerBelow*q.visited || q.eager && came < lazyAbove*q.visited)
		q.mark, q.visited = q.came, 0
	}
}
