package wheelfixed

import (
	"fmt"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/snapshot"
	"github.com/timerbench/timerbench/structures/shape"
)

// Parts returns level 0, the other levels that hold a timer, and the heap if it holds one.
// The span of a slot is the deadlines that it takes, the last of which is when it expires;
// as a timer may be put into a later slot than its own, the spans overlap.
func (c *core) Parts(clock structures.Tick, show snapshot.Show) []shape.Part {
	var parts []shape.Part
	for number := range c.levels {
		l, shift := &c.levels[number], stepBits*number
		p := shape.Part{
			Name: fmt.Sprintf("level %d", number), Kind: shape.Slots, Size: slots, Now: int(uint64(clock) >> shift % slots),
		}
		for i := l.occupied.First(); i >= 0; i = l.occupied.Next(i + 1) {
			to := c.expiry(number<<slotBits | i)
			cell := shape.Cell{Index: i, From: to - (1+probes)<<shift + 1, To: to}
			for index := range l.counts[i] {
				timer := l.timers[uint32(i)*c.perSlot+index]
				cell.Entries = append(cell.Entries, show(timer, c.deadlines[timer]))
			}
			p.Cells = append(p.Cells, cell)
		}
		if number == 0 || len(p.Cells) > 0 {
			parts = append(parts, p)
		}
	}
	return append(parts, c.heap.PartsIfAny(clock, show)...)
}
