package list

import (
	"fmt"
	"slices"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/snapshot"
	"github.com/timerbench/timerbench/structures/shape"
)

// unknown is the place of the earliest entry while a scan is needed to find it.
const unknown = -1

// core holds slots and their deadlines. The entry at place i is of slots[i] and due at
// deadlines[i]; place[slot] is its place. The entries are in no order.
type core struct {
	deadlines   []structures.Tick
	slots       []uint32
	place       []uint32
	earliest    int // the place of the earliest entry, or unknown
	comparisons uint64
}

func newCore(capacity int) core {
	return core{
		deadlines: make([]structures.Tick, 0, capacity),
		slots:     make([]uint32, 0, capacity),
		place:     make([]uint32, 1, 1+capacity), // slot 0 is never issued
		earliest:  unknown,
	}
}

func (c *core) len() int { return len(c.deadlines) }

// add adds an entry for slot at the end.
func (c *core) add(slot uint32, deadline structures.Tick) {
	for int(slot) >= len(c.place) {
		c.place = append(c.place, 0)
	}
	i := len(c.deadlines)
	c.place[slot] = uint32(i)
	c.slots = append(c.slots, slot)
	c.deadlines = append(c.deadlines, deadline)
	if i == 0 {
		c.earliest = i
	} else {
		c.compareWithEarliest(i, deadline)
	}
}

// compareWithEarliest makes entry i the earliest one if it is. It does nothing while
// the earliest one is unknown.
func (c *core) compareWithEarliest(i int, deadline structures.Tick) {
	if c.earliest == unknown {
		return
	}
	c.comparisons++
	if deadline < c.deadlines[c.earliest] {
		c.earliest = i
	}
}

// remove removes the entry of slot. The last entry takes its place.
func (c *core) remove(slot uint32) {
	i, last := int(c.place[slot]), len(c.deadlines)-1
	switch c.earliest {
	case i:
		c.earliest = unknown
	case last:
		c.earliest = i
	}
	c.deadlines[i] = c.deadlines[last]
	c.slots[i] = c.slots[last]
	c.place[c.slots[i]] = uint32(i)
	c.deadlines, c.slots = c.deadlines[:last], c.slots[:last]
}

// move gives the entry of slot another deadline.
func (c *core) move(slot uint32, deadline structures.Tick) {
	i := int(c.place[slot])
	old := c.deadlines[i]
	c.deadlines[i] = deadline
	if i != c.earliest {
		c.compareWithEarliest(i, deadline)
		return
	}
	c.comparisons++
	if deadline > old {
		c.earliest = unknown
	}
}

// first returns the earliest entry. There must be one.
func (c *core) first() (slot uint32, deadline structures.Tick) {
	if c.earliest == unknown {
		c.earliest = scan(c.deadlines)
		c.comparisons += uint64(len(c.deadlines) - 1)
	}
	return c.slots[c.earliest], c.deadlines[c.earliest]
}

// walk adds the list, in the order of the array. As place names the place of each entry, no
// slot has two.
func (c *core) walk(b *snapshot.Builder) error {
	b.Begin(shape.Part{Name: "list, unsorted", Kind: shape.List})
	if n := len(c.deadlines); len(c.slots) != n || c.earliest != unknown && (c.earliest < 0 ||
		c.earliest >= n) {
		return fmt.Errorf("list: %d deadlines of %d slots, the earliest is number %d",
			n, len(c.slots), c.earliest)
	}
	for i, slot := range c.slots {
		if int(slot) >= len(c.place) || int(c.place[slot]) != i {
			return fmt.Errorf("list: slot %d has entry %d, its place says another one", slot, i)
		}
		b.Timer(shape.Cell{}, slot, c.deadlines[i])
	}
	if c.earliest != unknown && c.deadlines[c.earliest] != slices.Min(c.deadlines) {
		return fmt.Errorf("list: the earliest deadline is %d, that of the earliest entry %d",
			slices.Min(c.deadlines), c.deadlines[c.earliest])
	}
	return nil
}
