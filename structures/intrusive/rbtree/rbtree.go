// Package rbtree is a red-black tree of timers that are fields of the caller's structs.
//
// Pedigree. The tree of Guibas and Sedgewick, with the nodes in the timers and the leftmost node
// remembered, as in Linux's [hrtimer] before 2026 (rb_root_cached). Differences here: the two
// mirrored cases are one, because the children of a node are an array indexed by side.
//
// Costs, for n timers: Schedule and Reschedule O(log n), at most 2 log2(n+1) comparisons. Cancel and Pop O(log n) at
// worst, O(1) on average, without a comparison. Next O(1). Each step down the tree is a cache miss among many timers.
//
// Memory. A timer takes 48 bytes and its value, within the caller's struct. A tree takes 48 bytes.
//
// Work counts Comparisons of two deadlines, which only placing a timer needs.
//
// Pick it for exact order with FIFO ties, an exact Next and a logarithmic bound on every operation.
// Package linkedwheel has FIFO ties, too, and is faster.
//
// [hrtimer]: https://github.com/torvalds/linux/blob/v6.12/kernel/time/hrtimer.c
package rbtree

import (
	"errors"
	"fmt"
	"unsafe"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/rules"
	"github.com/timerbench/timerbench/structures/intrusive/internal/links"
)

// Timer is a timer of a Tree, usually a field of the struct that it belongs to. The zero Timer is
// ready for use. A pending Timer must not be copied: go vet reports such a copy, and methods of the
// tree panic when they are given one.
type Timer[T any] struct {
	_     links.NoCopy
	node  node
	Value T // for the caller, usually a pointer to the struct; the tree never touches it
}

// Deadline returns the tick at which the timer is due, after the rule for past deadlines. For a
// timer that is not pending, it returns the last deadline that the timer had, at first 0.
func (t *Timer[T]) Deadline() structures.Tick { return t.node.deadline }

// Tree is a red-black tree of timers. Make it with New. It is for one goroutine at a time.
type Tree[T any] struct{ core }

// New returns an empty tree whose clock is at tick 0.
func New[T any]() *Tree[T] { return &Tree[T]{} }

// Schedule makes t pending, or moves it. A deadline at or before the clock counts as the tick after it. It costs
// O(log n). Like Reschedule and Cancel, it panics if t is pending in another tree or is a copy of a pending timer.
func (r *Tree[T]) Schedule(t *Timer[T], deadline structures.Tick) {
	if !r.Reschedule(t, deadline) {
		r.insert(&t.node, deadline)
	}
}

// Reschedule moves a pending timer. It returns false if t is not pending. It costs O(log n).
func (r *Tree[T]) Reschedule(t *Timer[T], deadline structures.Tick) bool {
	return r.mine(&t.node) && r.remove(&t.node) && r.insert(&t.node, deadline)
}

// Cancel removes a pending timer, which is then free for any use. It returns false if t is not pending. It costs
// O(log n), on average O(1).
func (r *Tree[T]) Cancel(t *Timer[T]) bool {
	return r.mine(&t.node) && r.remove(&t.node)
}

// Pop moves the clock to now, unless it is there or past it, and removes and returns one timer that
// is due, the earliest first and FIFO among equal deadlines. It returns nil if no timer is due. The
// timer is free for any use at once. Pop costs O(log n), on average O(1).
func (r *Tree[T]) Pop(now structures.Tick) *Timer[T] { return (*Timer[T])(unsafe.Pointer(r.pop(now))) }

// Next returns the earliest deadline. ok is false if no timer is pending. Next costs O(1).
func (r *Tree[T]) Next() (at structures.Tick, ok bool) {
	if r.first == nil {
		return 0, false
	}
	return r.first.deadline, true
}

// Len returns the number of pending timers, including those that are due. It costs O(1).
func (r *Tree[T]) Len() int { return r.count }

// Work returns the comparisons of two deadlines so far.
func (r *Tree[T]) Work() structures.Work { return structures.Work{Comparisons: r.comparisons} }

// The sides of a node.
const (
	left  = 0
	right = 1
)

// node is the part of a timer that belongs to the tree. A node that is not pending has no links.
type node struct {
	child    [2]*node
	parent   *node
	tree     *core           // nil: not pending
	deadline structures.Tick // of a timer that is not pending: the last one that it had
	red      bool
}

// core is a tree without the type of its values, so its methods are compiled once. From left to
// right, deadlines never descend, and equal ones are in the order in which they came. No red node has
// a red child, and every way down from a node passes the same number of black nodes.
type core struct {
	clock       structures.Tick
	root, first *node
	count       int
	comparisons uint64
}

// mine reports whether a timer is pending in this tree, and panics if it is not and says that it is pending.
func (c *core) mine(n *node) bool {
	if n.tree == nil {
		return false
	}
	if n.tree != c || *c.place(n.parent, n.side()) != n {
		panic("intrusive/rbtree: the timer is pending in another tree, or is a copy of a pending timer")
	}
	return true
}

// place returns the link to the child of a parent on a side. The root is the child of nil.
func (c *core) place(parent *node, side int) **node {
	if parent == nil {
		return &c.root
	}
	return &parent.child[side]
}

// side returns the side of a node below its parent.
func (n *node) side() int {
	if n.parent != nil && n.parent.child[right] == n {
		return right
	}
	return left
}

// isRed reports whether a node, which may be nil, is red.
func isRed(n *node) bool { return n != nil && n.red }

// link makes child, which may be nil, the child of parent on side.
func (c *core) link(parent *node, side int, child *node) {
	*c.place(parent, side) = child
	if child != nil {
		child.parent = parent
	}
}

// insert adds a timer that is not pending, after all timers with the same deadline, and returns true.
func (c *core) insert(n *node, deadline structures.Tick) bool {
	n.deadline = rules.Clamp(c.clock, deadline)
	n.tree, n.red = c, true
	c.count++
	parent, side := (*node)(nil), left
	for at := c.root; at != nil; at = at.child[side] {
		c.comparisons++
		parent, side = at, right
		if n.deadline < at.deadline {
			side = left
		}
	}
	c.link(parent, side, n)
	if parent == nil || parent == c.first && side == left {
		c.first = n
	}
	c.balanceRed(n)
	return true
}

// remove takes out a timer, and returns true.
func (c *core) remove(n *node) bool {
	if c.first == n { // it has no left child
		if c.first = n.child[right]; c.first == nil {
			c.first = n.parent
		}
	}
	// If the node has two children, the next node in order takes its place, and its own place becomes
	// vacant. The node in the vacant place has at most one child, which moves up.
	parent, side, wasRed, up := n.parent, n.side(), n.red, n.child[left]
	if up == nil {
		up = n.child[right]
	} else if n.child[right] != nil {
		heir := n.child[right]
		for heir.child[left] != nil {
			heir = heir.child[left]
		}
		above, where := heir, right
		wasRed, up = heir.red, heir.child[right]
		if heir.parent != n {
			above, where = heir.parent, left
			c.link(heir, right, n.child[right])
		}
		c.link(heir, left, n.child[left])
		c.link(parent, side, heir)
		heir.red = n.red
		parent, side = above, where
	}
	c.link(parent, side, up)
	if up != nil {
		up.red = false // an only child is red; black, it replaces the node
	} else if !wasRed {
		c.balanceBlack(parent, side)
	}
	c.count--
	*n = node{deadline: n.deadline}
	return true
}

// pop is Pop, and returns nil if no timer is due.
func (c *core) pop(now structures.Tick) *node {
	c.clock = max(c.clock, now)
	n := c.first
	if n == nil || n.deadline > c.clock {
		return nil
	}
	c.remove(n)
	return n
}

// rotate moves the node top down to side. Its child on the other side takes its place and color.
func (c *core) rotate(top *node, side int) *node {
	up, parent, at := top.child[1-side], top.parent, top.side()
	c.link(top, 1-side, up.child[side])
	c.link(up, side, top)
	c.link(parent, at, up)
	top.red, up.red = up.red, top.red
	return up
}

// balanceRed repairs the tree after an insertion: n is red, and its parent may be.
func (c *core) balanceRed(n *node) {
	for isRed(n.parent) {
		parent, top := n.parent, n.parent.parent // top exists and is black
		side := parent.side()
		uncle := top.child[1-side]
		if !isRed(uncle) {
			if n.side() != side {
				c.rotate(parent, side)
			}
			c.rotate(top, 1-side)
			break
		}
		parent.red, uncle.red, top.red = false, false, true
		n = top
	}
	c.root.red = false
}

// balanceBlack repairs the tree after a removal: ways down through the child of parent on side have
// one black node too few.
func (c *core) balanceBlack(parent *node, side int) {
	for parent != nil {
		sibling := parent.child[1-side] // exists, because the ways on its side are longer
		if sibling.red {
			c.rotate(parent, side)
			sibling = parent.child[1-side]
		}
		if isRed(sibling.child[left]) || isRed(sibling.child[right]) {
			if !isRed(sibling.child[1-side]) {
				sibling = c.rotate(sibling, 1-side)
			}
			sibling.child[1-side].red = false
			c.rotate(parent, side)
			return
		}
		// Make the ways on the other side one shorter, too, and go on above.
		sibling.red = true
		if parent.red {
			parent.red = false
			return
		}
		parent, side = parent.parent, parent.side()
	}
}

// CheckInvariants walks the tree and returns the first broken invariant. It costs O(n).
func (c *core) CheckInvariants() error {
	if isRed(c.root) {
		return errors.New("rbtree: the root is red")
	}
	var last *node
	count := 0
	var walk func(n, parent *node) (black int, err error)
	walk = func(n, parent *node) (black int, err error) {
		if n == nil {
			return 0, nil
		}
		if n.parent != parent || n.tree != c || n.red && isRed(parent) {
			return 0, fmt.Errorf("rbtree: the timer due at %d has another parent or tree, or a red parent and is red", n.deadline)
		}
		before, err := walk(n.child[left], n)
		if err != nil {
			return 0, err
		}
		if last == nil && c.first != n || last != nil && n.deadline < last.deadline {
			return 0, fmt.Errorf("rbtree: the timer due at %d is first and not remembered, or after a later one", n.deadline)
		}
		last = n
		count++
		after, err := walk(n.child[right], n)
		if err == nil && before != after {
			err = fmt.Errorf("rbtree: %d black nodes to the left of the timer due at %d, %d to the right", before, n.deadline, after)
		}
		if !n.red {
			before++
		}
		return before, err
	}
	if _, err := walk(c.root, nil); err != nil {
		return err
	}
	if count != c.count || count == 0 && c.first != nil {
		return fmt.Errorf("rbtree: %d timers in the tree, %d pending", count, c.count)
	}
	return nil
}
