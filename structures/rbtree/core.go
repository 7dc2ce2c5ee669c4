package rbtree

import "github.com/timerbench/timerbench/structures"

// The two sides of a node. The other side of d is 1-d.
const left, right = 0, 1

// node 0 stands for every absent node: it is black, and the parent of the root,
// which is its left child. So no rotation or removal has a special case at the
// root or at a leaf. Its parent is scratch space.
const none = 0

type node struct {
	deadline structures.Tick
	child    [2]uint32
	parent   uint32
	red      bool
}

// core is the tree of slots. A slot is a node for as long as its timer is
// pending: nodes are relinked, never copied from slot to slot.
//
// Read from left to right, deadlines never descend, and equal ones stand in the
// order in which they came. No red node has a red child, and all ways down from
// a node to an absent one pass the same number of black nodes; so the longest
// way is at most twice the shortest.
type core struct {
	nodes       []node
	ends        [2]uint32 // the leftmost and the rightmost node
	comparisons uint64
}

func newCore(capacity int) core {
	return core{nodes: make([]node, 1, capacity+1)}
}

// first returns the slot with the earliest deadline, none if there is none.
func (c *core) first() uint32 { return c.ends[left] }

func (c *core) deadline(slot uint32) structures.Tick { return c.nodes[slot].deadline }

// insert adds slot, which is not in the tree.
func (c *core) insert(slot uint32, deadline structures.Tick) {
	if int(slot) >= len(c.nodes) {
		c.nodes = append(c.nodes, make([]node, int(slot)+1-len(c.nodes))...)
	}
	parent, side := c.place(deadline)
	c.nodes[slot] = node{deadline: deadline, parent: parent, red: true}
	c.nodes[parent].child[side] = slot
	switch parent {
	case none:
		c.ends = [2]uint32{slot, slot}
	case c.ends[side]:
		c.ends[side] = slot
	}
	c.balanceRed(slot)
}

// place finds the vacant place behind all deadlines up to deadline.
func (c *core) place(deadline structures.Tick) (parent uint32, side int) {
	nodes := c.nodes
	last := c.ends[right]
	if last == none {
		return none, left
	}
	if deadline >= nodes[last].deadline {
		c.comparisons++
		return last, right
	}
	compared := uint64(1)
	for at := nodes[none].child[left]; at != none; compared++ {
		n := &nodes[at]
		parent, side = at, left
		if deadline >= n.deadline {
			side = right
		}
		at = n.child[side]
	}
	c.comparisons += compared
	return parent, side
}

// remove takes slot out of the tree.
func (c *core) remove(slot uint32) {
	nodes := c.nodes
	n := nodes[slot]
	for side, end := range c.ends {
		if end == slot {
			c.ends[side] = n.inward(side)
		}
	}
	// The place that falls vacant is the slot's own or, if it has two children,
	// that of the next slot in order, which takes over the slot's. Either has at
	// most one child, which moves up.
	var up, parent uint32
	var side int
	red := n.red
	if n.child[left] == none || n.child[right] == none {
		up, parent = n.child[left]|n.child[right], n.parent
		side = c.side(slot)
	} else {
		heir := n.child[right]
		for nodes[heir].child[left] != none {
			heir = nodes[heir].child[left]
		}
		h := &nodes[heir]
		up, parent, red = h.child[right], h.parent, h.red
		if parent == slot {
			parent, side = heir, right
		} else {
			c.link(heir, right, n.child[right])
		}
		c.link(heir, left, n.child[left])
		c.link(n.parent, c.side(slot), heir)
		h.red = n.red
	}
	c.link(parent, side, up)
	switch {
	case red:
	case up != none:
		nodes[up].red = false // an only child is red, and makes up for the black
	default:
		c.balanceBlack(parent, side)
	}
}

// inward returns the neighbour, in order, of the node at the end on side. The
// end has no child on that side, so that its other child, if any, is a single
// red node.
func (n *node) inward(side int) uint32 {
	if child := n.child[1-side]; child != none {
		return child
	}
	return n.parent
}

// side returns which child of its parent slot is.
func (c *core) side(slot uint32) int {
	if c.nodes[c.nodes[slot].parent].child[right] == slot {
		return right
	}
	return left
}

// link makes child, which may be none, the child of parent on side.
func (c *core) link(parent uint32, side int, child uint32) {
	c.nodes[parent].child[side] = child
	c.nodes[child].parent = parent
}

// rotate moves the node top down to side; its child on the other side takes its
// place and is returned.
func (c *core) rotate(top uint32, side int) uint32 {
	up := c.nodes[top].child[1-side]
	parent, at := c.nodes[top].parent, c.side(top)
	c.link(top, 1-side, c.nodes[up].child[side])
	c.link(up, side, top)
	c.link(parent, at, up)
	return up
}

// balanceRed repairs the one thing that may be wrong after an insertion: slot is
// red, and so may be its parent.
func (c *core) balanceRed(slot uint32) {
	nodes := c.nodes
	for {
		parent := nodes[slot].parent
		if !nodes[parent].red {
			break
		}
		top := nodes[parent].parent // exists and is black, as parent is red
		side := c.side(parent)
		if uncle := nodes[top].child[1-side]; nodes[uncle].red {
			// Push the black of top down to both its children.
			nodes[parent].red, nodes[uncle].red, nodes[top].red = false, false, true
			slot = top
			continue
		}
		if nodes[parent].child[side] != slot {
			parent = c.rotate(parent, side)
		}
		nodes[parent].red, nodes[top].red = false, true
		c.rotate(top, 1-side)
		break
	}
	nodes[nodes[none].child[left]].red = false // the root
}

// balanceBlack repairs the one thing that may be wrong after a removal: ways down
// through the child of parent on side, which is black or none, are one black
// short.
func (c *core) balanceBlack(parent uint32, side int) {
	nodes := c.nodes
	for parent != none {
		sibling := nodes[parent].child[1-side] // exists: its side is not short
		if nodes[sibling].red {
			nodes[sibling].red, nodes[parent].red = false, true
			c.rotate(parent, side)
			sibling = nodes[parent].child[1-side]
		}
		near, far := nodes[sibling].child[side], nodes[sibling].child[1-side]
		if !nodes[near].red && !nodes[far].red {
			// Make the other side short too: then it is the parent that is.
			nodes[sibling].red = true
			if nodes[parent].red {
				nodes[parent].red = false
				return
			}
			side = c.side(parent)
			parent = nodes[parent].parent
			continue
		}
		if !nodes[far].red {
			far, sibling = sibling, c.rotate(sibling, 1-side)
		}
		nodes[sibling].red = nodes[parent].red
		nodes[parent].red, nodes[far].red = false, false
		c.rotate(parent, side)
		return
	}
}
