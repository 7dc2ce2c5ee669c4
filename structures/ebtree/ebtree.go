// Package ebtree keeps timers in an elastic binary tree, as [HAProxy] does for the timers of its tasks.
//
// Pedigree. Willy Tarreau (2002). The tree is a binary radix tree over the bits of the deadline,
// without balancing. Each timer is both a leaf and an inner node: the inner node that was needed to
// insert it. So nothing is allocated. When a leaf is removed, its inner node may still be in use, and
// is replaced by another that became free. Differences here:
//
//   - Timers with the same deadline form a ring, and only the first of them is in the tree. HAProxy
//     has a subtree of them. Both are FIFO with O(1) removal.
//   - The label of a node holds the bits that its deadlines share, and in its lowest bit the position
//     where they differ. A search reads 16 bytes a node, and the key of a leaf only at the end.
//   - A timer that moves is filed under its new deadline. HAProxy leaves a timer that moves to a later tick where it
//     is, and files it again when the old tick comes. Row haproxy of docs/field.md measures that.
//   - The outermost leaves are known. Next never walks, and a deadline beyond either end is placed
//     from there: O(1) amortized if all timers have one timeout.
//
// A search visits at most 63 nodes. A timer takes 40 bytes, plus its value and ID.
// Work counts Comparisons of a deadline with a label or with the deadline of a leaf.
//
// Pick it for exact order with FIFO ties if many timers share their ticks. There it is up to three times as fast as rbtree.
//
// [HAProxy]: https://github.com/haproxy/haproxy/blob/018251667e4c95478ce0026f4d700e0420f8ce24/src/task.c
package ebtree

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/rules"
	"github.com/timerbench/timerbench/structures/internal/slotted"
	"github.com/timerbench/timerbench/structures/internal/snapshot"
	"github.com/timerbench/timerbench/structures/shape"
)

var _ structures.Scheduler[int] = (*Tree[int])(nil)

// Option sets a parameter of a Tree.
type Option struct{ option }
type option = rules.Option[rules.Room]

// Capacity reserves room for n timers, from 0, the default, to 2^31-1. More timers grow the structure.
func Capacity(n int) Option { return Option{rules.Capacity("ebtree", n, maxLen)} }

// Tree is an elastic binary tree of timers with values of type T. Make it with New. It is a [structures.Scheduler].
type Tree[T any] struct{ base[T] }
type base[T any] = slotted.Moving[T, core, *core]

// New returns an empty tree at tick 0. It panics if an option is invalid.
func New[T any](opts ...Option) *Tree[T] {
	n := rules.Apply(rules.Room{}, opts).Capacity
	return &Tree[T]{slotted.NewMoving[T](core{nodes: make([]node, 1, n+1), timers: make([]timer, 1, n+1)}, n)}
}

// Schedule adds a timer that is due at deadline. It costs O(log n) expected, or O(1) amortized in the order of deadlines.
func (t *Tree[T]) Schedule(deadline structures.Tick, value T) structures.ID {
	return t.base.Schedule(deadline, value)
}

// Reschedule moves a pending timer, or returns false. It costs as much as Schedule, or O(1) if the leaf stays below its parent.
func (t *Tree[T]) Reschedule(id structures.ID, deadline structures.Tick) bool {
	return t.base.Reschedule(id, deadline)
}

// Cancel removes a pending timer, or returns false. It costs O(1) expected.
func (t *Tree[T]) Cancel(id structures.ID) bool { return t.base.Cancel(id) }

// Pop moves the clock to now and removes the earliest timer if it is due. Ties are FIFO. It costs O(1) expected.
func (t *Tree[T]) Pop(now structures.Tick) (due structures.Timer[T], ok bool) { return t.base.Pop(now) }

// Next returns the earliest deadline. It costs O(1).
func (t *Tree[T]) Next() (at structures.Tick, ok bool) { return t.base.Next() }

// Len returns the number of pending timers. It costs O(1).
func (t *Tree[T]) Len() int { return t.base.Len() }

// The two sides of a node. The other side of d is 1-d.
const left, right = 0, 1

// none is the slot of no timer. Its node stands above the root, which is its left child.
const none = 0

// queued is the parent of a timer that is not in the tree, as an equal one is there.
const queued = math.MaxUint32

// maxLen is the largest number of timers: a link has 31 bits for the slot, and an index fits an int.
const maxLen = min(1<<31, math.MaxInt) - 1

// link is a slot, and which part of it: its node or its leaf.
type link uint32

const leaf = 1

func nodeOf(slot uint32) link { return link(slot << 1) }
func leafOf(slot uint32) link { return link(slot<<1 | leaf) }

func (l link) slot() uint32 { return uint32(l >> 1) }
func (l link) isLeaf() bool { return l&leaf != 0 }

// label describes the deadlines below a node: they share the bits of the label above its lowest bit. The
// ones with that bit are on the right. 0: the node is not used.
type label uint64

// newLabel returns the label of the lowest node above two deadlines, which differ in diff.
func newLabel(deadline structures.Tick, diff uint64) label {
	low := uint64(1) << (bits.Len64(diff) - 1)
	return label(uint64(deadline)&^(low-1) | low)
}

// differs reports whether a key with these bits unlike a label belongs above its node.
func (l label) differs(diff uint64) bool { return diff >= uint64(l&-l)<<1 }

// node is what a search reads of a slot: 16 bytes, so that none crosses a cache line.
type node struct {
	label label
	child [2]link
}

// timer is what else is known of a slot. Timers of one deadline form a ring, as they came.
type timer struct {
	deadline   structures.Tick
	up         uint32 // the parent of its leaf, or queued
	nodeUp     uint32 // the parent of its node, if that is used
	next, prev uint32 // in the ring
}

// core is the queue of slots.
//
// A node has two children. Of the deadlines below it, those on the left lack the lowest bit of its label and those on
// the right have it, and they have all higher bits in common. The node of a slot is used only while its leaf is in
// the tree, and is above that leaf. n leaves need n-1 nodes, so there is always one to use.
type core struct {
	nodes       []node
	timers      []timer
	ends        [2]uint32 // the leftmost and the rightmost leaf
	comparisons uint64
}

func (c *core) Pop(clock structures.Tick) (slot uint32, at structures.Tick) {
	slot = c.ends[left]
	if slot == none {
		return none, math.MaxInt64
	}
	if at = c.timers[slot].deadline; at > clock {
		return none, at
	}
	c.Remove(slot)
	return slot, at
}

func (c *core) Next(structures.Tick) structures.Tick { return c.timers[c.ends[left]].deadline }

func (c *core) Move(slot uint32, deadline structures.Tick) {
	t := &c.timers[slot]
	// A leaf stays below its parent, on its side, if no bit changes from the lowest one of the label on.
	if t.next == slot && (t.up == none || uint64(t.deadline^deadline) < uint64(c.nodes[t.up].label&-c.nodes[t.up].label)) {
		t.deadline = deadline
		return
	}
	c.Remove(slot)
	c.Add(slot, deadline)
}

func (c *core) Work() structures.Work { return structures.Work{Comparisons: c.comparisons} }

func (c *core) Add(slot uint32, deadline structures.Tick) {
	for int(slot) >= len(c.nodes) {
		if len(c.nodes) > maxLen {
			panic(fmt.Sprintf("ebtree: more than %d timers pending", maxLen))
		}
		c.nodes = append(c.nodes, node{})
		c.timers = append(c.timers, timer{})
	}
	c.timers[slot] = timer{deadline: deadline, next: slot, prev: slot}
	if c.ends[left] == none {
		c.nodes[none].child[left] = leafOf(slot)
		c.ends = [2]uint32{slot, slot}
		return
	}
	first, last := c.ends[left], c.ends[right]
	var at link
	var diff uint64
	end := -1 // the side on which slot is the outermost, if it is
	c.comparisons++
	if deadline >= c.timers[last].deadline {
		at, diff = c.climb(last, deadline)
		end = right
	} else if c.comparisons++; deadline <= c.timers[first].deadline {
		at, diff = c.climb(first, deadline)
		end = left
	} else {
		at, diff = c.search(deadline)
	}
	if diff == 0 {
		c.queue(at.slot(), slot)
		return
	}
	c.insert(slot, at, diff)
	if end >= 0 {
		c.ends[end] = slot
	}
}

// search goes down from the root. It returns the leaf of that deadline, with diff 0, or the
// link above which a leaf belongs, and how its deadline differs from those there.
//
// It chooses a child by arithmetic, as no predictor guesses which it is.
func (c *core) search(deadline structures.Tick) (at link, diff uint64) {
	nodes := c.nodes
	compared := uint64(1)
	at = nodes[none].child[left]
	for !at.isLeaf() {
		n := &nodes[at.slot()]
		compared++
		if diff = uint64(deadline) ^ uint64(n.label); n.label.differs(diff) {
			c.comparisons += compared - 1
			return at, diff
		}
		l, r := n.child[left], n.child[right]
		side := link(^(uint64(deadline) - uint64(n.label)) >> 63)
		at = l ^ (l^r)&-side
	}
	c.comparisons += compared
	return at, uint64(deadline) ^ uint64(c.timers[at.slot()].deadline)
}

// climb is search for a deadline that no leaf is beyond, from the leaf at that end upward.
func (c *core) climb(end uint32, deadline structures.Tick) (at link, diff uint64) {
	t := &c.timers[end]
	at, diff = leafOf(end), uint64(deadline)^uint64(t.deadline)
	if diff == 0 {
		return at, diff
	}
	for p := t.up; p != none; p = c.timers[p].nodeUp {
		c.comparisons++
		if !c.nodes[p].label.differs(diff) {
			break
		}
		at = nodeOf(p)
	}
	return at, diff
}

// insert adds a leaf and its node above at.
func (c *core) insert(slot uint32, at link, diff uint64) {
	t := &c.timers[slot]
	l := newLabel(t.deadline, diff)
	side := right
	if t.deadline < structures.Tick(l) {
		side = left
	}
	parent := c.up(at)
	c.replace(parent, at, nodeOf(slot))
	c.nodes[slot].label = l
	c.nodes[slot].child[side], c.nodes[slot].child[1-side] = leafOf(slot), at
	t.nodeUp, t.up = parent, slot
	c.setUp(at, slot)
}

func (c *core) up(l link) uint32 {
	if l.isLeaf() {
		return c.timers[l.slot()].up
	}
	return c.timers[l.slot()].nodeUp
}

func (c *core) setUp(l link, parent uint32) {
	if l.isLeaf() {
		c.timers[l.slot()].up = parent
	} else {
		c.timers[l.slot()].nodeUp = parent
	}
}

// replace makes by the child of parent instead of l.
func (c *core) replace(parent uint32, l, by link) {
	n := &c.nodes[parent]
	if n.child[right] == l {
		n.child[right] = by
	} else {
		n.child[left] = by
	}
}

// queue puts slot behind all timers of its deadline, of which first is the first.
func (c *core) queue(first, slot uint32) {
	last := c.timers[first].prev
	t := &c.timers[slot]
	t.up, t.next, t.prev = queued, first, last
	c.timers[last].next = slot
	c.timers[first].prev = slot
}

func (c *core) Remove(slot uint32) {
	t := c.timers[slot]
	c.timers[t.prev].next = t.next
	c.timers[t.next].prev = t.prev
	switch {
	case t.up == queued:
	case t.next != slot:
		c.succeed(slot, t.next)
	case t.up == none:
		c.nodes[none].child[left] = 0
		c.ends = [2]uint32{}
	default:
		c.removeLeaf(slot)
	}
}

// succeed gives the place of a leaf to the next timer of its deadline.
func (c *core) succeed(slot, heir uint32) {
	up := c.timers[slot].up
	c.timers[heir].up = up
	c.replace(up, leafOf(slot), leafOf(heir))
	c.moveNode(slot, heir)
	for side, end := range c.ends {
		if end == slot {
			c.ends[side] = heir
		}
	}
}

// removeLeaf removes the leaf of a slot, and its parent, whose other child moves up. The node of
// that parent is vacant then, and takes over for the node of the slot, which is above it.
func (c *core) removeLeaf(slot uint32) {
	parent := c.timers[slot].up
	n := &c.nodes[parent]
	sibling := n.child[left]
	if sibling == leafOf(slot) {
		sibling = n.child[right]
	}
	above := c.timers[parent].nodeUp
	c.replace(above, nodeOf(parent), sibling)
	c.setUp(sibling, above)
	n.label = 0
	for side, end := range c.ends {
		if end == slot {
			c.ends[side] = c.edge(sibling, side)
		}
	}
	c.moveNode(slot, parent)
}

// moveNode replaces the node of slot from, if it is in use, by the unused node of slot to.
func (c *core) moveNode(from, to uint32) {
	n := c.nodes[from]
	if n.label == 0 {
		return
	}
	c.nodes[from].label = 0
	c.nodes[to] = n
	up := c.timers[from].nodeUp
	c.timers[to].nodeUp = up
	c.replace(up, nodeOf(from), nodeOf(to))
	c.setUp(n.child[left], to)
	c.setUp(n.child[right], to)
}

func (c *core) edge(l link, side int) uint32 {
	for !l.isLeaf() {
		l = c.nodes[l.slot()].child[side]
	}
	return l.slot()
}

// Walk adds the leaves from left to right, each with the timers of its deadline.
func (c *core) Walk(b *snapshot.Builder) {
	b.Begin(shape.Part{Name: "leaves", Kind: shape.List})
	leaves, used, ends := 0, 0, [2]uint32{}
	if root := c.nodes[none].child[left]; root != 0 {
		leaves = c.walk(b, root, none, 0, 0)
		ends = [2]uint32{c.edge(root, left), c.edge(root, right)}
	}
	rules.Must(c.ends == ends,
		"the outermost leaves are %d and %d, remembered are %d and %d", ends[left], ends[right], c.ends[left], c.ends[right])
	for _, n := range c.nodes {
		if n.label != 0 {
			used++
		}
	}
	rules.Must(used == max(leaves-1, 0) && len(c.nodes) == len(c.timers),
		"%d of %d nodes are used for %d timers, %d leaves want one fewer",
		used, len(c.nodes), len(c.timers), leaves)
}

// walk adds the leaves of the subtree at l, from left to right, and counts them. Deadlines have the fixed bits of prefix.
func (c *core) walk(b *snapshot.Builder, l link, parent uint32, prefix, fixed uint64) (leaves int) {
	slot := l.slot()
	rules.Must(slot != none && c.up(l) == parent, "slot %d is below %d, its link says another one", slot, parent)
	deadline := uint64(c.timers[slot].deadline)
	rules.Must((deadline^prefix)&fixed == 0, "slot %d, due at %d, is in a place for deadlines like %d", slot, deadline, prefix)
	if l.isLeaf() {
		c.walkRing(b, slot)
		return 1
	}
	n := c.nodes[slot]
	low := uint64(n.label & -n.label)
	above := -(low << 1) // the bits above it
	rules.Must(low != 0 && low&fixed == 0 && (uint64(n.label)^prefix)&fixed == 0 && (uint64(n.label)^deadline)&above == 0,
		"slot %d, due at %d, has the label %d in a place for deadlines like %d", slot, deadline, n.label, prefix)
	for side, child := range n.child {
		leaves += c.walk(b, child, slot, uint64(n.label)&above|uint64(side)*low, above|low)
	}
	return leaves
}

// walkRing adds a leaf and the timers that are queued behind it.
func (c *core) walkRing(b *snapshot.Builder, first uint32) {
	b.Cell(shape.Cell{}, func(yield func(uint32, structures.Tick) bool) {
		for slot := first; ; {
			t := c.timers[slot]
			n := c.timers[t.next]
			rules.Must(t.next != none && n.prev == slot, "slot %d is followed by %d, whose link back is another", slot, t.next)
			rules.Must(t.next == first || n.up == queued && n.deadline == t.deadline && c.nodes[t.next].label == 0,
				"slot %d, due at %d, is queued behind slot %d, due at %d, or in the tree", t.next, n.deadline, slot, t.deadline)
			if !yield(slot, t.deadline) || t.next == first {
				return
			}
			slot = t.next
		}
	})
}
