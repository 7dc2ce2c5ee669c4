package btree

import (
	"fmt"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/snapshot"
	"github.com/timerbench/timerbench/structures/shape"
)

// Walk adds the leaves from left to right, and the arrivals.
func (c *core) Walk(b *snapshot.Builder) error {
	b.Begin(shape.Part{Name: "leaves", Kind: shape.List})
	if len(c.heads) != len(c.nodes) {
		return fmt.Errorf("btree: %d heads and %d nodes", len(c.heads), len(c.nodes))
	}
	w := walk{core: c, b: b}
	if err := w.node(c.root, none, c.depth, dead, vacant); err != nil {
		return err
	}
	if n := c.heads[c.root].len(); c.depth > 0 && n == 1 {
		return fmt.Errorf("btree: the root, node %d, has one child", c.root)
	}
	if first, last := c.leftmost(), c.rightmost(); c.first != first || c.last != last {
		return fmt.Errorf("btree: the first and the last leaf are %d and %d, remembered are %d and %d",
			first, last, c.first, c.last)
	}
	free := 0
	for x := c.free; x != none && free+w.nodes < len(c.nodes); x = c.heads[x].parent {
		free++
	}
	if 1+free+w.nodes != len(c.nodes) {
		return fmt.Errorf("btree: %d nodes in the tree, %d or more free, want %d together",
			w.nodes, free, len(c.nodes)-1)
	}
	return c.walkArrivals(b)
}

// walk is a walk through a tree from left to right.
type walk struct {
	*core
	b     *snapshot.Builder
	nodes int // met so far
}

// node walks node x and those below, the leaves depth levels below, whose keys must be from lo to hi.
func (w *walk) node(x, parent uint32, depth int, lo, hi structures.Tick) error {
	if x == none || int(x) >= len(w.core.nodes) || w.heads[x].parent != parent {
		return fmt.Errorf("btree: node %d is a child of %d, its head says another one", x, parent)
	}
	n, h := &w.core.nodes[x], w.heads[x]
	w.nodes++
	if err := w.keys(x, depth, lo, hi); err != nil {
		return err
	}
	if depth == 0 {
		return w.leaf(x)
	}
	for i := int(h.begin); i < int(h.end); i++ {
		below := [2]structures.Tick{lo, hi}
		if i > int(h.begin) {
			below[0] = n.keys[i]
		}
		if i+1 < int(h.end) {
			below[1] = n.keys[i+1]
		}
		if err := w.node(n.refs[i], x, depth-1, below[0], below[1]); err != nil {
			return err
		}
		if i+1 == int(h.end) {
			break
		}
		if x, y := n.refs[i], n.refs[i+1]; x != w.first && w.heads[x].len() <= sparse && w.heads[y].len() <= sparse {
			return fmt.Errorf("btree: nodes %d and %d have %d and %d entries, which one node should hold",
				x, y, w.heads[x].len(), w.heads[y].len())
		}
	}
	return nil
}

func (w *walk) leaf(x uint32) error {
	n, h := &w.core.nodes[x], w.heads[x]
	for _, slot := range n.refs[h.begin:h.end] {
		if int(slot) >= len(w.leaves) || w.leaves[slot] != x {
			return fmt.Errorf("btree: slot %d is in leaf %d, its link says another one", slot, x)
		}
	}
	w.b.Cell(shape.Cell{}, func(yield func(uint32, structures.Tick) bool) {
		for i := h.begin; i < h.end && yield(n.refs[i], n.keys[i]); i++ {
		}
	})
	return nil
}

// keys checks the keys of node x, and how many there are.
func (w *walk) keys(x uint32, depth int, lo, hi structures.Tick) error {
	n, h := &w.core.nodes[x], w.heads[x]
	if h.begin > h.end || h.end > fan {
		return fmt.Errorf("btree: the entries of node %d are from %d to %d", x, h.begin, h.end)
	}
	if h.len() == 0 && x != w.root {
		return fmt.Errorf("btree: node %d is empty", x)
	}
	for i, key := range n.keys {
		switch {
		case i < int(h.begin) || depth > 0 && i == int(h.begin):
			if key != dead {
				return fmt.Errorf("btree: key %d of node %d is %d, want a dead one", i, x, key)
			}
		case i >= int(h.end):
			if key != vacant {
				return fmt.Errorf("btree: key %d of node %d is %d, want a vacant one", i, x, key)
			}
		case key < lo || key > hi:
			return fmt.Errorf("btree: key %d of node %d is %d, want one from %d to %d", i, x, key, lo, hi)
		default:
			lo = key
		}
	}
	return nil
}

func (c *core) walkArrivals(b *snapshot.Builder) error {
	b.Begin(shape.Part{Name: "arrival buffer", Kind: shape.List})
	a := &c.arrivals
	if a.n < 0 || a.n > batch || a.n > 0 && a.slots[a.n-1] == 0 {
		return fmt.Errorf("btree: there are %d arrivals, or the last of them was removed", a.n)
	}
	earliest := vacant
	for i, slot := range a.slots[:a.n] {
		if slot == 0 {
			continue
		}
		if int(slot) >= len(c.leaves) || c.leaves[slot] != waiting|uint32(i) {
			return fmt.Errorf("btree: the link of arrival %d, slot %d, does not say that it waits there", i, slot)
		}
		earliest = min(earliest, a.deadlines[i])
		b.Timer(shape.Cell{}, slot, a.deadlines[i])
	}
	if earliest != a.earliest {
		return fmt.Errorf("btree: the earliest arrival is due at %d, remembered is %d", earliest, a.earliest)
	}
	return nil
}
