package skiplist

import (
	"fmt"
	"math"

	"github.com/timerbench/timerbench/structures"
)

// maxHeight is the number of levels: with half of each level in the next, the highest
// one still holds one timer of 2^32.
const maxHeight = 32

// head is the tower of slot 0, which is before the first and behind the last timer of
// every level: each level is a ring through it.
const head = 0

// link is one timer's place in the list of one level.
type link struct {
	deadline   structures.Tick // of the next timer; 0 where next is the head
	next, prev uint32          // the towers of the neighbours
}

// core is the queue of slots.
//
// The links of a slot, from level 0 up, are side by side: its tower. A tower is
// named by the index of its first link, so that links[tower+level] is the link on a
// level. Towers are in the order of their slots. A tower is built when its slot is used
// for the first time, and never changed.
//
// On each level deadlines never descend, and equal ones are in the order in
// which they came. Each level holds exactly those timers of the level below
// whose towers are high enough, in the same order.
type core struct {
	links       []link
	owner       []uint32        // per link: the slot whose tower it belongs to
	towers      []uint32        // per slot: its tower; then where the next one will begin
	levels      int             // the levels below this hold timers, those from it on none
	last        structures.Tick // the latest deadline, if there is any timer
	random      random
	comparisons uint64
}

func newCore(capacity int, seed uint64) core {
	// A slot takes 2 links on average; the rest is six standard deviations or more.
	links := maxHeight + 2*capacity + capacity/16 + 300
	return core{
		links:  make([]link, maxHeight, links),
		owner:  make([]uint32, maxHeight, links),
		towers: append(make([]uint32, 0, capacity+2), head, maxHeight),
		random: random(seed),
	}
}

// Pop removes the first timer of level 0 if it is due.
func (c *core) Pop(clock structures.Tick) (slot uint32, at structures.Tick) {
	front := c.links[head]
	if front.next == head {
		return 0, math.MaxInt64
	}
	if front.deadline > clock {
		return 0, front.deadline
	}
	slot = c.owner[front.next]
	c.Remove(slot)
	return slot, front.deadline
}

// Next returns the deadline of the first timer of level 0.
func (c *core) Next(structures.Tick) structures.Tick { return c.links[head].deadline }

// Move removes a slot and adds it again, behind all timers of its deadline.
func (c *core) Move(slot uint32, deadline structures.Tick) {
	c.Remove(slot)
	c.Add(slot, deadline)
}

// Work returns the comparisons. A skip list does no other work that is counted.
func (c *core) Work() structures.Work { return structures.Work{Comparisons: c.comparisons} }

// build builds the tower of the next slot.
func (c *core) build(height int) {
	slot := uint32(len(c.towers) - 1)
	if uint64(len(c.links)+height) > math.MaxUint32 {
		panic(fmt.Sprintf("skiplist: no room for %d timers", slot))
	}
	for range height {
		c.links = append(c.links, link{})
		c.owner = append(c.owner, slot)
	}
	c.towers = append(c.towers, uint32(len(c.links)))
}

// Add inserts slot behind all deadlines up to its own.
func (c *core) Add(slot uint32, deadline structures.Tick) {
	for int(slot) >= len(c.towers)-1 {
		c.build(c.random.height())
	}
	tower := c.towers[slot]
	height := int(c.towers[slot+1] - tower)
	c.levels = max(c.levels, height)
	if c.links[head].next != head {
		c.comparisons++
		if deadline < c.last {
			c.descend(tower, height, deadline)
			return
		}
	}
	c.last = deadline
	for level := range uint32(height) {
		c.splice(c.links[head+level].prev, tower, level, deadline)
	}
}

// descend searches for the place of deadline, level by level from the highest, and
// inserts tower on the levels below height.
func (c *core) descend(tower uint32, height int, deadline structures.Tick) {
	links := c.links
	compared := uint64(0)
	at := uint32(head)
	for level := c.levels - 1; level >= 0; level-- {
		for {
			l := &links[int(at)+level]
			if l.next == head {
				break
			}
			compared++
			if deadline < l.deadline {
				break
			}
			at = l.next
		}
		if level < height {
			c.splice(at, tower, uint32(level), deadline)
		}
	}
	c.comparisons += compared
}

// splice inserts tower behind the tower prev on one level.
func (c *core) splice(prev, tower, level uint32, deadline structures.Tick) {
	before := &c.links[prev+level]
	next := before.next
	c.links[tower+level] = link{deadline: before.deadline, next: next, prev: prev}
	before.deadline, before.next = deadline, tower
	c.links[next+level].prev = tower
}

// Remove unlinks a slot on all its levels.
func (c *core) Remove(slot uint32) {
	tower, end := c.towers[slot], c.towers[slot+1]
	for level := range end - tower {
		l := &c.links[tower+level]
		before := &c.links[l.prev+level]
		before.deadline, before.next = l.deadline, l.next
		c.links[l.next+level].prev = l.prev
	}
	if c.links[tower].next == head {
		last := c.links[head].prev
		c.last = c.links[c.links[last].prev].deadline
	}
	for c.levels > 0 && c.links[head+c.levels-1].next == head {
		c.levels--
	}
}
