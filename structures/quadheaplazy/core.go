package quadheaplazy

import (
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/quad"
)

// entry is an entry of the heap: a deadline at or before that of a timer, and
// which timer.
type entry struct {
	deadline structures.Tick
	ref      ref
}

// ref is the slot of an entry's timer and the mark that the slot had when the
// entry was made. They are one word, as the compiler copies them as one: to read
// a word that two stores of half a word have just written waits until these have
// left for the cache.
type ref uint64

func newRef(slot uint32, m mark) ref { return ref(m)<<32 | ref(slot) }

func (r ref) slot() uint32 { return uint32(r) }
func (r ref) mark() mark   { return mark(r >> 32) }

// mark is what has to be known of a slot when one of its entries surfaces: the
// version of its newest entry, counted up in the higher bits, and what became of
// that. All older entries are dead. Marks are an array of their own, small enough
// to be in the cache more often than what else is known of a slot.
type mark uint32

const (
	absent mark = iota // it has left the heap: no timer in the slot
	exact              // it carries the deadline of its timer
	early              // its timer has been moved to a later deadline
	vacant             // its timer was cancelled: it is dead

	state = 3 // the bits for these
)

// next returns the mark of a new entry.
func (m mark) next() mark { return (m | state) + 1 | exact }

// with returns m in another state.
func (m mark) with(s mark) mark { return m&^state | s }

// times are the deadlines of a slot, unless its newest entry is absent: the one
// that this entry carries, and that of the timer, at or after it, which is noted
// only while they differ.
type times struct{ filed, deadline structures.Tick }

// core orders slots by deadline. It knows no values and holds no pointers. Each
// slot in use has one entry that is not dead.
type core struct {
	heap   []entry // from quad.Root on, none earlier than its parent
	marks  []mark  // per slot
	times  []times // per slot
	dead   int     // dead entries in the heap
	cursor int     // of the pass of the sweep, or at most quad.Root between two
	work   structures.Work
}

func newCore(capacity int) core {
	return core{
		heap:  quad.New[entry](quad.Root + most(capacity)),
		marks: make([]mark, 1, 1+capacity), // slot 0 is never issued
		times: make([]times, 1, 1+capacity),
	}
}

// set gives the timer in slot its deadline, be it new or moved. If the slot's
// newest entry will surface in time, that is all.
func (c *core) set(slot uint32, deadline structures.Tick) {
	if int(slot) >= len(c.marks) {
		c.marks = append(c.marks, absent)
		c.times = append(c.times, times{})
	}
	m, t := c.marks[slot], &c.times[slot]
	if m&state == absent {
		c.push(slot, deadline)
		return
	}
	c.work.Comparisons++
	if deadline < t.filed {
		c.push(slot, deadline)
		if m&state != vacant { // then it was dead before
			c.dead++
			c.tend()
		}
		return
	}
	if m&state == vacant { // it comes to life again
		c.dead--
	}
	if t.filed == deadline {
		c.marks[slot] = m.with(exact)
	} else {
		c.marks[slot] = m.with(early)
		t.deadline = deadline
	}
}

// cancel notes that there is no timer in slot any more.
func (c *core) cancel(slot uint32) {
	c.marks[slot] = c.marks[slot].with(vacant)
	c.dead++
	c.tend()
}

// push files the timer in slot under its deadline.
func (c *core) push(slot uint32, deadline structures.Tick) {
	m := c.marks[slot].next()
	c.marks[slot] = m
	c.times[slot].filed = deadline
	// Before a version comes round, each entry that had it must be gone. Between
	// two entries of a slot there is always a call that tends the heap, so that
	// half the versions are enough for a pass through any heap.
	if m<<1 == exact<<1 {
		c.begin()
	}
	if len(c.heap) == cap(c.heap) {
		c.heap = quad.Grow(c.heap)
	}
	n := len(c.heap)
	c.heap = c.heap[:n+1]
	if c.up(n, entry{deadline, newRef(slot, m)}) < c.cursor {
		c.crossed(n)
	}
}

// settle puts the entries in order that surface up to a tick, until the root is
// that of a timer with the earliest deadline. It returns false when no timer is
// due by then.
func (c *core) settle(until structures.Tick) bool {
	for len(c.heap) > quad.Root && c.heap[quad.Root].deadline <= until {
		e := c.heap[quad.Root]
		slot := e.ref.slot()
		switch c.marks[slot] {
		case e.ref.mark():
			return true
		case e.ref.mark().with(early): // file it anew
			e.deadline = c.times[slot].deadline
			c.times[slot].filed = e.deadline
			c.marks[slot] = e.ref.mark()
			c.down(quad.Root, e)
			c.work.Moved++
		default:
			c.drop(quad.Root)
		}
	}
	return false
}

// first returns the deadline of the root. There must be one.
func (c *core) first() structures.Tick { return c.heap[quad.Root].deadline }

// pop takes the root out, which settle has put in order, and its timer.
func (c *core) pop() (slot uint32, deadline structures.Tick) {
	e := c.heap[quad.Root]
	slot = e.ref.slot()
	c.marks[slot] = e.ref.mark().with(absent)
	c.take(quad.Root)
	c.tend()
	return slot, e.deadline
}

// isDead reports whether there is no timer for an entry: it was cancelled, or
// moved ahead of the entry and got another one.
func (c *core) isDead(e entry) bool {
	m := c.marks[e.ref.slot()]
	return m != e.ref.mark() && m != e.ref.mark().with(early)
}

// drop takes the dead entry at i out.
func (c *core) drop(i int) {
	e := c.heap[i]
	if m := e.ref.mark(); c.marks[e.ref.slot()] == m.with(vacant) {
		c.marks[e.ref.slot()] = m.with(absent)
	}
	c.take(i)
	c.dead--
	c.work.Dropped++
}
