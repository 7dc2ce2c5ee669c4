// Package rbtree keeps timers in a red-black tree, as nginx does for its event timers and Linux
// for its high-resolution ones (hrtimer).
//
// Pedigree. The tree of Guibas and Sedgewick, deadlines in order from left to right. Like
// Linux's rb_root_cached it remembers the leftmost node. What is different here:
//
//   - Nodes are in one array and link by 4-byte index. A node holds what a search reads, 16
//     bytes: colours are in the links, and parents are an array of their own.
//   - The rightmost node is remembered, too: timers that come in order are placed with one
//     comparison.
//   - Mirrored cases are one: a node's children are an array indexed by side.
//
// Costs, for n timers: Schedule and Reschedule O(log n), at most 2 log2(n+1) + 1 comparisons,
// and O(1) amortised for a deadline not before any other; Cancel and Pop O(log n) at worst,
// O(1) on average and without a comparison; Next O(1). 20 bytes a timer beside the value and
// its ID.
//
// Work counts Comparisons of two deadlines, always to place a timer.
//
// Ties. FIFO, by the last Schedule or Reschedule.
//
// Pick it for exact order with FIFO ties, a logarithmic bound on every single operation, and
// many timers that are cancelled or moved far before they fire. A heap is smaller when most
// fire.
package rbtree

import (
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/option"
	"github.com/timerbench/timerbench/structures/internal/slotted"
)

var _ structures.Scheduler[int] = (*Tree[int])(nil)

// An Option sets up a Tree.
type Option func(*option.Room)

// Capacity reserves room for n timers, from 0, the default, to 2^31-1. It is no limit.
func Capacity(n int) Option { return option.Capacity("rbtree", n, maxLen) }

// Tree is a red-black tree of timers with values of type T. Make it with New.
type Tree[T any] struct{ scheduler[T] }

type scheduler[T any] = slotted.Scheduler[T, core, *core]

// New returns an empty tree at tick 0. It panics if an option is invalid.
func New[T any](opts ...Option) *Tree[T] {
	n := option.Apply(option.Room{}, opts).Capacity
	return &Tree[T]{slotted.New[T](newCore(n), n)}
}
