package runs

import "github.com/timerbench/timerbench/structures/internal/records"

// Leave counts a timer of a run less. Its entry is dead.
func (q *Runs) Leave(rs *records.Set) {
	if q.Live--; q.pages*pageLen > 2*q.Live+slack {
		if q.left++; q.left%32 == 0 {
			q.sweep(rs, 1)
		}
	}
}

// Count removes all dead entries, and counts the timers.
func (q *Runs) Count(rs *records.Set) {
	for q.at, q.before = 0, nil; q.at < q.used; {
		q.sweepPage(rs)
	}
	q.find()
	for _, w := range q.runs[:q.used] {
		for p := w.first; p != nil; p = p.next {
			q.Live += int(p.n - p.from)
		}
	}
}

// sweep removes the dead entries of n pages.
func (q *Runs) sweep(rs *records.Set, n int) {
	for range n {
		if q.at >= q.used {
			q.at = 0
		}
		q.sweepPage(rs)
	}
	q.find()
}

// sweepPage removes the dead entries of a page. If its other entries fit the page before, they go there.
func (q *Runs) sweepPage(rs *records.Set) {
	w, before := &q.runs[q.at], q.before
	p := w.first
	if before != nil {
		p = before.next
	}
	if p == nil {
		q.at, q.before = q.at+1, nil
		return
	}
	n := p.from
	for _, e := range p.entries[p.from:p.n] {
		if e.current(rs.At(e.Index)) {
			p.entries[n] = e
			n++
		}
	}
	q.Dropped += uint64(p.n - n)
	p.n = n
	q.before = p
	if before == nil {
		q.leavePages(w)
	} else if before.n+n-p.from <= pageLen {
		before.n += uint32(copy(before.entries[before.n:], p.entries[p.from:n]))
		before.next, q.before = p.next, before
		if w.last == p {
			w.last = before
		}
		if q.tail == p {
			q.tail = before
		}
		q.release(p)
	}
}
