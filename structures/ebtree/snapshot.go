package ebtree

import (
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/snapshot"
	"github.com/timerbench/timerbench/structures/shape"
)

// Parts returns the leaves from left to right, each with the timers of its deadline.
func (c *core) Parts(_ structures.Tick, show snapshot.Show) []shape.Part {
	leaves := shape.Part{Name: "leaves", Kind: shape.List}
	var walk func(l link)
	walk = func(l link) {
		first := l.slot()
		if !l.isLeaf() {
			walk(c.nodes[first].child[left])
			walk(c.nodes[first].child[right])
			return
		}
		cell := shape.Cell{Index: len(leaves.Cells)}
		for slot := first; ; {
			cell.Entries = append(cell.Entries, show(slot, c.timers[slot].deadline))
			if slot = c.timers[slot].next; slot == first {
				break
			}
		}
		leaves.Cells = append(leaves.Cells, cell)
	}
	if root := c.nodes[none].child[left]; root != 0 {
		walk(root)
	}
	return []shape.Part{leaves}
}
