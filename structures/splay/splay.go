// Package splay keeps timers in a splay tree, the classic of simulation: a search tree that
// balances itself by the way in which it is used.
//
// Pedigree. Sleator and Tarjan, "Self-Adjusting Binary Search Trees" (JACM 1985). Jones (CACM
// 29(4), 1986) found it the fastest of eleven event sets but for a few distributions. What is
// different here:
//
//   - Schedule splits the tree at the deadline, top down, and the new timer becomes the root.
//     So timers that come in order cost O(1) each.
//   - The leftmost timer is remembered. Pop takes it out where it is and splays nothing.
//   - Cancel joins the two trees below its timer in its place, and splays nothing above.
//   - Nodes are in one array and link by 4-byte index.
//
// Costs, for n timers: Schedule, Reschedule, Cancel and Pop O(log n) amortised, Next O(1). One
// call may cost O(n), as the tree may be n deep. Nothing is recursive. 24 bytes a timer beside
// the value and its ID.
//
// Work counts Comparisons of two deadlines.
//
// Ties. FIFO, by the last Schedule or Reschedule.
//
// Pick it where deadlines come nearly in order, or near one another, if a long call now and
// then does no harm. Otherwise pick btree, or rbtree where each call must be short.
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

// Capacity reserves room for n timers, from 0, the default, to 2^32-2. It is no limit.
func Capacity(n int) Option { return option.Capacity("splay", n, slab.MaxCapacity) }

// Tree is a splay tree of timers with values of type T. Make it with New.
type Tree[T any] struct{ scheduler[T] }

type scheduler[T any] = slotted.Scheduler[T, core, *core]

// New returns an empty tree at tick 0. It panics if an option is invalid.
func New[T any](opts ...Option) *Tree[T] {
	n := option.Apply(option.Room{}, opts).Capacity
	return &Tree[T]{slotted.New[T](core{nodes: make([]node, 1, n+1)}, n)}
}
