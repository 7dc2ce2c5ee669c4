package auto

import (
	"math"
	"math/bits"
	"slices"

	"github.com/timerbench/timerbench/structures"
)

// lists holds the timers while they are few: the next ones in the front, which is sorted,
// and the others in the slots of a hierarchical wheel, as linked lists without order.
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
//   - A record that is in a list says so, also if it is free.
type lists[T any] struct {
	front    front
	base     structures.Tick
	levels   uint16             // one bit per level that has an occupied slot
	occupied [listLevels]uint64 // one bit per slot with a list
	heads    []uint16           // the first node of each list, by position; 0: none
	nodes    []node             // by number; node 0 is never used
	free     uint16             // the first node that is not in use
	emptied  []entry            // room for the timers of a slot
	work     structures.Work
}

// node is the place of a record in a list.
type node struct {
	index          uint32
	before, behind uint16 // the numbers of other nodes, or 0
}

const (
	listLevels = 11
	digitBits  = 6
	digitMask  = 1<<digitBits - 1
	firstNodes = 16
	maxNodes   = 1 << nodeBits // more than fewLimit: free records are in lists, too
)

// In a record that is in a list, where holds the node and the position of the slot
// above the place, which is nowhere.
const (
	positionShift = placeBits
	positionBits  = 10
	nodeShift     = positionShift + positionBits
	nodeBits      = 14
)

// inList reports whether a record is in a list. It may be free.
func (w where) inList() bool { return w.place() == nowhere && w != nowhere }

func (w where) node() uint16       { return uint16(w >> nodeShift) }
func (w where) position() position { return position(w>>positionShift) & (1<<positionBits - 1) }

// position is a slot of a level: 64 times the level, and the slot.
type position uint32

func (p position) level() uint { return uint(p) >> digitBits }
func (p position) slot() uint  { return uint(p) & digitMask }

// shift returns the binary logarithm of the ticks in a slot.
func (p position) shift() uint { return p.level() * digitBits & 63 }

// last returns the last tick of a slot that starts at start.
func (p position) last(start structures.Tick) structures.Tick { return start | (1<<p.shift() - 1) }

// number returns the first tick of an occupied slot in units of its width.
func (p *lists[T]) number(at position) structures.Tick {
	return p.base>>at.shift()&^digitMask | structures.Tick(at.slot())
}

// startOf returns the first tick of an occupied slot.
func (p *lists[T]) startOf(at position) structures.Tick { return p.number(at) << at.shift() }

// settled reports whether a timer with a deadline needs no more than its record.
func (p *lists[T]) settled(at where, deadline structures.Tick) bool {
	if !at.inList() || deadline < p.front.limit {
		return false
	}
	slot := at.position()
	return deadline>>slot.shift() >= p.number(slot)
}

// place puts a timer, new or moved, where its deadline belongs. Its record has the
// deadline.
func (p *lists[T]) place(rs *records[T], index uint32) {
	r := rs.At(index)
	if r.where.inList() {
		p.unlink(r)
	}
	if r.deadline < p.front.limit {
		if len(p.front.entries) >= frontLen {
			p.shorten(rs)
			if r.where.inList() {
				return // an older entry of this timer went to a list
			}
		}
		if r.deadline < p.front.limit {
			p.work.Comparisons += p.front.insert(entry{r.deadline, index, r.generation})
			return
		}
	}
	p.link(index, r)
}

// link puts a record into the list for its deadline, which must not be before the base.
func (p *lists[T]) link(index uint32, r *record[T]) {
	level := uint(bits.Len64(uint64(r.deadline^p.base)|1)-1) / digitBits
	slot := uint(uint64(r.deadline)>>(level*digitBits&63)) & digitMask
	at := level<<digitBits | slot
	if at >= uint(len(p.heads)) {
		p.heads = append(p.heads, make([]uint16, at|digitMask+1-uint(len(p.heads)))...)
	}
	if p.free == 0 {
		p.makeNodes(2 * len(p.nodes))
	}
	number, head := p.free, &p.heads[at]
	n := &p.nodes[number]
	p.free = n.behind
	n.index, n.before, n.behind = index, 0, *head
	p.nodes[*head].before = number // node 0 is written in vain
	*head = number
	p.occupied[level] |= 1 << slot
	p.levels |= 1 << level
	r.where = where(number)<<nodeShift | where(at)<<positionShift | nowhere
}

// makeNodes makes room for n nodes.
func (p *lists[T]) makeNodes(n int) {
	old := len(p.nodes)
	n = min(max(n, firstNodes), maxNodes)
	if n == old {
		panic("auto: more records are in lists than were pending at once")
	}
	p.nodes = append(slices.Grow(p.nodes, n-old), make([]node, n-old)...)
	for i := n - 1; i >= max(old, 1); i-- {
		p.nodes[i].behind = p.free
		p.free = uint16(i)
	}
}

// unlink takes a record out of its list.
func (p *lists[T]) unlink(r *record[T]) {
	number := r.where.node()
	n := &p.nodes[number]
	p.nodes[n.behind].before = n.before
	if n.before != 0 {
		p.nodes[n.before].behind = n.behind
	} else {
		p.setHead(r.where.position(), n.behind)
	}
	n.behind, p.free = p.free, number
	r.where = nowhere
}

// setHead sets the first node of a list.
func (p *lists[T]) setHead(at position, number uint16) {
	p.heads[at] = number
	if number == 0 {
		p.occupied[at.level()] &^= 1 << at.slot()
		if p.occupied[at.level()] == 0 {
			p.levels &^= 1 << at.level()
		}
	}
}

// next returns the first occupied slot. There must be one.
func (p *lists[T]) next() position {
	level := bits.TrailingZeros16(p.levels)
	return position(level<<digitBits | bits.TrailingZeros64(p.occupied[level]))
}

// quiet returns a tick before which nothing is due.
func (p *lists[T]) quiet() structures.Tick {
	if n := len(p.front.entries); n > 0 {
		return p.front.entries[n-1].deadline
	}
	if p.levels == 0 {
		return math.MaxInt64
	}
	return p.startOf(p.next())
}

// refill empties the first slot if it starts by the clock. It returns false if there is no such
// slot. The front is empty, and may be so after that, too.
func (p *lists[T]) refill(rs *records[T], clock structures.Tick) bool {
	if p.levels != 0 {
		at := p.next()
		if start := p.startOf(at); start <= clock {
			p.empty(rs, at, start, clock)
			return true
		}
	}
	p.base = clock
	return false
}

// empty moves the timers of the first occupied slot, which starts at start, to the front or to
// the levels below.
func (p *lists[T]) empty(rs *records[T], at position, start, clock structures.Tick) {
	p.work.SlotsVisited++
	last := at.last(start)
	p.base = start
	p.front.limit = min(last, math.MaxInt64-1) + 1
	number := p.heads[at]
	p.setHead(at, 0)
	emptied, earliest, latest := p.emptied[:0], last, start
	for number != 0 {
		n := &p.nodes[number]
		index, behind := n.index, n.behind
		n.behind, p.free = p.free, number
		number = behind
		r := rs.At(index)
		r.where = nowhere
		switch {
		case r.generation&1 == 0:
			p.work.Dropped++
		case r.deadline > last:
			p.link(index, r)
			p.work.Moved++
		default:
			emptied = append(emptied, entry{r.deadline, index, r.generation})
			earliest, latest = min(earliest, r.deadline), max(latest, r.deadline)
		}
	}
	p.work.Moved += uint64(len(emptied))
	switch {
	case earliest == latest:
		p.front.entries, p.emptied = emptied, p.front.entries
	case len(emptied) <= frontLen:
		p.emptied = emptied
		p.work.Comparisons += p.front.sort(emptied, at.level() == 1)
	default:
		p.emptied = emptied
		p.base = min(earliest, clock)
		p.front.limit = p.base
		for _, e := range emptied {
			p.link(e.index, rs.At(e.index))
		}
	}
}

// shorten drops the stale entries of the front. If more than half are left, the later ones
// of them go to lists.
func (p *lists[T]) shorten(rs *records[T]) {
	entries := p.front.entries
	f := entries[:0]
	for _, e := range entries {
		if stands(e, rs.At(e.index)) {
			f = append(f, e)
		}
	}
	p.work.Dropped += uint64(len(entries) - len(f))
	if len(f) > frontLen/2 {
		later := len(f) / 2
		p.front.limit = f[later-1].deadline
		for _, e := range f[:later] {
			if r := rs.At(e.index); r.where == nowhere { // otherwise there is another entry for it
				p.link(e.index, r)
				p.work.Moved++
			}
		}
		f = f[:copy(f, f[later:])]
	}
	p.front.entries = f
}

// relist moves the timers of the front to lists.
func (p *lists[T]) relist(rs *records[T]) {
	for _, e := range p.front.entries {
		if r := rs.At(e.index); stands(e, r) && r.where == nowhere { // otherwise there is another entry for it
			p.link(e.index, r)
		}
	}
	p.front.entries, p.front.limit = p.front.entries[:0], p.base
}

// nextDeadline returns the earliest deadline, or the start of the first slot if it has
// more timers than the front. There must be a timer.
func (p *lists[T]) nextDeadline(rs *records[T], clock structures.Tick) structures.Tick {
	for {
		if n := len(p.front.entries); n > 0 {
			e := p.front.entries[n-1]
			if stands(e, rs.At(e.index)) {
				return e.deadline
			}
			p.front.entries = p.front.entries[:n-1]
			p.work.Dropped++
			continue
		}
		if p.refill(rs, clock) {
			continue
		}
		if earliest, ok := p.earliestIn(rs, p.next()); ok {
			return earliest
		}
	}
}

// earliestIn returns the earliest deadline in a slot, or its start if it has more records than
// the front. It takes those out that do not belong there any more, and returns ok = false
// if no other is left.
func (p *lists[T]) earliestIn(rs *records[T], at position) (earliest structures.Tick, ok bool) {
	start := p.startOf(at)
	last := at.last(start)
	earliest = last
	length := 0
	for number := p.heads[at]; number != 0; {
		if length++; length > frontLen {
			return start, true
		}
		n := p.nodes[number]
		number = n.behind
		r := rs.At(n.index)
		switch {
		case r.generation&1 == 0:
			p.unlink(r)
			p.work.Dropped++
		case r.deadline > last:
			p.unlink(r)
			p.link(n.index, r)
			p.work.Moved++
		default:
			earliest, ok = min(earliest, r.deadline), true
		}
	}
	return earliest, ok
}

// head returns the first record of the first list, which must exist. The record may be free.
func (p *lists[T]) head(rs *records[T]) (index uint32, r *record[T]) {
	index = p.nodes[p.heads[p.next()]].index
	return index, rs.At(index)
}

// reserve makes room for n timers.
func (p *lists[T]) reserve(n int) {
	p.makeNodes(1 << bits.Len(uint(n)))
	p.front.entries = make([]entry, 0, n)
	p.emptied = make([]entry, 0, n)
	p.heads = make([]uint16, 0, listLevels<<digitBits)
}
