package ebtree

import (
	"fmt"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/snapshot"
	"github.com/timerbench/timerbench/structures/shape"
)

// Check walks the tree and the rings.
func (c *core) Check(_ structures.Tick, size int, inUse func(slot uint32) bool) error {
	if len(c.nodes) != len(c.timers) {
		return fmt.Errorf("ebtree: %d nodes beside %d timers", len(c.nodes), len(c.timers))
	}
	w := walk{core: c, inUse: inUse, size: size}
	if root := c.nodes[none].child[left]; root != 0 {
		if err := w.subtree(root, none, 0, 0); err != nil {
			return err
		}
	}
	if w.slots != size {
		return fmt.Errorf("ebtree: %d slots in the tree, want %d", w.slots, size)
	}
	if want := [2]uint32{w.first, w.last}; c.ends != want {
		return fmt.Errorf("ebtree: the outermost leaves are %d, remembered are %d", want, c.ends)
	}
	used := 0
	for _, n := range c.nodes {
		if n.label != 0 {
			used++
		}
	}
	if used != max(w.leaves-1, 0) {
		return fmt.Errorf("ebtree: %d nodes are used, %d leaves want one fewer", used, w.leaves)
	}
	return nil
}

// walk is a walk through a tree from left to right.
type walk struct {
	*core
	inUse         func(slot uint32) bool
	size          int
	leaves, slots int    // met so far
	first, last   uint32 // the first leaf met, and the last one so far
}

// subtree walks what is at l and below. Deadlines there must have the bits of prefix, but
// for those of the mask free. A cycle ends where free bits would grow.
func (w *walk) subtree(l link, parent uint32, prefix, fixed uint64) error {
	slot := l.slot()
	if slot == none || int(slot) >= len(w.nodes) || !w.inUse(slot) {
		return fmt.Errorf("ebtree: slot %d is in the tree and not in use", slot)
	}
	if up := w.up(l); up != parent {
		return fmt.Errorf("ebtree: slot %d is below %d, its link says %d", slot, parent, up)
	}
	deadline := uint64(w.timers[slot].deadline)
	if (deadline^prefix)&fixed != 0 {
		return fmt.Errorf("ebtree: slot %d, due at %d, is in a place for deadlines like %d", slot, deadline, prefix)
	}
	if l.isLeaf() {
		if w.leaves++; w.leaves == 1 {
			w.first = slot
		}
		w.last = slot
		return w.ring(slot)
	}
	n := w.nodes[slot]
	low := uint64(n.label & -n.label)
	above := -(low << 1) // the bits above it
	if low == 0 || low&fixed != 0 || (uint64(n.label)^prefix)&fixed != 0 || (uint64(n.label)^deadline)&above != 0 {
		return fmt.Errorf("ebtree: slot %d, due at %d, has a node labelled %d in a place for deadlines like %d", slot, deadline, n.label, prefix)
	}
	for side, child := range n.child {
		if err := w.subtree(child, slot, uint64(n.label)&above|uint64(side)*low, above|low); err != nil {
			return err
		}
	}
	return nil
}

// ring walks the timers of one deadline.
func (w *walk) ring(first uint32) error {
	for slot := first; ; {
		if w.slots++; w.slots > w.size {
			return fmt.Errorf("ebtree: more than %d slots in the tree", w.size)
		}
		t := w.timers[slot]
		next := t.next
		if next == none || int(next) >= len(w.timers) || !w.inUse(next) || w.timers[next].prev != slot {
			return fmt.Errorf("ebtree: slot %d is followed by %d, which is not in use or whose link back is another", slot, next)
		}
		if next == first {
			return nil
		}
		if n := w.timers[next]; n.up != queued || n.deadline != t.deadline || w.nodes[next].label != 0 {
			return fmt.Errorf("ebtree: slot %d, due at %d, is queued behind slot %d, due at %d, or in the tree", next, n.deadline, slot, t.deadline)
		}
		slot = next
	}
}

// Show adds the leaves from left to right, each with the timers of its deadline.
func (c *core) Show(b *snapshot.Builder) {
	b.Begin(shape.Part{Name: "leaves", Kind: shape.List})
	var walk func(l link)
	walk = func(l link) {
		first := l.slot()
		if !l.isLeaf() {
			walk(c.nodes[first].child[left])
			walk(c.nodes[first].child[right])
			return
		}
		b.Cell(shape.Cell{}, func(yield func(uint32, structures.Tick) bool) {
			for slot := first; yield(slot, c.timers[slot].deadline); {
				if slot = c.timers[slot].next; slot == first {
					return
				}
			}
		})
	}
	if root := c.nodes[none].child[left]; root != 0 {
		walk(root)
	}
}
