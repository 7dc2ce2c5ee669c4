package rbtree

import (
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/snapshot"
	"github.com/timerbench/timerbench/structures/shape"
)

// Parts returns the tree.
func (c *core) Parts(_ structures.Tick, show snapshot.Show) []shape.Part {
	p := shape.Part{Name: "red-black tree", Kind: shape.Tree, Arity: 2}
	var walk func(l link, parent, child int)
	walk = func(l link, parent, child int) {
		slot := l.slot()
		if slot == none {
			return
		}
		here := len(p.Cells)
		p.Cells = append(p.Cells, shape.Cell{
			Index: here, Parent: parent, Child: child, Red: l.colour() == red,
			Entries: []shape.Entry{show(slot, c.nodes[slot].deadline)},
		})
		walk(c.nodes[slot].child[left], here, left)
		walk(c.nodes[slot].child[right], here, right)
	}
	walk(c.nodes[none].child[left], -1, 0)
	return []shape.Part{p}
}
