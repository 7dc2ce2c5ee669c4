// Package btreegoogle keeps timers in an off-the-shelf B-tree, the generic form of
// github.com/google/btree v1.1.3, ordered by deadline and sequence number.
//
// The library has no equal keys and no handles, so a timer is removed by a search for its key. Next
// and Pop walk down the left edge. A list keeps up to 32 freed nodes, and the garbage collector gets
// the rest. With 100,000 timers, about one call of Schedule in a hundred allocates.
//
// Costs, for n timers: Schedule, Cancel and Pop O(log n), Reschedule twice as much, Next O(log n)
// hops. A timer takes about 82 bytes including an 8-byte value and its ID.
//
// Work counts Comparisons: the calls of the comparator.
//
// Ties. FIFO, by the sequence number.
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
type Option func(*rules.Room)

// Capacity reserves room for n timers, from 0, the default, to 2^32-2. Nodes are allocated when they are needed.
func Capacity(n int) Option { return rules.Capacity("btreegoogle", n, slab.MaxCapacity) }

// Tree is a B-tree of timers with values of type T. Make it with New. It allocates.
type Tree[T any] struct{ scheduler[T] }

type scheduler[T any] = ordered.Scheduler[T]

// New returns an empty tree at tick 0. It panics if an option is invalid.
func New[T any](opts ...Option) *Tree[T] {
	return &Tree[T]{ordered.New[T](newContainer(), rules.Apply(rules.Room{}, opts).Capacity)}
}

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
