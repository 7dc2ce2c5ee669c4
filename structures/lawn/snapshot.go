package lawn

import (
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/fifo"
	"github.com/timerbench/timerbench/structures/internal/snapshot"
	"github.com/timerbench/timerbench/structures/shape"
)

// Parts returns the heap, with the whole list in the place of its first timer.
func (c *core) Parts(nodes *fifo.Lists, clock structures.Tick, show snapshot.Show) []shape.Part {
	parts := c.heap.Parts(clock, show)
	cell := 0
	for timer := range c.heap.All() {
		if i := int(c.in[timer]) - 1; i >= 0 {
			parts[0].Cells[cell].Entries = nodes.Entries(c.lists[i], show)
		}
		cell++
	}
	return parts
}
