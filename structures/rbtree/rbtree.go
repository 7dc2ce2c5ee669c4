// Package rbtree keeps timers in a red-black tree, as nginx does for its event
// timers and Linux for its high-resolution ones (hrtimer).
//
// Pedigree. The tree is the one of Guibas and Sedgewick, deadlines in order from left
// to right. Like Linux's rb_root_cached it remembers the leftmost node, so that
// Next never walks. What is different here:
//
//   - Nodes are in one array and link to each other by 4-byte index, with nothing in
//     them for the garbage collector.
//   - A node holds what a search reads and no more: colours are in the links, and
//     parents are an array of their own.
//   - The rightmost node is remembered, too, so that timers scheduled in order of their
//     deadlines (one timeout for all) are placed with a single comparison.
//   - Mirrored cases are one case: a node's children are an array indexed by side.
//
// Costs, for n pending timers: Schedule and Reschedule O(log n), at most
// 2 log2(n+1) + 1 comparisons, and O(1) amortised for a deadline that is not before any
// other; Cancel O(log n) at worst and O(1) on average over the timers, without a
// comparison or a search; Pop O(log n) at worst and O(1) amortised; Next O(1).
// Rebalancing takes at most two rotations to schedule and three to cancel. 20 bytes a
// timer beside the value and its ID.
//
// Work counts Comparisons: one for each time that two deadlines are compared, always to
// place a timer.
//
// Ties. FIFO. Of equal deadlines the one scheduled first fires first, and a
// rescheduled timer goes behind its equals.
//
// Pick it for exact order with FIFO ties, a logarithmic bound on every single
// operation, and many timers that are cancelled or moved far before they fire.
// A heap is smaller when most timers fire and ties may come in any order; a timer wheel
// schedules in O(1) when n is very large.
package rbtree

import (
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/option"
	"github.com/timerbench/timerbench/structures/internal/slotted"
)

var _ structures.Scheduler[int] = (*Tree[int])(nil)

// An Option sets up a Tree.
type Option func(*option.Room)

// Capacity reserves room for n timers, so that none of the first n allocates. It is
// no limit. New panics unless n is from 0 to 2^31-1. The default is 0.
func Capacity(n int) Option { return option.Capacity("rbtree", n, maxLen) }

// Tree is a red-black tree of timers with values of type T. Make it with New. It keeps
// the contract of structures.Scheduler, and is for one goroutine at a time.
type Tree[T any] struct{ scheduler[T] }

type scheduler[T any] = slotted.Scheduler[T, core, *core]

// New returns an empty tree whose clock is at tick 0. It panics when an option is
// invalid.
func New[T any](opts ...Option) *Tree[T] {
	n := option.Apply(option.Room{}, opts).Capacity
	return &Tree[T]{slotted.New[T](newCore(n), n)}
}
