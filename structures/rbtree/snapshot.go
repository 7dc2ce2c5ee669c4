package rbtree

import (
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/snapshot"
)

// Parts returns the tree.
func (c *core) Parts(_ structures.Tick, show snapshot.Show) []structures.Part {
	p := structures.Part{Name: "red-black tree", Shape: structures.Tree, Arity: 2}
	var walk func(l link, parent, child int)
	walk = func(l link, parent, child int) {
		slot := l.slot()
		if slot == none {
			return
		}
		here := len(p.Cells)
		p.Cells = append(p.Cells, structures.Cell{
			Index: here, Parent: parent, Child: child, Red: l.colour() == red,
			Entries: []structures.Entry{show(slot, c.nodes[slot].deadline)},
		})
		walk(c.nodes[slot].child[left], here, left)
		walk(c.nodes[slot].child[right], here, right)
	}
	walk(c.nodes[none].child[left], -1, 0)
	return []structures.Part{p}
}
