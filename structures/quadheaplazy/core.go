package quadheaplazy

import (
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/quad"
)

// entry is an entry of the heap: a deadline at or before that of a timer, and
// the slot of the timer. It is dead when its slot has another version, that is,
// a newer entry, or when there is no timer in the slot.
type entry struct {
	deadline      structures.Tick
	slot, version uint32
}

// timer is what is known of a slot beside its value. The zero timer is a slot
// without timer or entry.
type timer struct {
	deadline structures.Tick // of the timer, or 0 when there is none: each deadline is after tick 0
	filed    structures.Tick // of the slot's newest entry, at or before deadline; or 0 when that has left the heap
	version  uint32          // of the newest entry
}

// isDead reports whether e, which is an entry of this slot, is dead.
func (t *timer) isDead(e entry) bool { return t.version != e.version || t.deadline == 0 }

// core orders slots by deadline. It knows no values and holds no pointers. Each
// slot in use has one entry that is alive, and there may be dead ones.
type core struct {
	heap   []entry // from quad.Root on, none earlier than its parent
	timers []timer // per slot
	dead   int     // dead entries in the heap
	cursor int     // of the pass of the sweep, or at most quad.Root between two
	work   structures.Work
}

func newCore(capacity int) core {
	return core{
		heap:   quad.New[entry](quad.Root + most(capacity)),
		timers: make([]timer, 1, 1+capacity), // slot 0 is never issued
	}
}

// set gives the timer in slot its deadline, be it new or moved. If the slot's
// entry will surface in time, that is all.
func (c *core) set(slot uint32, deadline structures.Tick) {
	if int(slot) >= len(c.timers) {
		c.timers = append(c.timers, timer{})
	}
	t := &c.timers[slot]
	isNew := t.deadline == 0
	t.deadline = deadline
	if t.filed == 0 {
		c.push(slot, t)
		return
	}
	c.work.Comparisons++
	switch inTime := t.filed <= deadline; {
	case inTime && isNew: // it takes a dead entry over
		c.dead--
	case inTime:
	case isNew: // the entry was dead and stays so
		c.push(slot, t)
	default:
		c.push(slot, t)
		c.dead++
		c.tend()
	}
}

// cancel notes that there is no timer in slot any more.
func (c *core) cancel(slot uint32) {
	c.timers[slot].deadline = 0
	c.dead++
	c.tend()
}

// push files the timer in slot under its deadline.
func (c *core) push(slot uint32, t *timer) {
	t.filed = t.deadline
	t.version++
	// Before a version comes round, all entries of the one before must be gone.
	// Between two entries of a slot there is always a call that tends the heap,
	// so that 2^31 of them are enough for a pass through any heap.
	if t.version<<1 == 0 {
		c.begin()
	}
	if len(c.heap) == cap(c.heap) {
		c.heap = quad.Grow(c.heap)
	}
	n := len(c.heap)
	c.heap = c.heap[:n+1]
	if c.up(n, entry{t.deadline, slot, t.version}) < c.cursor {
		c.crossed(n)
	}
}

// settle puts the entries in order that surface up to a tick, until the root is
// that of a timer with the earliest deadline. It returns false when no timer is
// due by then.
func (c *core) settle(until structures.Tick) bool {
	for len(c.heap) > quad.Root && c.heap[quad.Root].deadline <= until {
		e := c.heap[quad.Root]
		t := &c.timers[e.slot]
		switch {
		case t.isDead(e):
			c.drop(quad.Root)
		case t.deadline != e.deadline:
			// Its timer is due later. File it anew.
			t.filed = t.deadline
			e.deadline = t.deadline
			c.down(quad.Root, e)
			c.work.Moved++
		default:
			return true
		}
	}
	return false
}

// first returns the deadline of the root. There must be one.
func (c *core) first() structures.Tick { return c.heap[quad.Root].deadline }

// pop takes the root out, which settle has put in order, and its timer.
func (c *core) pop() entry {
	first := c.heap[quad.Root]
	t := &c.timers[first.slot]
	t.deadline, t.filed = 0, 0
	c.take(quad.Root)
	c.tend()
	return first
}

// drop takes the dead entry at i out.
func (c *core) drop(i int) {
	e := c.heap[i]
	if t := &c.timers[e.slot]; t.version == e.version {
		t.filed = 0
	}
	c.take(i)
	c.dead--
	c.work.Dropped++
}
