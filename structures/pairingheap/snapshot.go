package pairingheap

import (
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/snapshot"
	"github.com/timerbench/timerbench/structures/shape"
)

// Parts returns the tree. The way through it is a stack, as a tree may be n nodes deep.
func (c *core) Parts(_ structures.Tick, show snapshot.Show) []shape.Part {
	p := shape.Part{Name: "heap-ordered tree", Kind: shape.Tree}
	type place struct {
		slot          uint32
		parent, child int
	}
	stack := []place{{slot: c.root, parent: -1}}
	for len(stack) > 0 {
		at := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if at.slot == none {
			continue
		}
		n := c.nodes[at.slot]
		here := len(p.Cells)
		p.Cells = append(p.Cells, shape.Cell{
			Index: here, Parent: at.parent, Child: at.child, Entries: []shape.Entry{show(at.slot, n.deadline)},
		})
		stack = append(stack, place{n.next, at.parent, at.child + 1}, place{n.child, here, 0})
	}
	return []shape.Part{p}
}
