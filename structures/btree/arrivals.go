package btree

import (
	"unsafe"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/prefetch"
)

// batch is the number of timers that are inserted together: 48 among a million timers took
// as long, 16 a tenth longer.
const batch = 32

// waiting marks the link of a slot that is an arrival. The rest is its place there.
const waiting = 1 << 31

// arrivals are the slots that are in no leaf yet, in the order in which they came. Slot 0
// marks a place whose timer was removed; the last place is never one.
type arrivals struct {
	deadlines [batch]structures.Tick
	slots     [batch]uint32
	leaves    [batch]uint32 // where to insert them: none, or known while they are inserted
	n         int
	earliest  structures.Tick // the earliest deadline, or vacant
}

// wait adds a slot to the arrivals.
func (c *core) wait(slot uint32, deadline structures.Tick) {
	if c.arrivals.n == batch {
		c.settle()
	}
	a := &c.arrivals
	i := a.n % batch
	a.n++
	a.deadlines[i], a.slots[i] = deadline, slot
	c.leaves[slot] = waiting | uint32(i)
	c.comparisons++
	a.earliest = min(a.earliest, deadline)
}

// leave removes the slot at a place from the arrivals.
func (c *core) leave(at uint32) {
	a := &c.arrivals
	at %= batch
	a.slots[at] = 0
	for a.n > 0 && a.slots[a.n-1] == 0 {
		a.n--
	}
	if a.deadlines[at] != a.earliest {
		return
	}
	a.earliest = vacant
	for i, slot := range a.slots[:a.n] {
		if slot != 0 {
			c.comparisons++
			a.earliest = min(a.earliest, a.deadlines[i])
		}
	}
}

// settle inserts the arrivals into their leaves, in the order in which they came.
//
// It goes down the tree with all of them at once: what one level of a search waits for is
// loaded while the other searches go on.
func (c *core) settle() {
	a := &c.arrivals
	n := 0
	for i, slot := range a.slots[:a.n] {
		if slot != 0 {
			a.slots[n], a.deadlines[n] = slot, a.deadlines[i]
			n++
		}
	}
	a.n = 0
	a.earliest = vacant
	c.descend(n)
	for i := range n {
		if y := c.place(a.slots[i], a.deadlines[i], a.leaves[i]); y != none {
			c.divert(i+1, n, y)
		}
	}
}

// descend searches for the leaves of the first n arrivals. One that is not before any other
// timer gets none.
func (c *core) descend(n int) {
	a := &c.arrivals
	if c.heads[c.last].len() == 0 {
		clear(a.leaves[:n])
		return
	}
	c.comparisons += uint64(n)
	last := c.nodes[c.last].keys[(c.heads[c.last].end-1)%fan]
	searched := 0
	for i, deadline := range a.deadlines[:n] {
		a.leaves[i] = none
		if deadline < last {
			a.leaves[i] = c.root
			searched++
		}
	}
	c.comparisons += uint64(searched * c.depth * comparisons)
	for range c.depth {
		for i, x := range a.leaves[:n] {
			if x == none {
				continue
			}
			n := &c.nodes[x]
			x = n.refs[(n.rank(a.deadlines[i])-1)%fan]
			a.leaves[i] = x
			n = &c.nodes[x]
			c.prefetch.Add(unsafe.Pointer(&n.keys[0]))
			c.prefetch.Add(unsafe.Pointer(&n.keys[line]))
			c.prefetch.Add(unsafe.Pointer(&n.keys[2*line]))
			c.prefetch.Add(unsafe.Pointer(&n.keys[3*line]))
			c.prefetch.Add(unsafe.Pointer(&n.refs[0]))
			c.prefetch.Add(unsafe.Pointer(&n.refs[2*line]))
			if i%8 == 7 {
				c.prefetch.Issue()
			}
		}
		c.prefetch.Issue()
	}
}

// divert lets the arrivals from i to n go to leaf y, which was split off another one, if
// they belong there.
func (c *core) divert(i, n int, y uint32) {
	a := &c.arrivals
	key := c.nodes[y].keys[0]
	x := c.splitFrom
	for ; i < n; i++ {
		if a.leaves[i] == x && a.deadlines[i] >= key {
			a.leaves[i] = y
		}
	}
}

var _ = prefetch.Capacity
