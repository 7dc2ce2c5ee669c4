package calendar

import "github.com/timerbench/timerbench/structures"

// core finds the earliest slot in a calendar, and sees to it that the calendar
// suits what it holds.
type core struct {
	days
	size    int    // timers in the calendar
	today   uint64 // no timer is due on a day before it
	first   uint32 // the earliest timer, which is due today, or none if it is not known
	account account
	work    structures.Work
}

func newCore(capacity int) core {
	c := core{days: days{nodes: make([]node, 1, 1+capacity)}}
	c.buckets = make([]list, 0, 1<<widthFor(capacity))
	c.setWidth(minWidth)
	return c
}

func (c *core) deadline(slot uint32) structures.Tick { return c.nodes[slot].deadline }

// add takes a slot in.
func (c *core) add(slot uint32, deadline structures.Tick) {
	for int(slot) >= len(c.nodes) {
		c.nodes = append(c.nodes, node{})
	}
	if c.size >= 2*len(c.buckets) {
		c.resize(c.width + 1)
	}
	c.nodes[slot].deadline = deadline
	c.size++
	c.expect(slot, deadline)
	c.spendSteps(c.insert(slot))
}

// expect keeps first and today right for a timer that comes in.
func (c *core) expect(slot uint32, deadline structures.Tick) {
	day := c.day(deadline)
	if c.first != none {
		c.comparisons++
		if deadline < c.nodes[c.first].deadline {
			c.first, c.today = slot, day
		}
	} else if c.size == 1 {
		c.first, c.today = slot, day
	} else {
		c.today = min(c.today, day)
	}
}

// remove takes a slot out. Whoever follows the first timer in its bucket is the
// first one now, if it is due on the same day.
func (c *core) remove(slot uint32) {
	c.unlink(slot)
	c.size--
	if slot == c.first {
		c.first = c.nodes[slot].next
		if c.first != none && c.day(c.nodes[c.first].deadline) != c.today {
			c.first = none
		}
		c.earnVisits()
	}
	if c.width > minWidth && c.size < len(c.buckets)/2 {
		c.resize(c.width - 1)
	}
}

// move gives a slot another deadline.
func (c *core) move(slot uint32, deadline structures.Tick) {
	c.remove(slot)
	c.add(slot, deadline)
}

// find returns the earliest timer, or none if that is due after a tick for
// certain. It goes from day to day for a year, and if nothing is due until then
// it looks into all buckets.
func (c *core) find(until structures.Tick) uint32 {
	last := c.day(until)
	if c.first != none || c.size == 0 || c.today > last {
		return c.first
	}
	end := min(last, c.today+uint64(len(c.buckets))-1)
	day, empty := c.today, 0
	for ; day <= end; day++ {
		head := c.bucket(day).head
		if head == none {
			empty++
		} else if c.day(c.nodes[head].deadline) == day {
			c.first = head
			break
		}
	}
	visited := int(min(day, end)-c.today) + 1
	c.today = day
	if c.first == none && end < last {
		empty += c.findFar()
		visited += len(c.buckets)
	}
	c.work.SlotsVisited += uint64(visited)
	c.work.EmptySlots += uint64(empty)
	c.spendVisits(visited)
	return c.first
}

// findFar finds the earliest timer, however far away it is: the earliest of
// those that are the first in their buckets. It returns how many of them are
// empty.
func (c *core) findFar() (empty int) {
	for i := range c.buckets {
		head := c.buckets[i].head
		if head == none {
			empty++
			continue
		}
		if c.first == none {
			c.first = head
			continue
		}
		c.comparisons++
		if c.nodes[head].deadline < c.nodes[c.first].deadline {
			c.first = head
		}
	}
	c.today = c.day(c.nodes[c.first].deadline)
	return empty
}
