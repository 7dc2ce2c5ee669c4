package hwheellist

import (
	"math"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/fifo"
)

// core orders slots of the slab by deadline. At all times, a timer stands in
// the list that the geometry names for its deadline and the cursor.
type core struct {
	geometry
	cursor   structures.Tick // no timer is due before it; at most the clock
	next     structures.Tick // start of the first list that is not empty, or unknown: at most the cursor
	lists    fifo.Lists
	heads    []fifo.List // by number: level by level, then the overflow
	occupied fifo.Occupancy
	earliest structures.Tick // earliest deadline in the overflow list, MaxInt64 if none, 0 if unknown
	served   structures.Tick // last slot of level 0 that was counted as visited
	work     structures.Work
}

func newCore(slots, levels, capacity int) core {
	g := newGeometry(slots, levels)
	return core{
		geometry: g,
		next:     math.MaxInt64,
		lists:    fifo.New(capacity),
		heads:    make([]fifo.List, g.lists()),
		occupied: fifo.NewOccupancy(g.lists()),
		earliest: math.MaxInt64,
	}
}

// link puts slots into their lists; none of them is in one, and a 0 among them is
// no slot. Their deadlines are after the clock, or the last tick.
func (c *core) link(slots []uint32) {
	for _, slot := range slots {
		if slot != 0 {
			c.place(slot, c.lists.Deadline(slot))
		}
	}
}

// place appends a slot to its list.
func (c *core) place(slot uint32, deadline structures.Tick) {
	list := c.list(deadline, c.cursor)
	head := &c.heads[list]
	if list == c.overflow() {
		c.earliest = min(c.earliest, deadline)
		c.occupied.Set(list)
		c.next = min(c.next, c.spanStart(deadline))
	} else if head.Empty() {
		c.occupied.Set(list)
		c.next = min(c.next, c.start(list, c.cursor))
	}
	c.lists.PushBack(head, slot)
}

// remove unlinks a slot.
func (c *core) remove(slot uint32) {
	deadline := c.lists.Deadline(slot)
	list := c.list(deadline, c.cursor)
	if c.lists.Remove(&c.heads[list], slot) {
		c.emptied(list)
	} else if list == c.overflow() && deadline == c.earliest {
		c.earliest, c.next = 0, c.cursor
	}
}

// emptied notes that a list has become empty.
func (c *core) emptied(list int) {
	c.occupied.Clear(list)
	c.next = c.cursor // unknown, as this list may have been the first
	if list == c.overflow() {
		c.earliest = math.MaxInt64
	}
}

// startOf returns when a list that is not empty has to be served: at its first
// tick, and the overflow list at that of the top-level span of its earliest timer.
func (c *core) startOf(list int) structures.Tick {
	if list != c.overflow() {
		return c.start(list, c.cursor)
	}
	if c.earliest == 0 {
		c.earliest = math.MaxInt64
		for _, deadline := range c.lists.All(c.heads[list]) {
			c.earliest = min(c.earliest, deadline)
		}
	}
	return c.spanStart(c.earliest)
}

// settle moves the cursor to the earliest timer if that is due, and to the
// clock otherwise, and cascades what it meets. It returns the number of the
// list of level 0 to serve, or -1 when nothing is due.
func (c *core) settle(clock structures.Tick) int {
	for c.next <= clock {
		list := c.occupied.First()
		if list < 0 {
			c.next = math.MaxInt64
			break
		}
		start := c.startOf(list)
		if start > clock {
			c.next = start
			break
		}
		c.cursor, c.next = start, start
		if uint64(list) <= c.mask {
			if start != c.served {
				c.served = start
				c.work.SlotsVisited++
			}
			return list
		}
		c.cascade(list)
	}
	c.cursor = clock
	return -1
}

// cascade places the timers of a list anew, now that the cursor stands at its
// start. They keep their order: that is what makes ties FIFO.
func (c *core) cascade(list int) {
	moving := c.heads[list]
	c.heads[list] = fifo.List{}
	c.emptied(list)
	moved := uint64(0)
	for slot := moving.Front(); slot != 0; {
		following := c.lists.Next(slot)
		c.place(slot, c.lists.Deadline(slot))
		slot = following
		moved++
	}
	c.work.SlotsVisited++
	c.work.Moved += moved
}

// pop takes out the earliest slot that is due, or returns 0 when none is.
func (c *core) pop(clock structures.Tick) uint32 {
	list := c.settle(clock)
	if list < 0 {
		return 0
	}
	head := &c.heads[list]
	slot := c.lists.PopFront(head)
	if head.Empty() {
		c.emptied(list)
	}
	return slot
}

// due returns the tick at which pop has something to do next, given that there
// is a timer.
func (c *core) due(clock structures.Tick) structures.Tick {
	c.settle(clock)
	return c.next
}
