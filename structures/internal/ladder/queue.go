// Package ladder is the core of package ladder, on records that its user has: lists whose
// first one is sorted when it starts.
package ladder

import (
	"math"
	"math/bits"
	"slices"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/records"
)

// Queue holds timers: the next ones in the front, which is sorted, and the others in the
// slots of a hierarchical wheel, as linked lists without order. Make it with New.
//
// Level l has 64 slots of 64^l ticks each. Seen as numbers with digits of 6 bits, a deadline and the base first
// differ in one digit. The place of this digit is the level of the timer, and the digit of the deadline is its slot.
// So all timers of a level are due before those of the levels above, and no slot of a level is a revolution ahead.
//
// A slot is emptied when it starts, unless a timer in front is due before. If it holds few timers, or has at most
// 4096 ticks, or all have one deadline, they go to the front. Otherwise they go to the levels below. So timers in
// lists may be due before others in front: those that came later.
//
// To move a timer to a later tick, only its record is written. The record stays in its list until the slot is emptied.
// The same holds for a cancelled timer while most cancelled records are used again in their lists, because a record
// whose new timer is not due before the slot starts has its place already. While most of them would still be in their
// lists when the slots start, a cancelled record leaves its list at once.
//
// Invariants:
//
//   - No timer is due before the base, which is not after the clock.
//   - A timer in a list is not due before its slot starts.
//   - No list starts before listed, and no timer in front is due before due.
//   - A record that is in a list says so, also if it is free.
type Queue struct {
	due      structures.Tick
	listed   structures.Tick
	came     uint // timers that came so far
	left     uint // timers that fired, were cancelled or moved to a wheel
	eager    bool // a cancelled record leaves its list at once
	Plain    bool // Cancel only writes the record; see SetPlain
	mayPlain bool // the argument of SetPlain
	nodes    nodes
	front    front
	base     structures.Tick
	levels   uint16         // one bit per level that has an occupied slot
	occupied [Levels]uint64 // one bit per slot with a list
	emptied  []entry        // room for the timers of a slot
	spare    []entry        // room to sort them
	visited  uint           // records in emptied slots since mark
	mark     uint           // came at the start of the current window
	work     structures.Work
}

// Levels is the number of levels.
const Levels = 11

// New returns an empty queue whose clock is at tick 0, for at most so many timers at once, and
// no more than MaxFew. 0 stands for any number of timers, in a set of records of its own.
func New(most int) Queue {
	return Queue{due: math.MaxInt64, listed: math.MaxInt64, nodes: nodes{byIndex: most == 0}}
}

// Len returns the number of timers.
func (q *Queue) Len() int { return int(q.came - q.left) }

// Quiet returns a tick before which no timer is due.
func (q *Queue) Quiet() structures.Tick { return min(q.due, q.listed) }

// Work returns the counters of the work done so far: slots that were emptied (SlotsVisited),
// timers that went to another list or to the front (Moved), free records and stale entries
// (Dropped), and deadlines compared with one another (Comparisons).
func (q *Queue) Work() structures.Work { return q.work }

// Reserve makes room for n timers.
func (q *Queue) Reserve(n int) {
	q.nodes.reserve(n)
	n = min(n, sortedLen)
	q.front.entries, q.emptied, q.spare = make([]entry, 0, n), make([]entry, 0, n), make([]entry, 0, n)
}

// Keeps reports whether a timer with a deadline needs no more than its record, which is in the
// list at a place, or nowhere.
func (q *Queue) Keeps(at records.Where, deadline structures.Tick) bool {
	heads, p := q.nodes.heads, uint(at)>>records.TagBits&(1<<positionBits-1)
	return p < uint(len(heads)) && deadline > heads[p].before
}

// Come counts a new timer.
func (q *Queue) Come() { q.came++ }

// Leave counts a cancelled timer.
func (q *Queue) Leave() { q.left++ }

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
// eagerBelow/2 times the records, most cancelled records would be visited once more, and are unlinked at once. If more
// come than lazyAbove times a window of records, cancelled records are used again in their lists. More than eagerLen
// timers are not in the nearest cache, where unlinking costs more than a visit.
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
	q.Plain = q.mayPlain && !eager
}

// SetPlain sets Plain, or clears it while cancelled records leave their lists.
func (q *Queue) SetPlain(plain bool) {
	q.mayPlain = plain
	q.Plain = plain && !q.eager
}

// Schedule adds a timer with a deadline after the clock, whose record gets the value.
func (q *Queue) Schedule(rs *records.Set, deadline structures.Tick) (structures.ID, *records.Record) {
	var index uint32
	if rs.HasFree() {
		index = rs.TakeFree()
	} else {
		index = rs.Take()
		rs.At(index).Where = records.Nowhere
	}
	q.Come()
	r := rs.At(index)
	if r.Start(deadline); q.Keeps(r.Where, deadline) {
		return records.IDOf(index, r.Generation), r
	}
	return q.Place(rs, index, r)
}

// Place puts a new timer where its deadline belongs, and returns its ID and record.
func (q *Queue) Place(rs *records.Set, index uint32, r *records.Record) (structures.ID, *records.Record) {
	if r.Where == records.Nowhere && !q.front.takes(r.Deadline) {
		return q.link(index, r)
	}
	return q.place(rs, index, r)
}

// Reschedule moves a timer to a deadline after the clock for which Keeps is false. It returns true.
func (q *Queue) Reschedule(rs *records.Set, index uint32, r *records.Record, deadline structures.Tick) bool {
	if deadline != r.Deadline { // otherwise it may have an entry in the front
		if r.Deadline = deadline; r.Where.InList() || !q.front.has(entryOf(index, r)) {
			q.place(rs, index, r)
		}
	}
	return true
}

// Pop removes the first timer that is due at the clock. It returns its record, which still has the value, or nil.
func (q *Queue) Pop(rs *records.Set) (structures.ID, *records.Record) {
	f := &q.front
	for {
		n := len(f.entries)
		if q.listed <= rs.Clock && (n == 0 || q.listed < f.entries[n-1].deadline) {
			if q.refill(rs) {
				continue
			}
		}
		if n == 0 {
			q.due, q.base = math.MaxInt64, rs.Clock
			return 0, nil
		}
		e := f.entries[n-1]
		if e.deadline > rs.Clock {
			q.due = e.deadline
			return 0, nil
		}
		f.entries = f.entries[:n-1]
		r := rs.At(e.index)
		if !current(e, r) {
			q.work.Dropped++
			continue
		}
		r.Generation++
		q.left++
		if !rs.TryRelease(e.index, r) {
			rs.Release(e.index, r)
		}
		return records.IDOf(e.index, e.generation), r
	}
}

// Next returns the earliest deadline, or the start of the first slot if it has more than frontLen
// timers. There must be a timer.
func (q *Queue) Next(rs *records.Set) structures.Tick {
	for {
		first := structures.Tick(math.MaxInt64)
		if n := len(q.front.entries); n > 0 {
			e := q.front.entries[n-1]
			if !current(e, rs.At(e.index)) {
				q.front.entries = q.front.entries[:n-1]
				q.work.Dropped++
				continue
			}
			first = e.deadline
		}
		if first <= q.listed {
			return first
		}
		if q.refill(rs) || first <= q.listed {
			continue
		}
		if earliest, ok := q.earliestIn(rs, q.next()); ok {
			return min(first, earliest)
		}
	}
}

// place puts a timer, new or moved, where its deadline belongs. Its record has the
// deadline. It returns the ID and the record.
func (q *Queue) place(rs *records.Set, index uint32, r *records.Record) (structures.ID, *records.Record) {
	if r.Where != records.Nowhere {
		q.unlink(index, r)
	}
	f := &q.front
	if !f.takes(r.Deadline) {
		return q.link(index, r)
	}
	if len(f.entries) == cap(f.entries) {
		q.dropStale(rs)
	}
	q.work.Comparisons += f.insert(entryOf(index, r))
	q.due = min(q.due, r.Deadline)
	return records.IDOf(index, r.Generation), r
}

// link puts a record into the list for its deadline, which must not be before the base. It
// returns the ID and the record, so that nobody has to keep them over the call.
func (q *Queue) link(index uint32, r *records.Record) (structures.ID, *records.Record) {
	level := levelOf[uint(bits.Len64(uint64(r.Deadline^q.base)))&63]
	shift := uint(level) * digitBits & 63
	digits := uint64(r.Deadline) >> shift
	slot := uint(digits) & digitMask
	at, start := positionAt(uint(level), slot), structures.Tick(digits<<shift)
	p := &q.nodes
	number, all, heads := p.free, p.all, p.heads
	if p.byIndex {
		number = index + 1
	}
	if uint(at) >= uint(len(heads)) || number == 0 || uint(number) >= uint(len(all)) {
		p.makeRoom(index, at)
		return q.link(index, r)
	}
	n, head := &all[number], &heads[at]
	p.free = n.behind
	n.index, n.before, n.behind = index, 0, head.first
	all[head.first].before = number // node 0 is written in vain
	head.first, head.before = number, start-1
	q.occupied[level] |= 1 << slot
	q.levels |= 1 << level
	r.Where = whereAt(number, at)
	if start < q.listed {
		q.listed = start
	}
	return records.IDOf(index, r.Generation), r
}

// levelOf is the level of a timer by the number of bits in which its deadline and the base differ.
var levelOf = func() (level [64]uint8) {
	for n := range level {
		level[n] = uint8(max(n-1, 0) / digitBits)
	}
	return level
}()

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
	level := uint(bits.TrailingZeros16(q.levels))
	return positionAt(level, uint(bits.TrailingZeros64(q.occupied[level])))
}

// firstList returns the first tick of the first occupied slot, or the last tick of all.
func (q *Queue) firstList() structures.Tick {
	if q.levels == 0 {
		return math.MaxInt64
	}
	return q.startOf(q.next())
}

// Starts returns the first tick at which there is something to do: a tick before which
// nothing is due, as far as the lists tell.
func (q *Queue) Starts() structures.Tick {
	if n := len(q.front.entries); n > 0 {
		return min(q.front.entries[n-1].deadline, q.firstList())
	}
	return q.firstList()
}

// startOf returns the first tick of an occupied slot.
func (q *Queue) startOf(at position) structures.Tick { return q.nodes.heads[at].before + 1 }

// refill empties the first slot if it starts by the clock. It returns false if there is no such
// slot. Then listed is the start of the first one.
func (q *Queue) refill(rs *records.Set) bool {
	start := q.firstList()
	if q.listed = start; start > rs.Clock || q.levels == 0 {
		return false
	}
	q.empty(rs, q.next(), start)
	q.listed = q.firstList()
	return true
}

// empty moves the timers of the first occupied slot, which starts at start, to the front or to the levels below.
func (q *Queue) empty(rs *records.Set, at position, start structures.Tick) {
	q.work.SlotsVisited++
	q.base = start
	last, level := at.last(start), at.level()
	first := q.nodes.heads[at].first
	q.nodes.heads[at].first = 0
	q.setEmpty(at)
	p, all := &q.nodes, q.nodes.all
	emptied, differ, dropped := q.emptied[:0], structures.Tick(0), uint64(0)
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
	p.releaseAll(first, behind)
	q.visit(uint(dropped) + uint(len(emptied)))
	q.work.Dropped += dropped
	q.work.Moved += uint64(len(emptied))
	q.emptied = emptied
	if number != 0 { // too many
		q.linkAll(rs, emptied)
		q.spread(rs, number)
		return
	}
	if len(emptied) > 0 && (differ>>at.shift() != 0 || emptied[0].deadline > last) {
		emptied = q.linkLater(rs, emptied, last)
	}
	if level == 0 {
		differ = 0
	}
	if len(emptied) > frontLen && differ != 0 && (level > 2 || level == 2 && len(q.front.entries) > 0) {
		q.base = rs.Clock
		for _, e := range emptied {
			q.base = min(q.base, e.deadline)
		}
		if n := len(q.front.entries); n > 0 {
			q.base = min(q.base, q.front.entries[n-1].deadline)
		}
		q.linkAll(rs, emptied)
		return
	}
	q.toFront(emptied, level, differ)
	q.front.limit = max(q.front.limit, min(last, math.MaxInt64-1)+1)
}

// linkLater puts those timers into lists that are due after a tick. It returns the others.
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

// spread puts the timers of a list, from a node on, into lists of lower levels, and those that
// do not belong there any more into others.
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

// linkAll puts timers of which none is in a list into their lists.
func (q *Queue) linkAll(rs *records.Set, timers []entry) {
	for _, e := range timers {
		q.link(e.index, rs.At(e.index))
	}
}

// dropStale drops the stale entries of the front. It makes room for as many as are left, so that
// it costs O(1) an entry that comes.
func (q *Queue) dropStale(rs *records.Set) {
	f := q.front.entries[:0]
	for _, e := range q.front.entries { // a function for slices.DeleteFunc would be allocated
		if current(e, rs.At(e.index)) {
			f = append(f, e)
		}
	}
	q.work.Dropped += uint64(len(q.front.entries) - len(f))
	q.front.entries = slices.Grow(f, max(frontLen, len(f)))
}

// linkEntries moves the timers of entries of the front to lists.
func (q *Queue) linkEntries(rs *records.Set, entries []entry) {
	for _, e := range entries {
		r := rs.At(e.index)
		if current(e, r) && r.Where == records.Nowhere { // otherwise there is another entry for it
			q.link(e.index, r)
		}
	}
}

// earliestIn returns the earliest deadline in a slot, or its start if it has more records than the front. It takes
// those out that do not belong there any more, and returns ok = false if no other is left.
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
