package ladder

import (
	"math"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/records"
)

// Begin prepares an empty queue for timers that are not due before the base.
func (q *Queue) Begin(base structures.Tick) {
	q.base, q.front.limit, q.due, q.listed = base, base, math.MaxInt64, math.MaxInt64
}

// Adopt puts a timer into a list. It must not be due before the base.
func (q *Queue) Adopt(rs *records.Set, index uint32) {
	q.link(index, rs.At(index))
	q.came++
}

// End moves the timers of the front to lists, so that TakeFirst finds all timers. It returns a tick before which no timer is due.
func (q *Queue) End(rs *records.Set) structures.Tick {
	if q.pile {
		q.Spread(rs)
	}
	q.linkEntries(rs, q.front.entries)
	q.front.entries, q.front.limit = q.front.entries[:0], q.base
	if q.Quiet() > rs.Clock {
		return rs.Clock
	}
	return q.base
}

// TakeFirst removes a timer from the first list, after End. ok is false if there is no timer.
func (q *Queue) TakeFirst(rs *records.Set) (index uint32, ok bool) {
	for q.levels != 0 {
		index = q.nodes.all[q.nodes.heads[q.next()].first].index
		r := rs.At(index)
		q.Unlink(index, r)
		if r.Pending() { // otherwise its generations are exhausted
			q.left++
			q.work.Moved++
			return index, true
		}
	}
	return 0, false
}
