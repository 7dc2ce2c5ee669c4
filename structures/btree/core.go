package btree

import (
	"fmt"
	"math"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/prefetch"
)

// none is the number of no node.
const none = 0

// maxLen is the largest number of timers: slots have 32 bits, and an index must fit an int.
const maxLen = min(1<<32, math.MaxInt) - 2

// maxDepth is more than the depth of any tree: a node has (sparse+2)/2 entries on average.
const maxDepth = 16

// core is the queue of slots: the leaves, read from left to right, hold them in the order
// of their deadlines, and equal ones in the order in which they came.
//
// A timer that was scheduled or moved is an arrival first, and in no leaf.
//
// All leaves are at one depth. No leaf is empty, unless it is the only one, and the root has more
// than one child if it has any. Of two neighbours with one parent at least one has more than
// sparse entries, unless the left one is the first leaf: timers that fire empty that one.
type core struct {
	nodes       []node
	heads       []head   // per node
	leaves      []uint32 // per slot: its leaf, or its place among the arrivals
	root        uint32
	first, last uint32 // leaves
	depth       int    // of the leaves below the root
	free        uint32 // the first free node
	arrivals    arrivals
	lines       prefetch.Batch
	comparisons uint64
	ahead       structures.Tick // written so that the compiler keeps the reads ahead
}

func newCore(capacity int) core {
	// A split leaves half of the entries. Besides there are node 0 and the last node of each level.
	const half = fan / 2
	leaves := capacity/half + 1
	nodes := leaves + leaves/(half-1) + 9
	c := core{
		nodes:  make([]node, 1, nodes),
		heads:  make([]head, 1, nodes),
		leaves: make([]uint32, 1, capacity+1),
	}
	c.root = c.newNode()
	c.first, c.last = c.root, c.root
	c.arrivals.earliest = vacant
	return c
}

func (c *core) newNode() uint32 {
	x := c.free
	if x != none {
		c.free = c.heads[x].parent
	} else {
		x = uint32(len(c.nodes))
		c.nodes = append(c.nodes, node{})
		c.heads = append(c.heads, head{})
	}
	c.heads[x] = head{}
	c.nodes[x].clear(&c.heads[x])
	return x
}

// freeNode frees a node, which has no entries from now on.
func (c *core) freeNode(x uint32) {
	c.heads[x] = head{parent: c.free}
	c.free = x
}

func (c *core) Pop(clock structures.Tick) (slot uint32, at structures.Tick) {
	if c.arrivals.earliest <= clock {
		c.settle()
	}
	h := c.heads[c.first]
	if h.begin == h.end {
		return 0, c.arrivals.earliest
	}
	n := &c.nodes[c.first]
	if at = n.keys[h.begin%fan]; at > clock {
		return 0, min(at, c.arrivals.earliest)
	}
	slot = n.refs[h.begin%fan]
	c.remove(c.first, int(h.begin))
	return slot, at
}

func (c *core) Next(structures.Tick) structures.Tick {
	return min(c.nodes[c.first].keys[c.heads[c.first].begin%fan], c.arrivals.earliest)
}

func (c *core) Remove(slot uint32) {
	x := c.leaves[slot]
	if x&waiting != 0 {
		c.leave(x &^ waiting)
		return
	}
	n := &c.nodes[x]
	c.ahead = n.readAhead()
	c.remove(x, n.find(c.heads[x], slot))
}

func (c *core) Move(slot uint32, deadline structures.Tick) {
	c.Remove(slot)
	c.Add(slot, deadline)
}

func (c *core) Work() structures.Work { return structures.Work{Comparisons: c.comparisons} }

// Add adds slot to the arrivals.
func (c *core) Add(slot uint32, deadline structures.Tick) {
	for int(slot) >= len(c.leaves) {
		if len(c.leaves) > maxLen {
			panic(fmt.Sprintf("btree: more than %d timers pending", maxLen))
		}
		c.leaves = append(c.leaves, none)
	}
	c.wait(slot, deadline)
}

// own notes that the entry ref on a level, 0 for leaves, is in node x.
func (c *core) own(level int, ref, x uint32) {
	if level == 0 {
		c.leaves[ref] = x
	} else {
		c.heads[ref].parent = x
	}
}

func (c *core) ownAll(level int, refs []uint32, x uint32) {
	for _, ref := range refs {
		c.own(level, ref, x)
	}
}

// insert inserts an entry into a leaf, and splits as needed. It returns the leaf that was split off.
func (c *core) insert(x uint32, at int, key structures.Tick, ref uint32) (leaf uint32) {
	for level := 0; ; level++ {
		h := &c.heads[x]
		if h.len() < fan {
			c.nodes[x].insert(h, at, key, ref)
			c.own(level, ref, x)
			return leaf
		}
		y := c.newNode()
		split := c.split(x, y, at, level)
		if at > split || split == fan {
			h := &c.heads[y]
			c.nodes[y].insert(h, at-split, key, ref)
			c.own(level, ref, y)
		} else {
			c.nodes[x].insert(&c.heads[x], at, key, ref)
			c.own(level, ref, x)
		}
		if level == 0 {
			leaf = y
			if x == c.last {
				c.last = y
			}
		}
		key, ref = c.nodes[y].keys[0], y
		if level > 0 {
			c.nodes[y].keys[0] = dead
		}
		parent := c.heads[x].parent
		if parent == none {
			parent = c.newNode()
			c.nodes[parent].insert(&c.heads[parent], 0, dead, x)
			c.heads[x].parent = parent
			c.root = parent
			c.depth++
		}
		at = c.nodes[parent].find(c.heads[parent], x) + 1
		x = parent
	}
}

// split moves half of the entries of the full node x to the empty node y, and returns the first
// place moved; but none from the last node of a level if the new entry comes behind them, so that
// timers that come in order fill their nodes.
func (c *core) split(x, y uint32, at, level int) int {
	if at == fan && c.isLast(x) {
		return fan
	}
	const half = fan / 2
	from, to := &c.nodes[x], &c.nodes[y]
	copy(to.keys[:], from.keys[half:])
	copy(to.refs[:], from.refs[half:])
	c.heads[x].end, c.heads[y].end = half, half
	from.clear(&c.heads[x])
	c.ownAll(level, to.refs[:half], y)
	return half
}

// isLast reports whether no node on its level is behind x.
func (c *core) isLast(x uint32) bool {
	for p := c.heads[x].parent; p != none; x, p = p, c.heads[p].parent {
		if c.nodes[p].refs[(c.heads[p].end-1)%fan] != x {
			return false
		}
	}
	return true
}

func (c *core) remove(x uint32, at int) {
	h := &c.heads[x]
	c.nodes[x].remove(h, at)
	if size := h.len(); size > sparse || size > 0 && x == c.first {
		return
	}
	c.shrink(x, 0)
	if c.heads[c.first].len() == 0 {
		c.first = c.leftmost()
	}
	if c.heads[c.last].len() == 0 {
		c.last = c.rightmost()
	}
}

// shrink removes an empty node, or merges two sparse siblings. Its parent has lost an entry then.
func (c *core) shrink(x uint32, level int) {
	var seams [maxDepth]uint32 // per level: a node that has got a sibling by a merge above
	for ; ; level++ {
		size, parent := c.heads[x].len(), c.heads[x].parent
		if parent == none {
			c.shrinkRoot()
			break
		}
		if size > sparse {
			break
		}
		n, h := &c.nodes[parent], &c.heads[parent]
		at := n.find(*h, x)
		if size == 0 {
			c.freeNode(x)
		} else {
			left, ok := c.mergeable(parent, at, level)
			if !ok {
				break
			}
			if level > 0 {
				right := n.refs[left+1]
				seams[level-1] = c.nodes[right].refs[c.heads[right].begin%fan]
			}
			c.merge(parent, left, level)
			at = left + 1
		}
		n.remove(h, at)
		if h.begin < h.end {
			n.keys[h.begin%fan] = dead
		}
		x = parent
	}
	for level := level - 1; level >= 0; level-- {
		if x := seams[level]; x != none && c.heads[x].len() > 0 && c.heads[x].len() <= sparse {
			c.shrink(x, level)
		}
	}
}

func (c *core) shrinkRoot() {
	for c.depth > 0 && c.heads[c.root].len() == 1 {
		child := c.nodes[c.root].refs[c.heads[c.root].begin%fan]
		c.freeNode(c.root)
		c.root = child
		c.heads[child].parent = none
		c.depth--
	}
	if c.depth == 0 && c.heads[c.root].len() == 0 {
		c.nodes[c.root].shift(&c.heads[c.root], 0)
	}
}

// mergeable returns the left one of two sparse siblings to merge, one of them the child at a place.
func (c *core) mergeable(parent uint32, at, level int) (left int, ok bool) {
	p, h := &c.nodes[parent], c.heads[parent]
	for left := max(at-1, int(h.begin)); left <= at && left+1 < int(h.end); left++ {
		x, y := p.refs[left], p.refs[left+1]
		if c.heads[x].len() <= sparse && c.heads[y].len() <= sparse && (level > 0 || x != c.first) {
			return left, true
		}
	}
	return 0, false
}

// merge merges two siblings into the child at left; the entry behind it is to be removed.
func (c *core) merge(parent uint32, left, level int) {
	p := &c.nodes[parent]
	x, y := p.refs[left], p.refs[left+1]
	if level > 0 {
		c.nodes[y].keys[c.heads[y].begin%fan] = p.keys[left+1]
	}
	if c.heads[y].len() > c.heads[x].len() {
		c.prepend(y, x, level)
		p.refs[left] = y
		c.freeNode(x)
		return
	}
	c.append(x, y, level)
	c.freeNode(y)
}

// append moves the entries of node y to the end of node x, which has room.
func (c *core) append(x, y uint32, level int) {
	to, h := &c.nodes[x], &c.heads[x]
	from, moved := &c.nodes[y], c.heads[y]
	if int(h.end)+moved.len() > fan {
		to.shift(h, 0)
	}
	copy(to.keys[h.end:], from.keys[moved.begin:moved.end])
	copy(to.refs[h.end:], from.refs[moved.begin:moved.end])
	h.end += uint8(moved.len())
	c.ownAll(level, from.refs[moved.begin:moved.end], x)
}

// prepend moves the entries of node x to the front of node y, which has room.
func (c *core) prepend(y, x uint32, level int) {
	to, h := &c.nodes[y], &c.heads[y]
	from, moved := &c.nodes[x], c.heads[x]
	if int(h.begin) < moved.len() {
		to.shift(h, moved.len())
	}
	h.begin -= uint8(moved.len())
	copy(to.keys[h.begin:], from.keys[moved.begin:moved.end])
	copy(to.refs[h.begin:], from.refs[moved.begin:moved.end])
	c.ownAll(level, from.refs[moved.begin:moved.end], y)
}

func (c *core) leftmost() uint32 {
	x := c.root
	for range c.depth {
		x = c.nodes[x].refs[c.heads[x].begin%fan]
	}
	return x
}

func (c *core) rightmost() uint32 {
	x := c.root
	for range c.depth {
		x = c.nodes[x].refs[(c.heads[x].end-1)%fan]
	}
	return x
}
