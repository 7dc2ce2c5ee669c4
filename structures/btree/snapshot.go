package btree

import (
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/snapshot"
	"github.com/timerbench/timerbench/structures/shape"
)

// Parts returns the leaves from left to right, and the arrivals.
func (c *core) Parts(_ structures.Tick, show snapshot.Show) []shape.Part {
	leaves := shape.Part{Name: "leaves", Kind: shape.List}
	var walk func(x uint32, depth int)
	walk = func(x uint32, depth int) {
		n, h := &c.nodes[x], c.heads[x]
		if depth > 0 {
			for _, child := range n.refs[h.begin:h.end] {
				walk(child, depth-1)
			}
			return
		}
		cell := shape.Cell{Index: len(leaves.Cells)}
		for i := h.begin; i < h.end; i++ {
			cell.Entries = append(cell.Entries, show(n.refs[i], n.keys[i]))
		}
		if len(cell.Entries) > 0 {
			leaves.Cells = append(leaves.Cells, cell)
		}
	}
	walk(c.root, c.depth)
	var waiting []shape.Entry
	for i, slot := range c.arrivals.slots[:c.arrivals.n] {
		if slot != 0 {
			waiting = append(waiting, show(slot, c.arrivals.deadlines[i]))
		}
	}
	return []shape.Part{leaves, snapshot.List("arrival buffer", waiting)}
}
