package rbtree

import (
	"fmt"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/snapshot"
	"github.com/timerbench/timerbench/structures/shape"
)

// Check walks the tree.
func (c *core) Check(_ structures.Tick, size int, inUse func(slot uint32) bool) error {
	if len(c.parents) != len(c.nodes) {
		return fmt.Errorf("rbtree: %d parents beside %d nodes", len(c.parents), len(c.nodes))
	}
	if c.nodes[none].child[right] != none {
		return fmt.Errorf("rbtree: the absent node has a right child")
	}
	w := walk{core: c, inUse: inUse}
	root := c.nodes[none].child[left]
	if root.colour() == red {
		return fmt.Errorf("rbtree: the root, slot %d, is red", root.slot())
	}
	if _, err := w.subtree(root, none, 0); err != nil {
		return err
	}
	if w.size != size {
		return fmt.Errorf("rbtree: %d slots in the tree, want %d", w.size, size)
	}
	if want := [2]uint32{w.first, w.last}; c.ends != want {
		return fmt.Errorf("rbtree: leftmost and rightmost slot are %d, remembered are %d", want, c.ends)
	}
	return nil
}

// walk is a walk through a tree from left to right.
type walk struct {
	*core
	inUse       func(slot uint32) bool
	size        int
	first, last uint32 // the first slot met, and the last one so far
}

// subtree walks the nodes from l on, whose parent has the given colour. It returns the
// number of black nodes on each way down. In a cycle some node has a wrong parent, at
// which the walk ends.
func (w *walk) subtree(l link, parent uint32, colour link) (black int, err error) {
	slot := l.slot()
	if l == none {
		return 0, nil
	}
	if slot == none || int(slot) >= len(w.nodes) || !w.inUse(slot) {
		return 0, fmt.Errorf("rbtree: slot %d is in the tree and not in use", slot)
	}
	n := w.nodes[slot]
	if w.parents[slot] != parent {
		return 0, fmt.Errorf("rbtree: slot %d is a child of %d, its parent link says %d", slot, parent, w.parents[slot])
	}
	if l.colour() == red && colour == red {
		return 0, fmt.Errorf("rbtree: slot %d and its parent %d are both red", slot, parent)
	}
	a, err := w.subtree(n.child[left], slot, l.colour())
	if err != nil {
		return 0, err
	}
	if w.size == 0 {
		w.first = slot
	} else if before := w.nodes[w.last].deadline; n.deadline < before {
		return 0, fmt.Errorf("rbtree: slot %d, due at %d, is behind slot %d, due at %d", slot, n.deadline, w.last, before)
	}
	w.size++
	w.last = slot
	b, err := w.subtree(n.child[right], slot, l.colour())
	if err != nil {
		return 0, err
	}
	if a != b {
		return 0, fmt.Errorf("rbtree: %d black nodes on the ways left of slot %d, %d right of it", a, slot, b)
	}
	if l.colour() != red {
		a++
	}
	return a, nil
}

// Show adds the tree.
func (c *core) Show(b *snapshot.Builder) {
	b.Begin(shape.Part{Name: "red-black tree", Kind: shape.Tree, Arity: 2})
	c.show(b, c.nodes[none].child[left], -1, 0)
}

func (c *core) show(b *snapshot.Builder, l link, parent, child int) {
	slot := l.slot()
	if slot == none {
		return
	}
	n := c.nodes[slot]
	here := b.Timer(shape.Cell{Parent: parent, Child: child, Red: l.colour() == red}, slot, n.deadline)
	c.show(b, n.child[left], here, left)
	c.show(b, n.child[right], here, right)
}
