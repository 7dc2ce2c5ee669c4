package btree

import (
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/prefetch"
)

// batch is how many timers are inserted together. With 16 a churn among 10^5 took 1.2 times as long.
const batch = 32

// waiting marks the link of a slot that is an arrival. The rest is its place there.
const waiting = 1 << 31

// arrivals are the slots in no leaf yet, as they came. Slot 0 is a place that was left, never the last.
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
// It goes down the tree with all of them at once: what one search waits for is loaded while the others go on.
func (c *core) settle() {
	a := &c.arrivals
	n := 0
	for i, slot := range a.slots[:a.n] {
		if slot != 0 {
			a.slots[n], a.deadlines[n] = slot, a.deadlines[i]
			n++
		}
	}
	a.n, a.earliest = 0, vacant
	if c.heads[c.last].len() == 0 {
		clear(a.leaves[:n])
	} else {
		c.descend(n)
	}
	for i := range n {
		c.place(i, n)
	}
}

// descend finds the leaves of the first n arrivals; none for one that goes to the end.
func (c *core) descend(n int) {
	a := &c.arrivals
	last := c.latest()
	searched := uint64(0)
	for i, deadline := range a.deadlines[:n] {
		a.leaves[i] = none
		if deadline < last {
			a.leaves[i] = c.root
			searched++
		}
	}
	c.comparisons += uint64(n) + searched*uint64(c.depth)*comparisons
	const together = prefetch.Capacity / lines
	for range c.depth {
		for i, x := range a.leaves[:n] {
			if x != none {
				a.leaves[i] = c.nodes[x].child(a.deadlines[i])
				c.nodes[a.leaves[i]].prefetch(&c.lines)
			}
			if i%together == together-1 {
				c.lines.Issue()
			}
		}
		c.lines.Issue()
	}
}

// latest returns the latest deadline in the leaves, which are not empty.
func (c *core) latest() structures.Tick { return c.nodes[c.last].keys[(c.heads[c.last].end-1)%fan] }

// place inserts arrival i of n behind all up to its deadline. Those after it may go to a new leaf.
func (c *core) place(i, n int) {
	a := &c.arrivals
	deadline, x := a.deadlines[i], a.leaves[i]
	at := 0
	if end := c.heads[c.last].end; c.heads[c.last].len() == 0 {
		x = c.last
	} else if c.comparisons++; deadline >= c.latest() {
		x, at = c.last, int(end)
	} else {
		if x == none {
			x = c.search(deadline)
		}
		c.comparisons += comparisons
		at = c.nodes[x].rank(deadline)
	}
	y := c.insert(x, at, deadline, a.slots[i])
	if y == none {
		return
	}
	key := c.nodes[y].keys[c.heads[y].begin%fan]
	for j := i + 1; j < n; j++ {
		if a.leaves[j] == x {
			if c.comparisons++; a.deadlines[j] >= key {
				a.leaves[j] = y
			}
		}
	}
}

// search returns the leaf for a deadline before the last one.
func (c *core) search(deadline structures.Tick) uint32 {
	x := c.root
	for range c.depth {
		x = c.nodes[x].child(deadline)
	}
	c.comparisons += uint64(c.depth) * comparisons
	return x
}
