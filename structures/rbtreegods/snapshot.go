package rbtreegods

import (
	"github.com/emirpasic/gods/trees/redblacktree"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/ordered"
)

// Part returns the tree. It does not show the colours of its nodes.
func (c *container) Part(entry func(*ordered.Key) structures.Entry) structures.Part {
	p := structures.Part{Name: "red-black tree (its colours are private)", Shape: structures.Tree, Arity: 2}
	var walk func(n *redblacktree.Node, parent, child int)
	walk = func(n *redblacktree.Node, parent, child int) {
		if n == nil {
			return
		}
		here := len(p.Cells)
		p.Cells = append(p.Cells, structures.Cell{
			Index: here, Parent: parent, Child: child, Entries: []structures.Entry{entry(n.Key.(*ordered.Key))},
		})
		walk(n.Left, here, 0)
		walk(n.Right, here, 1)
	}
	walk(c.tree.Root, -1, 0)
	return p
}
