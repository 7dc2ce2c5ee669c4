package auto

import (
	"math"
	"math/bits"
	"slices"

	"github.com/timerbench/timerbench/structures"
)

// lists holds the timers while they are few: the next ones in the front, which is sorted, and
// the others in the slots of a hierarchical wheel, as linked lists without order.
//
// Level l has 64 slots of 64^l ticks each. Seen as numbers with digits of 6 bits, a
// deadline and the base first differ in one digit. The place of this digit is the level
// of the timer, and the digit of the deadline is its slot. So all timers of a level are due
// before those of the levels above, and a level starts no second revolution.
//
// A slot is opened when it starts. If it holds few timers, they are sorted and go to the
// front, whatever the level. Otherwise they go to the levels below.
//
// To cancel a timer or to move it to later, only its record is written. The timer is in
// its list until the slot is opened. A record that is used again before that for a timer
// that is due no earlier than the slot starts needs no other place.
//
// Invariants:
//
//   - No timer is due before the base, which is not after the clock.
//   - A timer that is due before the limit of the front is in the front. A timer in a list is due at
//     the limit or later, and not before its slot starts.
//   - A record that is in a list says so, also if it is free.
type lists[T any] struct {
	front    front
	base     structures.Tick
	levels   uint16             // one bit per level that has an occupied slot
	occupied [listLevels]uint64 // one bit per slot with a list
	heads    []uint16           // the first node by position; 0: none
	nodes    []node             // by number; node 0 is never used
	free     uint16             // the first node of those that are not in use
	opened   []entry            // room for the timers of a slot
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
	maxNodes   = 1 << nodeBits // more than fewLimit: also free records are in lists
)

// In the record of a timer in a list, where holds the node and the position of the slot
// above the place, which is nowhere.
const (
	positionShift = placeBits
	positionBits  = 10
	nodeShift     = positionShift + positionBits
	nodeBits      = 14
)

// inList reports whether a record is in a list. It may be free.
func (w where) inList() bool { return w.place() == nowhere && w != nowhere }

// position returns the slot of a record in a list: level and slot as one number.
func (w where) position() uint32 { return uint32(w>>positionShift) & (1<<positionBits - 1) }

func (w where) node() uint16 { return uint16(w >> nodeShift) }

// startOf returns the first tick of an occupied slot.
func (p *lists[T]) startOf(position uint32) structures.Tick {
	shift := position >> digitBits * digitBits & 63
	return (p.base>>shift&^digitMask | structures.Tick(position&digitMask)) << shift
}

// settled reports whether a timer with a deadline needs no more than its record.
func (p *lists[T]) settled(at where, deadline structures.Tick) bool {
	if !at.inList() || deadline < p.front.limit {
		return false
	}
	position := at.position()
	shift := position >> digitBits * digitBits & 63
	return deadline>>shift >= p.base>>shift&^digitMask|structures.Tick(position&digitMask)
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
	level := uint32(bits.Len64(uint64(r.deadline^p.base)|1)-1) / digitBits
	slot := uint32(uint64(r.deadline)>>(level*digitBits&63)) & digitMask
	position := level<<digitBits | slot
	if position >= uint32(len(p.heads)) {
		p.heads = append(p.heads, make([]uint16, position|digitMask+1-uint32(len(p.heads)))...)
	}
	if p.free == 0 {
		p.makeNodes(2 * len(p.nodes))
	}
	n, head := p.free, &p.heads[position]
	at := &p.nodes[n]
	p.free = at.behind
	at.index, at.before, at.behind = index, 0, *head
	p.nodes[*head].before = n // node 0 is written in vain
	*head = n
	p.occupied[level] |= 1 << slot
	p.levels |= 1 << level
	r.where = where(n)<<nodeShift | where(position)<<positionShift | nowhere
}

// makeNodes makes room for n nodes.
func (p *lists[T]) makeNodes(n int) {
	old := len(p.nodes)
	n = min(max(n, firstNodes), maxNodes)
	if n == old {
		panic("auto: too many nodes")
	}
	p.nodes = append(slices.Grow(p.nodes, n-old), make([]node, n-old)...)
	for i := n - 1; i >= max(old, 1); i-- {
		p.nodes[i].behind = p.free
		p.free = uint16(i)
	}
}

// unlink takes a record out of its list.
func (p *lists[T]) unlink(r *record[T]) {
	n := r.where.node()
	at := &p.nodes[n]
	p.nodes[at.behind].before = at.before
	if at.before != 0 {
		p.nodes[at.before].behind = at.behind
	} else {
		p.setHead(r.where.position(), at.behind)
	}
	at.behind, p.free = p.free, n
	r.where = nowhere
}

// setHead sets the first node of a list.
func (p *lists[T]) setHead(position uint32, n uint16) {
	p.heads[position] = n
	if n == 0 {
		level := position >> digitBits
		p.occupied[level] &^= 1 << (position & digitMask)
		if p.occupied[level] == 0 {
			p.levels &^= 1 << level
		}
	}
}

// next returns the position of the first occupied slot. There must be one.
func (p *lists[T]) next() uint32 {
	level := uint32(bits.TrailingZeros16(p.levels))
	return level<<digitBits | uint32(bits.TrailingZeros64(p.occupied[level]))
}

// quiet returns a tick before which nothing is due.
func (p *lists[T]) quiet() structures.Tick {
	if at, ok := p.front.last(); ok {
		return at
	}
	if p.levels == 0 {
		return math.MaxInt64
	}
	return p.startOf(p.next())
}

// open opens the first slot if it starts by a tick, which must not be after the clock. It
// returns false if there is no such slot. The front is empty.
func (p *lists[T]) open(rs *records[T], until structures.Tick) bool {
	if p.levels != 0 {
		position := p.next()
		if start := p.startOf(position); start <= until {
			p.empty(rs, position, start, until)
			return true
		}
	}
	p.base = until
	return false
}

// empty moves the timers of a slot that starts at start, the first one that is occupied, to the
// front or to the levels below. The front is empty. until is not after the clock, and not before
// start.
func (p *lists[T]) empty(rs *records[T], position uint32, start, until structures.Tick) {
	level := position >> digitBits
	last := start | (1<<(level*digitBits&63) - 1)
	p.base = start
	p.front.limit = min(last, math.MaxInt64-1) + 1
	n := p.heads[position]
	p.setHead(position, 0)
	opened, earliest, latest := p.opened[:0], last, start
	for n != 0 {
		at := &p.nodes[n]
		index, behind := at.index, at.behind
		r := rs.At(index)
		r.where = nowhere
		at.behind, p.free = p.free, n
		n = behind
		switch {
		case r.generation&1 == 0:
			p.work.Dropped++
		case r.deadline > last:
			p.link(index, r)
			p.work.Moved++
		default:
			opened = append(opened, entry{r.deadline, index, r.generation})
			earliest, latest = min(earliest, r.deadline), max(latest, r.deadline)
		}
	}
	p.work.Moved += uint64(len(opened))
	switch {
	case earliest == latest:
		p.front.entries, p.opened = opened, p.front.entries
	case len(opened) <= frontLen:
		p.opened = opened
		p.work.Comparisons += p.front.sort(opened)
	default:
		p.opened = opened
		p.base = min(earliest, until)
		p.front.limit = p.base
		for _, e := range opened {
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

// nextDeadline returns the earliest deadline, or the start of the first slot if it has
// more timers than are sorted together. There must be a timer.
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
		if p.open(rs, clock) {
			continue
		}
		position := p.next()
		if earliest, ok := p.tidy(rs, position, p.startOf(position)); ok {
			return earliest
		}
	}
}

// tidy returns the earliest deadline in a slot that starts at start, or start if there are
// more than frontLen records. It takes those out that do not belong there any more, and
// returns ok = false if no other is left.
func (p *lists[T]) tidy(rs *records[T], position uint32, start structures.Tick) (earliest structures.Tick, ok bool) {
	last := start | (1<<(position>>digitBits*digitBits&63) - 1)
	earliest = math.MaxInt64
	length := 0
	for n := p.heads[position]; n != 0; {
		if length++; length > frontLen {
			return start, true
		}
		at := p.nodes[n]
		n = at.behind
		r := rs.At(at.index)
		switch {
		case r.generation&1 == 0:
			p.unlink(r)
			p.work.Dropped++
		case r.deadline > last:
			p.unlink(r)
			p.link(at.index, r)
			p.work.Moved++
		default:
			earliest, ok = min(earliest, r.deadline), true
		}
	}
	return earliest, ok
}

// take removes one record from the first list, which must exist. It returns ok = false if the record
// is free.
func (p *lists[T]) take(rs *records[T]) (index uint32, r *record[T], ok bool) {
	index = p.nodes[p.heads[p.next()]].index
	r = rs.At(index)
	p.unlink(r)
	return index, r, r.generation&1 == 1
}

// reserve makes room for n timers.
func (p *lists[T]) reserve(n int) {
	p.makeNodes(1 << bits.Len(uint(n)))
	p.front.entries = make([]entry, 0, frontLen)
	p.opened = make([]entry, 0, n)
	p.heads = make([]uint16, 0, listLevels<<digitBits)
}
