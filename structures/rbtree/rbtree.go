// Package rbtree keeps timers in a red-black tree, as [nginx] does for its event timers and Linux for its high-resolution
// timers ([hrtimer]).
//
// Pedigree. The tree of Guibas and Sedgewick. The leftmost node is remembered, as in Linux's rb_root_cached; nginx searches
// for it. A timer that moves stays in its place if it is still between its neighbors, as in hrtimer since 2026, which also
// links its nodes in order. Differences here:
//
//   - Nodes are in one array and link to each other by 4-byte indexes. A node has only the 16 bytes that a search reads:
//     colors are in the links, and parents are in an array of their own.
//   - The rightmost node is remembered, too, so a timer that is due last is placed with one comparison.
//   - Every move takes effect. [nginx skips] moves of less than 300 ms.
//   - The two mirrored cases are one, because the children of a node are an array indexed by side.
//
// A timer takes 20 bytes, plus its value and ID. Work counts Comparisons of two deadlines, which only placing a timer needs.
//
// Pick it for exact order with FIFO ties, a logarithmic bound on every operation, and many timers that are cancelled or moved
// long before they fire. If most timers fire, a heap is smaller.
//
// [nginx]: https://github.com/nginx/nginx/blob/05f5a7325d939ade37daf1e2d4b34f4e83d49aff/src/event/ngx_event_timer.c
// [nginx skips]: https://github.com/nginx/nginx/blob/b548e13cdf612e82758b06a28c7426dfcd1e4b70/src/event/ngx_event_timer.h
// [hrtimer]: https://github.com/torvalds/linux/blob/v6.12/kernel/time/hrtimer.c
package rbtree

import (
	"fmt"
	"math"

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
func Capacity(n int) Option { return Option{rules.Capacity("rbtree", n, maxLen)} }

// Tree is a red-black tree of timers with values of type T. Make it with New. It is a [structures.Scheduler].
type Tree[T any] struct{ base[T] }
type base[T any] = slotted.Moving[T, core, *core]

// New returns an empty tree at tick 0. It panics if an option is invalid.
func New[T any](opts ...Option) *Tree[T] {
	n := rules.Apply(rules.Room{}, opts).Capacity
	return &Tree[T]{slotted.NewMoving[T](core{nodes: make([]node, 1, n+1), parents: make([]uint32, 1, n+1)}, n)}
}

// Schedule adds a timer that is due at deadline. It costs O(log n), at most 2 log2(n+1) + 1 comparisons, or O(1) at the end.
func (t *Tree[T]) Schedule(deadline structures.Tick, value T) structures.ID {
	return t.base.Schedule(deadline, value)
}

// Reschedule moves a pending timer, or returns false. It costs O(log n), or O(1) if the timer keeps its place.
func (t *Tree[T]) Reschedule(id structures.ID, deadline structures.Tick) bool {
	return t.base.Reschedule(id, deadline)
}

// Cancel removes a pending timer, or returns false. It costs O(log n), and O(1) amortized.
func (t *Tree[T]) Cancel(id structures.ID) bool { return t.base.Cancel(id) }

// Pop moves the clock to now and removes the earliest timer if it is due. Ties are FIFO. It costs O(log n), and O(1) amortized.
func (t *Tree[T]) Pop(now structures.Tick) (due structures.Timer[T], ok bool) { return t.base.Pop(now) }

// Next returns the earliest deadline. It costs O(1).
func (t *Tree[T]) Next() (at structures.Tick, ok bool) { return t.base.Next() }

// Len returns the number of pending timers. It costs O(1).
func (t *Tree[T]) Len() int { return t.base.Len() }

// The two sides of a node. The other side of d is 1-d.
const left, right = 0, 1

// none is the node that stands for every absent one. It is black, and the parent of the root, its left child: no special case
// at the root or at a leaf. Its parent is scratch space.
const none = 0

// maxLen is the largest number of timers: a link has 31 bits for the slot, and an index fits an int.
const maxLen = min(1<<31, math.MaxInt) - 1

// node is what a search reads of a slot: 16 bytes, so that none crosses a cache line.
type node struct {
	deadline structures.Tick
	child    [2]link
}

// link is the slot of a node and its colour, which is read and changed where its parent is, without a cache miss.
type link uint32

const red = 1

func (l link) slot() uint32 { return uint32(l >> 1) }
func (l link) colour() link { return l & red }

// with returns the link to the same node in another colour.
func (l link) with(colour link) link { return l&^red | colour }

// core is the queue of slots. A slot is a node as long as its timer is pending: nodes are relinked, never copied from slot to
// slot.
//
// Read from left to right, deadlines never descend, and equal ones are in the order in which they came. No red node has a red
// child, and all ways down from a node to an absent one pass the same number of black nodes; so the longest way is at most
// twice the shortest.
type core struct {
	nodes       []node
	parents     []uint32  // per node
	ends        [2]uint32 // the leftmost and the rightmost node
	path        [64]link  // the links from the root to where insert adds a slot, by depth
	known       int       // path holds the links from this depth on
	comparisons uint64
}

func (c *core) Pop(clock structures.Tick) (slot uint32, at structures.Tick) {
	slot = c.ends[left]
	if slot == none {
		return none, math.MaxInt64
	}
	if at = c.nodes[slot].deadline; at > clock {
		return none, at
	}
	c.Remove(slot)
	return slot, at
}

func (c *core) Next(structures.Tick) structures.Tick { return c.nodes[c.ends[left]].deadline }

func (c *core) Move(slot uint32, deadline structures.Tick) {
	if c.stays(slot, deadline) {
		c.nodes[slot].deadline = deadline
		return
	}
	c.Remove(slot)
	c.Add(slot, deadline)
}

// stays reports whether slot keeps its place with another deadline. Its neighbour is not read if the deadline is beyond all
// others, because the most frequent move is to the end.
func (c *core) stays(slot uint32, deadline structures.Tick) bool {
	nodes, last := c.nodes, c.ends[right]
	if deadline < nodes[slot].deadline {
		before := c.neighbour(slot, left)
		return before == none || nodes[before].deadline <= deadline
	}
	return slot == last || deadline < nodes[last].deadline && deadline < nodes[c.neighbour(slot, right)].deadline
}

// neighbour returns the next node in order on a side, or none.
func (c *core) neighbour(slot uint32, side int) uint32 {
	if l := c.nodes[slot].child[side]; l != none {
		for ; l != none; l = c.nodes[slot].child[1-side] {
			slot = l.slot()
		}
		return slot
	}
	for slot != c.ends[side] {
		parent := c.parents[slot]
		if c.nodes[parent].child[1-side].slot() == slot {
			return parent
		}
		slot = parent
	}
	return none
}

func (c *core) Work() structures.Work { return structures.Work{Comparisons: c.comparisons} }

func (c *core) Add(slot uint32, deadline structures.Tick) {
	for int(slot) >= len(c.nodes) {
		if len(c.nodes) > maxLen {
			panic(fmt.Sprintf("rbtree: more than %d timers pending", maxLen))
		}
		c.nodes = append(c.nodes, node{})
		c.parents = append(c.parents, none)
	}
	depth, side := c.search(deadline)
	parent := c.path[depth]
	at := parent.slot()
	c.nodes[slot] = node{deadline: deadline}
	c.parents[slot] = at
	c.nodes[at].child[side] = link(slot<<1 | red)
	switch at {
	case none:
		c.ends = [2]uint32{slot, slot}
	case c.ends[side]:
		c.ends[side] = slot
	}
	if parent.colour() == red {
		c.balanceRed(slot, depth)
	}
	c.nodes[none].child[left] &^= red // the root
}

// search finds the vacant place behind all deadlines up to deadline: a side of the node at depth on the path.
//
// It chooses the next child by arithmetic, as no predictor guesses which it is, and reads both children first, which is faster
// than to read the one that it needs. The difference of two deadlines cannot overflow, as none is negative.
func (c *core) search(deadline structures.Tick) (depth, side int) {
	nodes := c.nodes
	last := c.ends[right]
	if last == none {
		c.known, c.path[0] = 0, none
		return 0, left
	}
	if deadline >= nodes[last].deadline {
		c.comparisons++
		c.known = len(c.path) - 1
		c.path[c.known] = c.rightmost(last)
		return c.known, right
	}
	c.known = 0
	d := uint(0) // at most 62, for 2^31 timers
	for at := nodes[none].child[left]; at != none; {
		d++
		c.path[d%uint(len(c.path))] = at
		n := &nodes[at.slot()]
		l, r := n.child[left], n.child[right]
		side = int(uint64(n.deadline-deadline-1) >> 63) // right unless deadline comes before
		at = l ^ (l^r)&-link(side)
	}
	c.comparisons += uint64(d) + 1
	return int(d), side
}

// extendPath extends the known part of the path up to depth: a timer that goes to the end is placed without a search, and few
// of its ancestors are needed.
func (c *core) extendPath(depth int) {
	slot := c.path[c.known].slot()
	for c.known > depth && slot != none {
		slot = c.parents[slot]
		c.known--
		c.path[c.known] = c.rightmost(slot)
	}
}

// rightmost returns the link to a node on the way from the root to the rightmost one.
func (c *core) rightmost(slot uint32) link {
	if slot == none {
		return none
	}
	if parent := c.parents[slot]; parent != none {
		return c.nodes[parent].child[right]
	}
	return c.nodes[none].child[left] // the root
}

func (c *core) Remove(slot uint32) {
	nodes := c.nodes
	n := nodes[slot]
	parent, side := c.parents[slot], c.side(slot)
	for at, end := range c.ends {
		if end == slot {
			c.ends[at] = c.inward(slot, at)
		}
	}
	// If the node has two children, the next node in order takes its place, and its own place becomes vacant. The node in the
	// vacant place has at most one child, which moves up.
	self := nodes[parent].child[side]
	colour, up := self.colour(), n.child[left]|n.child[right]
	if n.child[left] != none && n.child[right] != none {
		heir := n.child[right]
		above, where := slot, right
		for l := nodes[heir.slot()].child[left]; l != none; l = nodes[heir.slot()].child[left] {
			above, where = heir.slot(), left
			heir = l
		}
		h := heir.slot()
		colour, up = heir.colour(), nodes[h].child[right]
		if above == slot {
			above = h
		} else {
			c.link(h, right, n.child[right])
		}
		c.link(h, left, n.child[left])
		c.link(parent, side, heir.with(self.colour()))
		parent, side = above, where
	}
	if colour == red || up != none {
		c.link(parent, side, up.with(0)) // an only child is red; black, it replaces the node
		return
	}
	c.link(parent, side, none)
	c.balanceBlack(parent, side)
}

// inward returns the neighbour of the node at the end on side, whose only child is a single red node.
func (c *core) inward(end uint32, side int) uint32 {
	if child := c.nodes[end].child[1-side]; child != none {
		return child.slot()
	}
	return c.parents[end]
}

// side returns which child of its parent slot is.
func (c *core) side(slot uint32) int {
	if c.nodes[c.parents[slot]].child[right].slot() == slot {
		return right
	}
	return left
}

// link makes child, which may be none, the child of parent on side.
func (c *core) link(parent uint32, side int, child link) {
	c.nodes[parent].child[side] = child
	c.parents[child.slot()] = parent
}

// rotate moves the node top down to side. Its child on the other side takes its place and colour.
func (c *core) rotate(top uint32, side int) uint32 {
	up := c.nodes[top].child[1-side]
	parent, at := c.parents[top], c.side(top)
	self := c.nodes[parent].child[at]
	c.link(top, 1-side, c.nodes[up.slot()].child[side])
	c.link(up.slot(), side, self.with(up.colour()))
	c.link(parent, at, up.with(self.colour()))
	return up.slot()
}

// balanceRed repairs what an insertion breaks: slot is red, and so is its parent, at depth.
func (c *core) balanceRed(slot uint32, depth int) {
	nodes := c.nodes
	for {
		if c.known > depth-2 {
			c.extendPath(depth - 2)
		}
		// top exists and is black, as parent is red.
		parent, top := c.path[depth].slot(), c.path[depth-1].slot()
		n := &nodes[top]
		side := left
		if n.child[right].slot() == parent {
			side = right
		}
		if n.child[1-side].colour() == 0 {
			if nodes[parent].child[side].slot() != slot {
				c.rotate(parent, side)
			}
			c.rotate(top, 1-side)
			return
		}
		// Push the black of top down to both its children.
		n.child[left] &^= red
		n.child[right] &^= red
		above := c.path[depth-2]
		a := &nodes[above.slot()]
		if a.child[right].slot() == top {
			a.child[right] |= red
		} else {
			a.child[left] |= red
		}
		if above.colour() == 0 {
			return
		}
		slot = top
		depth -= 2
	}
}

// balanceBlack repairs what a removal breaks: ways down through the child of parent on side have one black node too few.
func (c *core) balanceBlack(parent uint32, side int) {
	nodes := c.nodes
	for parent != none {
		sibling := nodes[parent].child[1-side] // exists, as the ways on its side are longer
		if sibling.colour() == red {
			c.rotate(parent, side)
			sibling = nodes[parent].child[1-side]
		}
		s := sibling.slot()
		if nodes[s].child[left].colour()|nodes[s].child[right].colour() == 0 {
			// Make the ways on the other side one shorter, too, and go on above.
			nodes[parent].child[1-side] |= red
			above, at := c.parents[parent], c.side(parent)
			if nodes[above].child[at].colour() == red {
				nodes[above].child[at] &^= red
				return
			}
			parent, side = above, at
			continue
		}
		if nodes[s].child[1-side].colour() == 0 {
			s = c.rotate(s, 1-side)
		}
		nodes[s].child[1-side] &^= red
		c.rotate(parent, side)
		return
	}
}

func (c *core) Walk(b *snapshot.Builder) {
	b.Begin(shape.Part{Name: "red-black tree", Kind: shape.Tree, Arity: 2})
	root := c.nodes[none].child[left]
	rules.Must(len(c.parents) == len(c.nodes) && c.nodes[none].child[right] == none && root.colour() != red,
		"%d parents beside %d nodes, or the absent node has a right child, or the root is red", len(c.parents), len(c.nodes))
	c.walk(b, root, none, 0, 0, math.MaxInt64, shape.Cell{Parent: -1})
	for side, end := range c.ends {
		outermost := uint32(none)
		for l := root; l != none; l = c.nodes[outermost].child[side] {
			outermost = l.slot()
		}
		rules.Must(end == outermost, "the outermost slot on side %d is %d, remembered is %d", side, outermost, end)
	}
}

// walk adds the nodes from l on, which are due from first to last and whose parent has the given colour. It returns the number of
// black nodes on each way down. In a cycle some node has a wrong parent.
func (c *core) walk(b *snapshot.Builder, l link, parent uint32, colour link, first, last structures.Tick, at shape.Cell) (black int) {
	if l == none {
		return 0
	}
	slot := l.slot()
	n := c.nodes[slot]
	rules.Must(slot != none && c.parents[slot] == parent, "slot %d is a child of %d, its parent link says another one", slot, parent)
	rules.Must(l.colour()&colour != red && n.deadline >= first && n.deadline <= last,
		"slot %d and its parent %d are both red, or %d is not from %d to %d", slot, parent, n.deadline, first, last)
	at.Red = l.colour() == red
	here := b.Timer(at, slot, n.deadline)
	before := c.walk(b, n.child[left], slot, l.colour(), first, n.deadline, shape.Cell{Parent: here, Child: left})
	after := c.walk(b, n.child[right], slot, l.colour(), n.deadline, last, shape.Cell{Parent: here, Child: right})
	rules.Must(before == after, "%d black nodes on the ways left of slot %d, %d right of it", before, slot, after)
	if l.colour() != red {
		before++
	}
	return before
}
