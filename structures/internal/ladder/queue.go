// Package ladder is the core of package ladder, on records that its user has: lists whose
// first one is sorted when it starts.
package ladder

import (
	"math"
	"math/bits"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/records"
)

// Queue holds timers: the next ones in the front, which is sorted, and the others in the
// slots of a hierarchical wheel, as linked lists without order. Make it with New.
//
// Level l has 64 slots of 64^l ticks each. Seen as numbers with digits of 6 bits, a
// deadline and the base first differ in one digit. The place of this digit is the level
// of the timer, and the digit of the deadline is its slot. So all timers of a level are
// due before those of the levels above, and no slot of a level is a revolution ahead.
//
// A slot is emptied when it starts. If it holds few timers, or only one deadline, they go
// to the front, whatever the level. Otherwise they go to the levels below.
//
// To cancel a timer or to move it to later, only its record is written. The record stays
// in its list until the slot is emptied. If it is used again for a timer that is due no
// earlier than the slot starts, it is in its place already.
//
// Invariants:
//
//   - No timer is due before the base, which is not after the clock.
//   - A timer that is due before the limit of the front is in the front. A timer in a list
//     is due at the limit or later, and not before its slot starts.
//   - No timer is due before quiet.
//   - A record that is in a list says so, also if it is free.
type Queue struct {
	quiet    structures.Tick
	count    int
	front    front
	base     structures.Tick
	levels   uint16         // one bit per level that has an occupied slot
	occupied [Levels]uint64 // one bit per slot with a list
	nodes    nodes
	emptied  []entry // room for the timers of a slot
	work     structures.Work
}

// Levels is the number of levels.
const Levels = 11

// New returns an empty queue whose clock is at tick 0, for at most so many timers at once, and
// no more than MaxFew. 0 stands for any number of timers, in a set of records of its own.
func New(most int) Queue {
	return Queue{quiet: math.MaxInt64, nodes: nodes{byIndex: most == 0}}
}

// Len returns the number of timers.
func (q *Queue) Len() int { return q.count }

// Quiet returns a tick before which no timer is due.
func (q *Queue) Quiet() structures.Tick { return q.quiet }

// Work returns the counters of the work done so far: slots that were emptied (SlotsVisited),
// timers that went to another list or to the front (Moved), free records and stale entries
// (Dropped), and deadlines compared with one another (Comparisons).
func (q *Queue) Work() structures.Work { return q.work }

// Reserve makes room for n timers.
func (q *Queue) Reserve(n int) {
	q.nodes.reserve(n)
	q.front.entries = make([]entry, 0, n)
	q.emptied = make([]entry, 0, n)
}

// Note notes that a timer is due at a deadline.
func (q *Queue) Note(deadline structures.Tick) {
	if deadline < q.quiet {
		q.quiet = deadline
	}
}

// Keeps reports whether a timer with a deadline needs no more than its record, which is in the
// list at a place.
func (q *Queue) Keeps(at records.Where, deadline structures.Tick) bool {
	return deadline >= q.front.limit && deadline >= q.nodes.heads[positionOf(at)].start
}

// Count counts a timer more, or a timer less, which was cancelled.
func (q *Queue) Count(n int) { q.count += n }

// Schedule adds a timer with a deadline after the clock, whose record gets the value.
func (q *Queue) Schedule(
	rs *records.Set, deadline structures.Tick,
) (structures.ID, *records.Record) {
	var index uint32
	if rs.HasFree() {
		index = rs.TakeFree()
	} else {
		index = rs.Take()
		rs.At(index).Where = records.Nowhere
	}
	q.Note(deadline)
	q.Count(1)
	r := rs.At(index)
	if r.Start(deadline); r.Where.InList() && q.Keeps(r.Where, deadline) {
		return records.IDOf(index, r.Generation), r
	}
	return q.Place(rs, index, r)
}

// Place puts a new timer where its deadline belongs, and returns its ID and record.
func (q *Queue) Place(
	rs *records.Set, index uint32, r *records.Record,
) (structures.ID, *records.Record) {
	id := records.IDOf(index, r.Generation)
	if r.Deadline >= q.front.limit && !r.Where.InList() {
		q.link(index, r) // as place does: one call less takes 5 to 8 % off hold and aligned
	} else {
		q.place(rs, index)
	}
	return id, r
}

// Reschedule moves a timer to a deadline after the clock for which Keeps is false. It
// returns true.
func (q *Queue) Reschedule(
	rs *records.Set, index uint32, r *records.Record, deadline structures.Tick,
) bool {
	if deadline != r.Deadline { // otherwise it may have an entry in the front
		r.Deadline = deadline
		q.place(rs, index)
	}
	return true
}

// Pop removes the first timer that is due at the clock. It returns its record, which still has
// the value, or nil.
func (q *Queue) Pop(rs *records.Set) (structures.ID, *records.Record) {
	f := &q.front
	for {
		n := len(f.entries)
		if n == 0 {
			if q.refill(rs) {
				continue
			}
			break
		}
		e := f.entries[n-1]
		if e.deadline > rs.Clock {
			break
		}
		f.entries = f.entries[:n-1]
		r := rs.At(e.index)
		if !current(e, r) {
			q.work.Dropped++
			continue
		}
		r.Generation++
		rs.Release(e.index, r)
		q.count--
		return records.IDOf(e.index, e.generation), r
	}
	q.quiet = q.Starts()
	return 0, nil
}

// Next returns the earliest deadline, or the start of the first slot if it has more
// timers than the front. There must be a timer.
func (q *Queue) Next(rs *records.Set) structures.Tick {
	for {
		if n := len(q.front.entries); n > 0 {
			e := q.front.entries[n-1]
			if current(e, rs.At(e.index)) {
				return e.deadline
			}
			q.front.entries = q.front.entries[:n-1]
			q.work.Dropped++
			continue
		}
		if q.refill(rs) {
			continue
		}
		if earliest, ok := q.earliestIn(rs, q.next()); ok {
			return earliest
		}
	}
}

// place puts a timer, new or moved, where its deadline belongs. Its record has the
// deadline.
func (q *Queue) place(rs *records.Set, index uint32) {
	r := rs.At(index)
	if r.Where.InList() {
		q.unlink(index, r)
	}
	if r.Deadline < q.front.limit {
		if len(q.front.entries) >= frontLen {
			q.shorten(rs)
			if r.Where.InList() {
				return // an older entry of this timer went to a list
			}
		}
		if r.Deadline < q.front.limit {
			q.work.Comparisons += q.front.insert(entry{r.Deadline, index, r.Generation})
			return
		}
	}
	q.link(index, r)
}

// link puts a record into the list for its deadline, which must not be before the base.
func (q *Queue) link(index uint32, r *records.Record) {
	level := uint(bits.Len64(uint64(r.Deadline^q.base)|1)-1) / digitBits
	shift := level * digitBits & 63
	digits := uint64(r.Deadline) >> shift
	slot := uint(digits) & digitMask
	at := level<<digitBits | slot
	p := &q.nodes
	if at >= uint(len(p.heads)) {
		p.growHeads(at)
	}
	number := p.free
	if number == 0 {
		number = p.take(index)
	}
	n, head := &p.all[number], &p.heads[at]
	p.free = n.behind
	n.index, n.before, n.behind = index, 0, head.first
	p.all[head.first].before = number // node 0 is written in vain
	head.first, head.start = number, structures.Tick(digits<<shift)
	q.occupied[level] |= 1 << slot
	q.levels |= 1 << level
	r.Where = p.where(number, position(at))
}

// unlink takes a record out of its list.
func (q *Queue) unlink(index uint32, r *records.Record) {
	p := &q.nodes
	number := p.number(index, r.Where)
	n := &p.all[number]
	p.all[n.behind].before = n.before
	if n.before != 0 {
		p.all[n.before].behind = n.behind
	} else {
		at := positionOf(r.Where)
		p.heads[at].first = n.behind
		if n.behind == 0 {
			q.setEmpty(at)
		}
	}
	p.release(n, number)
	r.Where = records.Nowhere
}

// setEmpty notes that a slot has no list.
func (q *Queue) setEmpty(at position) {
	q.occupied[at.level()] &^= 1 << at.slot()
	if q.occupied[at.level()] == 0 {
		q.levels &^= 1 << at.level()
	}
}

// next returns the first occupied slot. There must be one.
func (q *Queue) next() position {
	level := bits.TrailingZeros16(q.levels)
	return position(level<<digitBits | bits.TrailingZeros64(q.occupied[level]))
}

// Starts returns the first tick at which there is something to do: a tick before which
// nothing is due, as far as the lists tell.
func (q *Queue) Starts() structures.Tick {
	if n := len(q.front.entries); n > 0 {
		return q.front.entries[n-1].deadline
	}
	if q.levels == 0 {
		return math.MaxInt64
	}
	return q.startOf(q.next())
}

// startOf returns the first tick of an occupied slot.
func (q *Queue) startOf(at position) structures.Tick { return q.nodes.heads[at].start }

// refill empties the first slot if it starts by the clock. It returns false if there is no such
// slot. The front is empty, and may be so after that, too.
func (q *Queue) refill(rs *records.Set) bool {
	if q.levels != 0 {
		at := q.next()
		if start := q.startOf(at); start <= rs.Clock {
			q.empty(rs, at, start)
			return true
		}
	}
	q.base = rs.Clock
	return false
}

// empty moves the timers of the first occupied slot, which starts at start, to the front or to
// the levels below.
func (q *Queue) empty(rs *records.Set, at position, start structures.Tick) {
	q.work.SlotsVisited++
	last := at.last(start)
	q.base = start
	q.front.limit = min(last, math.MaxInt64-1) + 1
	number := q.nodes.heads[at].first
	q.nodes.heads[at].first = 0
	q.setEmpty(at)
	emptied, earliest, latest, spread := q.emptied[:0], last, start, false
	for number != 0 {
		n := &q.nodes.all[number]
		index, behind := n.index, n.behind
		q.nodes.release(n, number)
		number = behind
		r := rs.At(index)
		r.Where = records.Nowhere
		switch {
		case !r.Pending():
			q.work.Dropped++
		case r.Deadline > last || spread:
			q.link(index, r)
			q.work.Moved++
		default:
			emptied = append(emptied, entry{r.Deadline, index, r.Generation})
			earliest, latest = min(earliest, r.Deadline), max(latest, r.Deadline)
			if len(emptied) > frontLen && earliest != latest && start == rs.Clock {
				q.front.limit = start // as below, but the rest need not be looked at twice
				q.work.Moved += q.linkAll(rs, emptied)
				emptied, spread = emptied[:0], true
			}
		}
	}
	q.work.Moved += uint64(len(emptied))
	switch {
	case spread:
		q.emptied = emptied
	case earliest == latest:
		q.front.entries, q.emptied = emptied, q.front.entries
	case len(emptied) <= frontLen:
		q.emptied = emptied
		q.work.Comparisons += q.front.sort(emptied, at.level() == 1)
	default:
		q.emptied = emptied
		q.base = min(earliest, rs.Clock)
		q.front.limit = q.base
		q.linkAll(rs, emptied)
	}
}

// linkAll puts timers of which none is in a list into their lists, and returns how many.
func (q *Queue) linkAll(rs *records.Set, timers []entry) uint64 {
	for _, e := range timers {
		q.link(e.index, rs.At(e.index))
	}
	return uint64(len(timers))
}

// shorten drops the stale entries of the front. If more than half are left, the later ones
// of them go to lists.
func (q *Queue) shorten(rs *records.Set) {
	f := q.front.entries[:0]
	for _, e := range q.front.entries { // a function for slices.DeleteFunc would be allocated
		if current(e, rs.At(e.index)) {
			f = append(f, e)
		}
	}
	q.work.Dropped += uint64(len(q.front.entries) - len(f))
	q.front.entries = f
	if later := len(f) / 2; len(f) > frontLen/2 {
		q.front.limit = f[later-1].deadline
		q.work.Moved += q.linkEntries(rs, f[:later])
		q.front.entries = f[:copy(f, f[later:])]
	}
}

// linkEntries moves the timers of entries of the front to lists, and returns how many.
func (q *Queue) linkEntries(rs *records.Set, entries []entry) (linked uint64) {
	for _, e := range entries {
		r := rs.At(e.index)
		if current(e, r) && r.Where == records.Nowhere { // otherwise there is another entry for it
			q.link(e.index, r)
			linked++
		}
	}
	return linked
}

// earliestIn returns the earliest deadline in a slot, or its start if it has more records than
// the front. It takes those out that do not belong there any more, and returns ok = false
// if no other is left.
func (q *Queue) earliestIn(rs *records.Set, at position) (earliest structures.Tick, ok bool) {
	start := q.startOf(at)
	last := at.last(start)
	earliest = last
	length := 0
	for number := q.nodes.heads[at].first; number != 0; {
		if length++; length > frontLen {
			return start, true
		}
		n := q.nodes.all[number]
		number = n.behind
		r := rs.At(n.index)
		switch {
		case !r.Pending():
			q.unlink(n.index, r)
			q.work.Dropped++
		case r.Deadline > last:
			q.unlink(n.index, r)
			q.link(n.index, r)
			q.work.Moved++
		default:
			earliest, ok = min(earliest, r.Deadline), true
		}
	}
	return earliest, ok
}
