// Package ladder is the core of package ladder: linked lists of timers in records of the caller. The first list is sorted when it
// starts.
package ladder

import (
	"math"
	"math/bits"
	"slices"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/records"
)

// Queue holds the next timers in the front, which is sorted, and the other timers in the slots of a hierarchical wheel, as linked
// lists without order. Make it with New.
//
// Level l has 64 slots of 64^l ticks each. Written with digits of 6 bits, a deadline first differs from the base in some digit.
// The place of this digit is the level of the timer, and the digit of the deadline is its slot. So all timers of a level are due
// before the timers of the levels above, and each slot holds ticks of one revolution.
//
// A slot is emptied when it starts, unless a timer in the front is due earlier. The timers go to the front if they are few, if
// the slot has at most 4096 ticks, or if all have the same deadline. Otherwise they go to the levels below. A timer that comes
// later may be due before the last timers in the front and still go to a list.
//
// To move a timer to a later tick, only its record is written. The record stays in its list until the slot is emptied. The same
// holds for a cancelled timer while most cancelled records are used again in their lists, because a record whose new timer is not
// due before the slot starts has its place already. While most of them would still be in their lists when the slots start, a
// cancelled record leaves its list at once. A handful of timers may be a pile instead, see AddToPile.
//
// Invariants:
//
//   - No timer is due before the base, which is not after the clock.
//   - A timer in a list is not due before its slot starts.
//   - No list starts before listed, and no timer in front is due before due.
//   - The record of a timer in a list names its place there. So does a free record in a list.
type Queue struct {
	due      structures.Tick
	listed   structures.Tick
	came     uint // timers so far
	left     uint // timers that fired, were cancelled or moved to a wheel
	eager    bool // a cancelled record should leave its list or the pile at once
	pile     bool // all timers are in the front, without order
	first    uint // in the pile: the place of a timer that is due at due, or unknown
	credit   int  // comparisons that scans of the pile may make, as of the last one of more than freeLen places
	nodes    nodes
	front    front
	base     structures.Tick
	levels   uint16         // one bit per level that has an occupied slot
	occupied [Levels]uint64 // one bit per slot with a list
	emptied  []entry        // buffer for the timers of a slot
	spare    []entry        // buffer for sorting
	visited  uint           // records in emptied slots, see visit
	mark     uint           // came when visited was 0, or when scans of the pile cost too much
	work     structures.Work
	moved    uint // timers that moved in the pile
	paid     uint // came and moved as of the last scan of more than freeLen places
}

// Levels is the number of levels.
const Levels = 11

// New returns an empty queue at tick 0 for at most most timers at once. most is at most MaxFew. If it is 0, the number is not
// limited, and the queue is the only user of its set of records.
func New(most int) Queue {
	return Queue{
		due: math.MaxInt64, listed: math.MaxInt64, nodes: nodes{byIndex: most == 0},
		pile: most > 0, eager: most > 0, first: unknown, credit: mostCredit,
	}
}

// Len returns the number of timers.
func (q *Queue) Len() int { return int(q.came - q.left) }

// Enter counts a new timer, for a caller that does what Schedule does.
func (q *Queue) Enter() { q.came++ }

// Came returns the number of timers so far.
func (q *Queue) Came() uint { return q.came }

// InPile reports whether all timers are in the pile.
func (q *Queue) InPile() bool { return q.pile }

// LeavesNow reports whether CancelNow must cancel a timer, so that its record leaves its list or the pile at once.
func (q *Queue) LeavesNow(r *records.Record) bool { return q.eager && r.Where.InList() }

// Quiet returns a tick before which no timer is due.
func (q *Queue) Quiet() structures.Tick { return min(q.due, q.listed) }

// Work returns the counters of the work so far: emptied slots (SlotsVisited), timers moved to another list or to the front
// (Moved), free records and stale entries that were removed (Dropped), and comparisons of deadlines (Comparisons).
func (q *Queue) Work() structures.Work { return q.work }

// Reserve makes room for n timers.
func (q *Queue) Reserve(n int) {
	q.nodes.reserve(n)
	n = min(n, sortedLen)
	q.front.entries, q.emptied, q.spare = make([]entry, 0, n), make([]entry, 0, n), make([]entry, 0, n)
}

// Keeps reports whether a record at a place may keep the place with a deadline. It is false for a record in no list.
func (q *Queue) Keeps(at records.Where, deadline structures.Tick) bool {
	heads, p := q.nodes.heads, uint(at)>>records.TagBits&(1<<positionBits-1)
	return p < uint(len(heads)) && deadline > heads[p].before
}

// Count counts n more timers, or fewer if n is negative.
func (q *Queue) Count(n int) { q.left -= uint(n) }

// MayFire reports whether a timer that is due before a tick may be in the queue.
func (q *Queue) MayFire(before structures.Tick) bool { return q.Quiet() < before && q.base < before }

// Schedule adds a timer with a deadline after the clock. The caller writes the value to the returned record.
func (q *Queue) Schedule(rs *records.Set, deadline structures.Tick) (structures.ID, *records.Record) {
	index := rs.Free()
	q.Enter()
	r := rs.At(index)
	if r.Start(deadline); q.Keeps(r.Where, deadline) {
		return records.IDOf(index, r.Generation), r
	}
	return q.Place(rs, index, r)
}

// Place puts a new timer where its deadline belongs, and returns its ID and record.
func (q *Queue) Place(rs *records.Set, index uint32, r *records.Record) (structures.ID, *records.Record) {
	if q.pile {
		return q.AddToPile(rs, index, r)
	}
	if r.Where == records.Nowhere && !q.front.takes(r.Deadline) {
		return q.link(index, r)
	}
	return q.place(rs, index, r)
}

// Reschedule moves a timer to a deadline after the clock for which Keeps is false. It returns true.
func (q *Queue) Reschedule(rs *records.Set, index uint32, r *records.Record, deadline structures.Tick) bool {
	if deadline != r.Deadline { // otherwise it may have an entry in the front
		r.Deadline = deadline
		q.place(rs, index, r) // a stale entry of the same deadline is current again: it has two
	}
	return true
}

// Pop removes the earliest timer if it is due at the clock. It returns the record, which still has the value, or nil.
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
		if n > 1 {
			q.due = f.entries[n-2].deadline // so that the next call knows whether a timer is due
		}
		r.Generation++
		q.left++
		if !rs.TryRelease(e.index, r) {
			rs.Release(e.index, r)
		}
		return records.IDOf(e.index, e.generation), r
	}
}

// Next returns the earliest deadline, or the start of the first slot if it has more than frontLen timers. There must be a timer.
func (q *Queue) Next(rs *records.Set) structures.Tick {
	if q.pile {
		if q.first == unknown {
			q.scan(rs)
		}
		if q.pile {
			return q.due
		}
	}
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

// place puts a new or moved timer where its deadline belongs. The deadline is in the record. It returns the ID and the record.
func (q *Queue) place(rs *records.Set, index uint32, r *records.Record) (structures.ID, *records.Record) {
	if r.Where.InList() {
		q.Unlink(index, r)
	} else if r.Where != records.Nowhere { // it was in a run
		r.Where = records.Nowhere
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

// link puts a record into the list of its deadline, which must not be before the base. It returns the ID and the record, so that
// its callers need not save them across the call.
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
	all[head.first].before = number // node 0 is not used
	head.first, head.before = number, start-1
	q.occupied[level] |= 1 << slot
	q.levels |= 1 << level
	r.Where = whereAt(number, at)
	if start < q.listed {
		q.listed = start
	}
	return records.IDOf(index, r.Generation), r
}

// levelOf is the level of a timer by the position of the highest bit in which its deadline and the base differ.
var levelOf = func() (level [64]uint8) {
	for n := range level {
		level[n] = uint8(max(n-1, 0) / digitBits)
	}
	return level
}()

// Unlink takes a record out of its list.
func (q *Queue) Unlink(index uint32, r *records.Record) {
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

// setEmpty clears the bit of a slot, and the bit of the level if that was the last one.
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

// Starts returns the first deadline in the front or the start of the first slot, whichever is earlier. No timer is due before it.
func (q *Queue) Starts() structures.Tick {
	if n := len(q.front.entries); n > 0 {
		return min(q.front.entries[n-1].deadline, q.firstList())
	}
	return q.firstList()
}

// startOf returns the first tick of an occupied slot.
func (q *Queue) startOf(at position) structures.Tick { return q.nodes.heads[at].before + 1 }

// dropStale drops the stale entries of the front. Then it doubles the room, so it costs O(1) amortized over inserts.
func (q *Queue) dropStale(rs *records.Set) {
	f := q.front.entries[:0]
	for _, e := range q.front.entries { // slices.DeleteFunc would allocate its function
		if current(e, rs.At(e.index)) {
			f = append(f, e)
		}
	}
	q.work.Dropped += uint64(len(q.front.entries) - len(f))
	q.front.entries = slices.Grow(f, max(frontLen, len(f)))
}

// linkEntries moves timers from the front to lists.
func (q *Queue) linkEntries(rs *records.Set, entries []entry) {
	for _, e := range entries {
		r := rs.At(e.index)
		if current(e, r) && r.Where == records.Nowhere { // otherwise a second entry of the timer was linked
			q.link(e.index, r)
		}
	}
}

// earliestIn returns the earliest deadline in a slot, or the start of the slot if it holds more than frontLen records. It removes
// free records and timers that moved to later slots. ok is false if no timer is left.
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
			q.Unlink(n.index, r)
			q.work.Dropped++
		case r.Deadline > last:
			q.Unlink(n.index, r)
			q.link(n.index, r)
			q.work.Moved++
		default:
			earliest, ok = min(earliest, r.Deadline), true
		}
	}
	return earliest, ok
}
