// Package rbtreegods keeps timers in an off-the-shelf red-black tree, github.com/emirpasic/gods
// v1.18.1, ordered by deadline and sequence number.
//
// The library takes keys as interfaces and compares them through a function. It deletes a node with two children by
// copying the predecessor into it, so a node is not a stable handle, and a timer is removed by a search for its key.
// Next and Pop walk down the left edge each time. The first key in an empty tree is compared with itself.
//
// A new node takes 64 bytes. A timer is two objects to the garbage collector, and takes about 110 bytes including an 8-byte value
// and its ID.
//
// Work counts Comparisons: the calls of the comparison function.
//
// Pick it if your program already uses gods and has few timers. Otherwise rbtree is several times as fast.
package rbtreegods

import (
	"github.com/emirpasic/gods/trees/redblacktree"
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/ordered"
	"github.com/timerbench/timerbench/structures/internal/rules"
	"github.com/timerbench/timerbench/structures/internal/slab"
	"github.com/timerbench/timerbench/structures/internal/snapshot"
	"github.com/timerbench/timerbench/structures/shape"
)

var _ structures.Scheduler[int] = (*Tree[int])(nil)

// Option sets a parameter of a Tree.
type Option struct{ option }
type option = rules.Option[rules.Room]

// Capacity reserves room for n timers, from 0, the default, to 2^32-2. Nodes are still allocated one by one.
func Capacity(n int) Option { return Option{rules.Capacity("rbtreegods", n, slab.MaxCapacity)} }

// Tree is a red-black tree of timers with values of type T. Make it with New. It is a [structures.Scheduler]. It allocates.
type Tree[T any] struct{ base[T] }
type base[T any] = ordered.Scheduler[T]

// New returns an empty tree at tick 0. It panics if an option is invalid.
func New[T any](opts ...Option) *Tree[T] {
	n := rules.Apply(rules.Room{}, opts).Capacity
	return &Tree[T]{ordered.New[T](newContainer(), n)}
}

// Schedule adds a timer that is due at deadline. It costs O(log n), and an allocation.
func (t *Tree[T]) Schedule(deadline structures.Tick, value T) structures.ID {
	return t.base.Schedule(deadline, value)
}

// Reschedule moves a pending timer, or returns false. It costs O(log n), twice as much as Schedule, and an allocation.
func (t *Tree[T]) Reschedule(id structures.ID, deadline structures.Tick) bool {
	return t.base.Reschedule(id, deadline)
}

// Cancel removes a pending timer, or returns false. It costs O(log n).
func (t *Tree[T]) Cancel(id structures.ID) bool { return t.base.Cancel(id) }

// Pop moves the clock to now and removes the earliest timer if it is due. Ties are FIFO. It costs O(log n).
func (t *Tree[T]) Pop(now structures.Tick) (due structures.Timer[T], ok bool) { return t.base.Pop(now) }

// Next returns the earliest deadline. It costs O(log n): a walk down the left edge.
func (t *Tree[T]) Next() (at structures.Tick, ok bool) { return t.base.Next() }

// Len returns the number of pending timers. It costs O(1).
func (t *Tree[T]) Len() int { return t.base.Len() }

// container adapts the tree.
type container struct {
	tree        *redblacktree.Tree
	comparisons uint64
}

func newContainer() *container {
	c := &container{}
	c.tree = redblacktree.NewWith(func(a, b interface{}) int {
		c.comparisons++
		return ordered.Compare(a.(*ordered.Key), b.(*ordered.Key))
	})
	return c
}

func (c *container) Insert(k *ordered.Key) { c.tree.Put(k, nil) }
func (c *container) Remove(k *ordered.Key) { c.tree.Remove(k) }

func (c *container) First() *ordered.Key {
	if node := c.tree.Left(); node != nil {
		return node.Key.(*ordered.Key)
	}
	return nil
}

func (c *container) RemoveFirst() { c.tree.Remove(c.tree.Left().Key) }

func (c *container) Ascend(yield func(*ordered.Key) bool) {
	for it := c.tree.Iterator(); it.Next(); {
		if !yield(it.Key().(*ordered.Key)) {
			return
		}
	}
}

func (c *container) Len() int            { return c.tree.Size() }
func (c *container) Comparisons() uint64 { return c.comparisons }

// Show adds the tree. It does not show the colours of its nodes.
func (c *container) Show(b *snapshot.Builder) {
	b.Begin(shape.Part{Name: "red-black tree (its colours are private)", Kind: shape.Tree, Arity: 2})
	show(b, c.tree.Root, -1, 0)
}

func show(b *snapshot.Builder, n *redblacktree.Node, parent, child int) {
	if n == nil {
		return
	}
	k := n.Key.(*ordered.Key)
	here := b.Timer(shape.Cell{Parent: parent, Child: child}, k.Slot, k.Deadline)
	show(b, n.Left, here, 0)
	show(b, n.Right, here, 1)
}
