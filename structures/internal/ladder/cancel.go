package ladder

import "github.com/timerbench/timerbench/structures/internal/records"

// CancelNow cancels a pending timer and takes its record out of its list. It reports whether it did so. Otherwise a
// cancelled record stays in its list.
func (q *Queue) CancelNow(rs *records.Set, index uint32, r *records.Record) bool {
	if !q.eager || !r.Pending() {
		return false
	}
	if r.Where.InList() {
		q.unlink(index, r)
	}
	r.End()
	rs.Release(index, r)
	if q.left++; q.came-q.mark > lazyAbove*window {
		q.setEager(false)
	}
	return true
}

// The queue compares the timers that come with the records in the slots that it empties. If fewer come than
// eagerBelow/2 times the records, most cancelled records would be visited once more, and are unlinked at once. If
// more come than lazyAbove times a window of records, cancelled records are used again in their lists. More than
// eagerLen timers are not in the nearest cache, where unlinking costs more than a visit.
const (
	window     = 64
	eagerBelow = 3
	lazyAbove  = 16
	eagerLen   = 4096
)

// visit counts the records in a slot that is emptied.
func (q *Queue) visit(n uint) {
	if q.visited += n; q.visited >= window {
		q.setEager((q.eager || 2*(q.came-q.mark) < eagerBelow*q.visited) && q.Len() <= eagerLen)
	}
}

// setEager starts a window.
func (q *Queue) setEager(eager bool) {
	q.eager, q.mark, q.visited = eager, q.came, 0
	q.plain = q.mayPlain && !eager
}

// Plain reports whether Cancel only writes the record.
func (q *Queue) Plain() bool { return q.plain }

// SetPlain sets Plain, or clears it while cancelled records leave their lists.
func (q *Queue) SetPlain(plain bool) {
	q.mayPlain = plain
	q.plain = plain && !q.eager
}
