// Package splay keeps timers in a splay tree, the classic of simulation: a binary search tree
// that balances itself by the way in which it is used.
//
// Pedigree. The tree is that of Sleator and Tarjan, "Self-Adjusting Binary Search Trees" (JACM
// 1985). Jones, "An Empirical Comparison of Priority-Queue and Event-Set Implementations" (CACM
// 29(4), 1986), found it the fastest of eleven event sets but for a few distributions, and
// simulators took it over. What is different here:
//
//   - Schedule splits the tree at the deadline, top down and in one pass. The new timer becomes
//     the root, with the parts on both sides. So timers that come in order cost O(1) each.
//   - The leftmost timer is remembered. Pop takes it out where it is and splays nothing: what
//     Jones' dequeue does on the way down the left side is not needed if no way is gone.
//   - Cancel finds its timer by the ID. So it joins the two trees below it in its place, and
//     splays nothing above.
//   - Nodes are in one array and link to each other by 4-byte index, 24 bytes a timer and
//     nothing in them for the garbage collector.
//
// Costs, for n pending timers: Schedule, Reschedule, Cancel and Pop O(log n) amortised, Next
// O(1). One call may cost O(n): the tree may be n deep. No operation is recursive.
//
// Work counts Comparisons: one for each time that two deadlines are compared.
//
// Ties. Equal deadlines fire in the order in which they were scheduled or rescheduled.
//
// Pick it where deadlines come nearly in order, or near one another, if a long call now and then
// does no harm, and equal deadlines must fire in order. Otherwise pick btree, or rbtree where
// each call must be short.
package splay

import (
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/option"
	"github.com/timerbench/timerbench/structures/internal/slab"
	"github.com/timerbench/timerbench/structures/internal/slotted"
)

var _ structures.Scheduler[int] = (*Tree[int])(nil)

// An Option sets up a Tree.
type Option func(*option.Room)

// Capacity reserves room for n timers, so that none of the first n allocates. It is
// no limit. New panics unless n is from 0 to 2^32-2. The default is 0.
func Capacity(n int) Option { return option.Capacity("splay", n, slab.MaxCapacity) }

// Tree is a splay tree of timers with values of type T. Make it with New. It keeps the
// contract of structures.Scheduler, and is for one goroutine at a time.
type Tree[T any] struct{ scheduler[T] }

type scheduler[T any] = slotted.Scheduler[T, core, *core]

// New returns an empty tree whose clock is at tick 0. It panics when an option is invalid.
func New[T any](opts ...Option) *Tree[T] {
	n := option.Apply(option.Room{}, opts).Capacity
	return &Tree[T]{slotted.New[T](core{nodes: make([]node, 1, n+1)}, n)}
}
