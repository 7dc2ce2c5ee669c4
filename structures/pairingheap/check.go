package pairingheap

import (
	"fmt"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/snapshot"
	"github.com/timerbench/timerbench/structures/shape"
)

// Check walks the tree. It reaches every node through one link, and the prev of the
// node must name the other end of that link. So it reaches no node twice, and the walk
// ends even where links form a circle.
func (c *core) Check(_ structures.Tick, size int, inUse func(slot uint32) bool) error {
	if c.root == none {
		if size != 0 {
			return fmt.Errorf("pairingheap: no root, want %d nodes", size)
		}
		return nil
	}
	if int(c.root) >= len(c.nodes) || !inUse(c.root) {
		return fmt.Errorf("pairingheap: the root is slot %d, which is not in use", c.root)
	}
	if r := c.nodes[c.root]; r.next != none || r.prev != none {
		return fmt.Errorf("pairingheap: the root, slot %d, has neighbours %d and %d", c.root, r.prev, r.next)
	}
	reached := 1
	for parents := []uint32{c.root}; len(parents) > 0; {
		parent := parents[len(parents)-1]
		parents = parents[:len(parents)-1]
		prev := parent
		for slot := c.nodes[parent].child; slot != none; slot = c.nodes[slot].next {
			if int(slot) >= len(c.nodes) || !inUse(slot) {
				return fmt.Errorf("pairingheap: slot %d is below slot %d and not in use", slot, parent)
			}
			n := c.nodes[slot]
			if n.prev != prev {
				return fmt.Errorf("pairingheap: slot %d comes after %d but points back to %d", slot, prev, n.prev)
			}
			if above := c.nodes[parent].deadline; n.deadline < above {
				return fmt.Errorf("pairingheap: slot %d, deadline %d, is below slot %d, deadline %d",
					slot, n.deadline, parent, above)
			}
			parents = append(parents, slot)
			prev = slot
			reached++
		}
	}
	if reached != size {
		return fmt.Errorf("pairingheap: %d nodes, want %d", reached, size)
	}
	return nil
}

// Show adds the tree. The way through it is a stack, as a tree may be n nodes deep.
func (c *core) Show(b *snapshot.Builder) {
	b.Begin(shape.Part{Name: "heap-ordered tree", Kind: shape.Tree})
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
		here := b.Timer(shape.Cell{Parent: at.parent, Child: at.child}, at.slot, n.deadline)
		stack = append(stack, place{n.next, at.parent, at.child + 1}, place{n.child, here, 0})
	}
}
