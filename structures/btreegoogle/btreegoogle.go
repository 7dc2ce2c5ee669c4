// Package btreegoogle keeps timers in an off-the-shelf B-tree, the generic form of
// github.com/google/btree v1.1.3, ordered by deadline and sequence number.
//
// The library has no equal keys and no handles, so a timer is removed by a search for its key. Next
// and Pop walk down the left edge. A list keeps up to 32 freed nodes, and the garbage collector gets
// the rest. With 100,000 timers, about one call of Schedule in a hundred allocates.
//
// A timer takes about 82 bytes including an 8-byte value and its ID. Work counts Comparisons: the calls of the comparator.
//
// Pick it if your program already uses google/btree: it is the fastest of the off-the-shelf
// containers. rbtree is up to twice as fast and does not allocate.
package btreegoogle

import (
	"github.com/google/btree"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/ordered"
	"github.com/timerbench/timerbench/structures/internal/rules"
	"github.com/timerbench/timerbench/structures/internal/slab"
)

var _ structures.Scheduler[int] = (*Tree[int])(nil)

// Option sets a parameter of a Tree.
type Option struct{ option }
type option = rules.Option[rules.Room]

// Capacity reserves room for n timers, from 0, the default, to 2^32-2. Nodes are allocated when they are needed.
func Capacity(n int) Option { return Option{rules.Capacity("btreegoogle", n, slab.MaxCapacity)} }

// Tree is a B-tree of timers with values of type T. Make it with New. It is a [structures.Scheduler]. It allocates.
type Tree[T any] struct{ base[T] }
type base[T any] = ordered.Scheduler[T]

// New returns an empty tree at tick 0. It panics if an option is invalid.
func New[T any](opts ...Option) *Tree[T] {
	return &Tree[T]{ordered.New[T](newContainer(), rules.Apply(rules.Room{}, opts).Capacity)}
}

// Schedule adds a timer that is due at deadline. It costs O(log n), and may allocate.
func (t *Tree[T]) Schedule(deadline structures.Tick, value T) structures.ID {
	return t.base.Schedule(deadline, value)
}

// Reschedule moves a pending timer, or returns false. It costs O(log n), twice as much as Schedule.
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
	tree        *btree.BTreeG[ordered.Key] // holds keys by value: nodes without pointers
	first       ordered.Key                // what First returned last
	comparisons uint64
}

// degree is the degree of the tree: a node has up to 2*32-1 keys. Degrees of 24 to 64 can hardly be told apart.
const degree = 32

func newContainer() *container {
	c := &container{}
	c.tree = btree.NewG(degree, func(a, b ordered.Key) bool {
		c.comparisons++
		if a.Deadline != b.Deadline {
			return a.Deadline < b.Deadline
		}
		return a.Sequence < b.Sequence
	})
	return c
}

func (c *container) Insert(k *ordered.Key) { c.tree.ReplaceOrInsert(*k) }
func (c *container) Remove(k *ordered.Key) { c.tree.Delete(*k) }

func (c *container) First() *ordered.Key {
	k, ok := c.tree.Min()
	if !ok {
		return nil
	}
	c.first = k
	return &c.first
}

func (c *container) RemoveFirst() { c.tree.DeleteMin() }

func (c *container) Ascend(yield func(*ordered.Key) bool) {
	c.tree.Ascend(func(k ordered.Key) bool { return yield(&k) })
}

func (c *container) Len() int            { return c.tree.Len() }
func (c *container) Comparisons() uint64 { return c.comparisons }
