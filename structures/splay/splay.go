// Package splay keeps timers in a splay tree, a classic of simulation: a search tree that balances
// itself by the way it is used.
//
// Pedigree. Sleator and Tarjan, "Self-Adjusting Binary Search Trees" (JACM 1985). Jones (CACM 29(4), 1986) found it
// the fastest of eleven event sets except for a few distributions. Differences here:
//
//   - Schedule splits the tree at the deadline, top down, and the new timer becomes the root. So
//     timers that come in order cost O(1) each.
//   - The leftmost timer is remembered. Pop removes it and splays nothing.
//   - Cancel replaces its timer by the join of the two subtrees, and splays nothing above.
//   - Nodes are in one array and link to each other by 4-byte indexes.
//
// Costs, for n timers: Schedule, Reschedule, Cancel and Pop O(log n) amortized, Next O(1). A single call may cost
// O(n), because the tree may be n deep. Nothing is recursive. A timer takes 24 bytes, plus its value and ID.
//
// Work counts Comparisons of two deadlines.
//
// Ties. FIFO, by the last Schedule or Reschedule.
//
// Pick it if deadlines come nearly in order, or close to one another, and an occasional long call does
// no harm. Otherwise pick btree, or rbtree if every call must be short.
package splay

import (
	"fmt"
	"math"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/option"
	"github.com/timerbench/timerbench/structures/internal/slab"
	"github.com/timerbench/timerbench/structures/internal/slotted"
	"github.com/timerbench/timerbench/structures/internal/snapshot"
	"github.com/timerbench/timerbench/structures/shape"
)

var _ structures.Scheduler[int] = (*Tree[int])(nil)

// Option sets a parameter of a Tree.
type Option func(*option.Room)

// Capacity reserves room for n timers, from 0, the default, to 2^32-2. More timers grow the structure.
func Capacity(n int) Option { return option.Capacity("splay", n, slab.MaxCapacity) }

// Tree is a splay tree of timers with values of type T. Make it with New.
type Tree[T any] struct{ scheduler[T] }

type scheduler[T any] = slotted.Scheduler[T, core, *core]

// New returns an empty tree at tick 0. It panics if an option is invalid.
func New[T any](opts ...Option) *Tree[T] {
	n := option.Apply(option.Room{}, opts).Capacity
	return &Tree[T]{slotted.New[T](core{nodes: make([]node, 1, n+1)}, n)}
}

// none stands for no node, and is the parent of the root. Its own links are scratch space.
const none uint32 = 0

// The sides of a node.
const left, right = 0, 1

// node is a pending timer. No timer on its left is due after it, none on its right before it.
type node struct {
	deadline structures.Tick
	child    [2]uint32
	parent   uint32
}

// core is the queue of slots. From left to right, equal deadlines are as they came.
type core struct {
	nodes       []node // by slot
	root        uint32
	first       uint32 // the leftmost node
	comparisons uint64
}

// Add splits the tree at the deadline, and makes the new node the root of both parts.
func (c *core) Add(slot uint32, deadline structures.Tick) {
	for int(slot) >= len(c.nodes) {
		c.nodes = append(c.nodes, node{})
	}
	c.split(deadline)
	parts := c.nodes[none].child // the left part is on the right side of none
	c.nodes[slot] = node{deadline: deadline, child: [2]uint32{parts[right], parts[left]}}
	c.nodes[parts[left]].parent, c.nodes[parts[right]].parent = slot, slot
	c.root = slot
	if parts[right] == none {
		c.first = slot
	}
}

// side returns the side of a node on which a deadline belongs.
func (c *core) side(slot uint32, deadline structures.Tick) int {
	c.comparisons++
	if deadline < c.nodes[slot].deadline {
		return left
	}
	return right
}

// split splits the tree into the nodes due at a deadline or before, the right child of none, and the others, its left
// child. It rotates every second pair of links to the same side: the way becomes half as long.
func (c *core) split(deadline structures.Tick) {
	nodes := c.nodes
	nodes[none].child = [2]uint32{}
	var ends [2]uint32 // the end of either tree, where the next nodes are linked
	at := c.root
	for at != none {
		side := c.side(at, deadline)
		next := nodes[at].child[side]
		ahead := side
		if next != none {
			if ahead = c.side(next, deadline); ahead == side {
				inner := nodes[next].child[1-side]
				nodes[at].child[side], nodes[inner].parent = inner, at
				nodes[next].child[1-side], nodes[at].parent = at, next
				at, next = next, nodes[next].child[side]
			}
		}
		nodes[ends[side]].child[side], nodes[at].parent = at, ends[side]
		ends[side] = at
		if next != none && ahead != side {
			nodes[ends[ahead]].child[ahead], nodes[next].parent = next, ends[ahead]
			ends[ahead] = next
			next = nodes[next].child[ahead]
		}
		at = next
	}
	// The last nodes may still have what went to the other tree.
	for side, end := range ends {
		nodes[end].child[side] = none
	}
}

// Remove puts the two trees below a node in its place.
func (c *core) Remove(slot uint32) {
	nodes := c.nodes
	n := nodes[slot]
	joined := c.join(n.child[left], n.child[right])
	nodes[joined].parent = n.parent
	if slot == c.root {
		c.root = joined
	} else {
		nodes[n.parent].child[c.sideOf(slot, n.parent)] = joined
	}
	if slot == c.first {
		c.first = c.leftmost(joined)
		if joined == none {
			c.first = n.parent
		}
	}
}

func (c *core) sideOf(slot, parent uint32) int {
	if c.nodes[parent].child[left] == slot {
		return left
	}
	return right
}

func (c *core) leftmost(slot uint32) uint32 {
	for next := slot; next != none; next = c.nodes[next].child[left] {
		slot = next
	}
	return slot
}

// join makes one tree of two and returns its root: the last node of the first one. It rotates
// every second link on the way there.
func (c *core) join(a, b uint32) uint32 {
	if a == none || b == none {
		return a | b
	}
	nodes := c.nodes
	nodes[none].child[left] = none
	end := none // of the way so far, where the next node is linked on the right
	top := none
	for next := nodes[a].child[right]; next != none; next = nodes[a].child[right] {
		// a goes to the left of next.
		inner := nodes[next].child[left]
		nodes[a].child[right], nodes[inner].parent = inner, a
		nodes[next].child[left], nodes[a].parent = a, next
		a = next
		if next = nodes[a].child[right]; next == none {
			break
		}
		// a stays above next, for now.
		if end == none {
			top = a
		} else {
			nodes[end].child[right] = a
		}
		nodes[a].parent = end
		end, a = a, next
	}
	// a is the last one: all others go to its left.
	if end != none {
		inner := nodes[a].child[left]
		nodes[end].child[right], nodes[inner].parent = inner, end
		nodes[a].child[left], nodes[top].parent = top, a
	}
	nodes[a].child[right], nodes[b].parent = b, a
	return a
}

func (c *core) Move(slot uint32, deadline structures.Tick) {
	c.Remove(slot)
	c.Add(slot, deadline)
}

func (c *core) Pop(clock structures.Tick) (slot uint32, at structures.Tick) {
	slot = c.first
	if slot == none {
		return none, math.MaxInt64
	}
	if at = c.nodes[slot].deadline; at > clock {
		return none, at
	}
	c.Remove(slot)
	return slot, at
}

func (c *core) Next(structures.Tick) structures.Tick { return c.nodes[c.first].deadline }

func (c *core) Work() structures.Work { return structures.Work{Comparisons: c.comparisons} }

// Walk adds the tree, by a stack, as it may be n nodes deep.
func (c *core) Walk(b *snapshot.Builder) error {
	b.Begin(shape.Part{Name: "splay tree", Kind: shape.Tree, Arity: 2})
	type place struct {
		slot, parent uint32
		at           shape.Cell
		from, to     structures.Tick
	}
	stack := []place{{c.root, none, shape.Cell{Parent: -1}, 0, math.MaxInt64}}
	for steps := 0; len(stack) > 0; steps++ {
		p := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if p.slot == none {
			continue
		}
		if int(p.slot) >= len(c.nodes) || c.nodes[p.slot].parent != p.parent || steps > 2*len(c.nodes) {
			return fmt.Errorf("splay: slot %d is below %d, its parent link says another one", p.slot, p.parent)
		}
		n := c.nodes[p.slot]
		if n.deadline < p.from || n.deadline > p.to {
			return fmt.Errorf("splay: slot %d, due at %d, is where deadlines are from %d to %d",
				p.slot, n.deadline, p.from, p.to)
		}
		here := b.Timer(p.at, p.slot, n.deadline)
		stack = append(stack,
			place{n.child[right], p.slot, shape.Cell{Parent: here, Child: right}, n.deadline, p.to},
			place{n.child[left], p.slot, shape.Cell{Parent: here, Child: left}, p.from, n.deadline})
	}
	if want := c.leftmost(c.root); c.first != want {
		return fmt.Errorf("splay: the leftmost slot is %d, remembered is %d", want, c.first)
	}
	return nil
}
