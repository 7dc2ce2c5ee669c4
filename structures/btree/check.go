package btree

import (
	"fmt"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/snapshot"
	"github.com/timerbench/timerbench/structures/shape"
)

// Check walks the tree and the free nodes.
func (c *core) Check(_ structures.Tick, size int, inUse func(slot uint32) bool) error {
	if len(c.heads) != len(c.nodes) {
		return fmt.Errorf("btree: %d heads beside %d nodes", len(c.heads), len(c.nodes))
	}
	w := walk{core: c, inUse: inUse}
	if err := w.node(c.root, none, c.depth, dead, vacant); err != nil {
		return err
	}
	waiting, err := c.checkArrivals(inUse)
	if err != nil {
		return err
	}
	if w.slots+waiting != size {
		return fmt.Errorf("btree: %d slots in the leaves and %d arrivals, want %d", w.slots, waiting, size)
	}
	if n := c.heads[c.root].len(); c.depth > 0 && n == 1 {
		return fmt.Errorf("btree: the root, node %d, has one child", c.root)
	}
	if first, last := c.leftmost(), c.rightmost(); c.first != first || c.last != last {
		return fmt.Errorf("btree: the first and the last leaf are %d and %d, remembered are %d and %d", first, last, c.first, c.last)
	}
	free := 0
	for x := c.free; x != none; x = c.heads[x].parent {
		if free++; free+w.nodes >= len(c.nodes) {
			break
		}
	}
	if 1+free+w.nodes != len(c.nodes) {
		return fmt.Errorf("btree: %d nodes in the tree, %d or more free, want %d together", w.nodes, free, len(c.nodes)-1)
	}
	return nil
}

// walk is a walk through a tree from left to right.
type walk struct {
	*core
	inUse        func(slot uint32) bool
	nodes, slots int // met so far
}

// node walks node x and those below it. The leaves are depth levels below, and their keys
// must be from lo to hi. In a cycle some node has a wrong parent.
func (w *walk) node(x, parent uint32, depth int, lo, hi structures.Tick) error {
	if x == none || int(x) >= len(w.core.nodes) {
		return fmt.Errorf("btree: a child of node %d is node %d, out of range", parent, x)
	}
	n, h := &w.core.nodes[x], w.heads[x]
	if h.parent != parent {
		return fmt.Errorf("btree: node %d is a child of %d, its head says %d", x, parent, h.parent)
	}
	w.nodes++
	if err := w.keys(x, depth, lo, hi); err != nil {
		return err
	}
	for i := int(h.begin); i < int(h.end); i++ {
		ref := n.refs[i]
		if depth == 0 {
			if int(ref) >= len(w.leaves) || !w.inUse(ref) {
				return fmt.Errorf("btree: slot %d is in leaf %d and not in use", ref, x)
			}
			if w.leaves[ref] != x {
				return fmt.Errorf("btree: slot %d is in leaf %d, its link says %d", ref, x, w.leaves[ref])
			}
			if n.find(h, ref) != i {
				return fmt.Errorf("btree: slot %d is twice in leaf %d", ref, x)
			}
			w.slots++
			continue
		}
		below := [2]structures.Tick{lo, hi}
		if i > int(h.begin) {
			below[0] = n.keys[i]
		}
		if i+1 < int(h.end) {
			below[1] = n.keys[i+1]
		}
		if err := w.node(ref, x, depth-1, below[0], below[1]); err != nil {
			return err
		}
		if next := i + 1; next < int(h.end) {
			if err := w.neighbours(ref, n.refs[next]); err != nil {
				return err
			}
		}
	}
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

// neighbours checks that two neighbours with one parent are not both sparse.
func (w *walk) neighbours(x, y uint32) error {
	if x != w.first && w.heads[x].len() <= sparse && w.heads[y].len() <= sparse {
		return fmt.Errorf("btree: nodes %d and %d have %d and %d entries, which one node should hold", x, y, w.heads[x].len(), w.heads[y].len())
	}
	return nil
}

// checkArrivals returns the number of arrivals.
func (c *core) checkArrivals(inUse func(slot uint32) bool) (count int, err error) {
	a := &c.arrivals
	if a.n < 0 || a.n > batch || a.n > 0 && a.slots[a.n-1] == 0 {
		return 0, fmt.Errorf("btree: there are %d arrivals, or the last of them was removed", a.n)
	}
	earliest := vacant
	for i, slot := range a.slots[:a.n] {
		if slot == 0 {
			continue
		}
		if !inUse(slot) || int(slot) >= len(c.leaves) || c.leaves[slot] != waiting|uint32(i) {
			return 0, fmt.Errorf("btree: arrival %d, slot %d, is not in use, or its link does not say that it waits there", i, slot)
		}
		earliest = min(earliest, a.deadlines[i])
		count++
	}
	if earliest != a.earliest {
		return 0, fmt.Errorf("btree: the earliest arrival is due at %d, remembered is %d", earliest, a.earliest)
	}
	return count, nil
}

// Show adds the leaves from left to right, and the arrivals.
func (c *core) Show(b *snapshot.Builder) {
	b.Begin(shape.Part{Name: "leaves", Kind: shape.List})
	var walk func(x uint32, depth int)
	walk = func(x uint32, depth int) {
		n, h := &c.nodes[x], c.heads[x]
		if depth > 0 {
			for _, child := range n.refs[h.begin:h.end] {
				walk(child, depth-1)
			}
			return
		}
		b.Cell(shape.Cell{}, func(yield func(uint32, structures.Tick) bool) {
			for i := h.begin; i < h.end && yield(n.refs[i], n.keys[i]); i++ {
			}
		})
	}
	walk(c.root, c.depth)
	b.Begin(shape.Part{Name: "arrival buffer", Kind: shape.List})
	for i, slot := range c.arrivals.slots[:c.arrivals.n] {
		if slot != 0 {
			b.Timer(shape.Cell{}, slot, c.arrivals.deadlines[i])
		}
	}
}
