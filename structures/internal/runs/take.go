package runs

import "github.com/timerbench/timerbench/structures/internal/records"

// current reports whether an entry is that of a timer. r is its record.
func (e Entry) current(r *records.Record) bool {
	return r.Generation == e.generation && r.Where == records.InRun
}

// find finds the first entry of all runs.
func (q *Runs) find() {
	q.Due, q.other, q.front = Never, Never, nil
	for i := range q.runs[:q.used] {
		if p := q.runs[i].first; p != nil && p.from < p.n {
			if at := p.entries[p.from].Deadline; at < q.Due {
				q.Due, q.other, q.front = at, q.Due, p
			} else if at < q.other {
				q.other = at
			}
		}
	}
}

// First returns the first entry, and its record if the timer is still there, otherwise nil. There must be an entry: Due is not
// the last tick of all.
func (q *Runs) First(rs *records.Set) (Entry, *records.Record) {
	p := q.front
	e := p.entries[p.from]
	r := rs.At(e.Index)
	if !e.current(r) {
		return e, nil
	}
	return e, r
}

// Drop removes the first entry, which is dead, and up to 15 dead ones behind it.
func (q *Runs) Drop(rs *records.Set) {
	p := q.front
	at := p.from + 1
	for at < p.n && at&(aheadLen-1) != 0 && !p.entries[at].current(rs.At(p.entries[at].Index)) {
		at++
	}
	q.Dropped += uint64(at - p.from)
	p.from = at - 1
	q.Take(rs)
}

// Take removes the first entry. The caller counts the timer and writes Where.
func (q *Runs) Take(rs *records.Set) {
	if !q.TakeNext() {
		q.takeLast(rs)
	}
}

// TakeNext removes the first entry if the next one of its page is then the first.
func (q *Runs) TakeNext() bool {
	p := q.front
	at := p.from + 1
	if at >= p.n || at&(aheadLen-1) == 0 || p.entries[at].Deadline > q.other {
		return false
	}
	p.from, q.Due = at, p.entries[at].Deadline
	return true
}

// takeLast removes the first entry and finds the next one.
func (q *Runs) takeLast(rs *records.Set) {
	p := q.front
	if p.from++; p.from&(aheadLen-1) == 0 && q.pages > aheadFrom/pageLen {
		q.prefetch(rs, p)
	}
	for i := range q.runs[:q.used] {
		if q.runs[i].first == p {
			q.leavePages(&q.runs[i])
		}
	}
	q.find()
}

// leavePages removes the first pages of a run if they have no entries.
func (q *Runs) leavePages(w *run) {
	for p := w.first; p.from >= p.n; p = w.first {
		if p == w.last {
			if p.from, p.n = 0, 0; p == q.tail && q.used > 1 {
				q.tail = &full
			}
			return
		}
		w.first = p.next
		if q.before == p {
			q.before = nil
		}
		q.release(p)
	}
}

// prefetch prefetches the records of aheadLen entries, after as many entries that were prefetched before.
func (q *Runs) prefetch(rs *records.Set, p *page) {
	at := p.from + aheadLen
	if at >= pageLen {
		if p, at = p.next, at-pageLen; p == nil {
			return
		}
	}
	var indexes [aheadLen]uint32
	n := 0
	for ; n < aheadLen && at < p.n; n++ {
		indexes[n] = p.entries[at].Index
		at++
	}
	rs.Prefetch(q.ahead, indexes[:n])
}
