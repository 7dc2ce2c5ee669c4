package rbtreegods

import (
	"github.com/emirpasic/gods/trees/redblacktree"

	"github.com/timerbench/timerbench/structures/internal/ordered"
	"github.com/timerbench/timerbench/structures/shape"
)

// Part returns the tree. It does not show the colours of its nodes.
func (c *container) Part(entry func(*ordered.Key) shape.Entry) shape.Part {
	p := shape.Part{Name: "red-black tree (its colours are private)", Kind: shape.Tree, Arity: 2}
	var walk func(n *redblacktree.Node, parent, child int)
	walk = func(n *redblacktree.Node, parent, child int) {
		if n == nil {
			return
		}
		here := len(p.Cells)
		p.Cells = append(p.Cells, shape.Cell{
			Index: here, Parent: parent, Child: child, Entries: []shape.Entry{entry(n.Key.(*ordered.Key))},
		})
		walk(n.Left, here, 0)
		walk(n.Right, here, 1)
	}
	walk(c.tree.Root, -1, 0)
	return p
}
