package hwheellist

import (
	"fmt"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/fifo"
	"github.com/timerbench/timerbench/structures/internal/snapshot"
	"github.com/timerbench/timerbench/structures/shape"
)

// Parts returns level 0, the other levels that hold a timer, and the overflow list.
func (c *core) Parts(nodes *fifo.Lists, clock structures.Tick, show snapshot.Show) []shape.Part {
	var parts []shape.Part
	size := int(c.mask) + 1
	for level := range int(c.levels) {
		shift := uint64(level) * c.width
		p := shape.Part{
			Name: fmt.Sprintf("level %d", level), Kind: shape.Slots, Size: size,
			Width: 1 << shift, Now: int(uint64(clock) >> shift & c.mask),
		}
		first := level * size
		for list := c.occupied.Next(first); list >= 0 && list < first+size; list = c.occupied.Next(list + 1) {
			from := c.start(list, c.cursor)
			p.Cells = append(p.Cells, shape.Cell{
				Index: list - first, From: from, To: from + (p.Width - 1), Entries: nodes.Entries(c.heads[list], show),
			})
		}
		if level == 0 || len(p.Cells) > 0 {
			parts = append(parts, p)
		}
	}
	if l := c.heads[c.overflow()]; !l.Empty() {
		parts = append(parts, snapshot.List("overflow", nodes.Entries(l, show)))
	}
	return parts
}
