// Package ebtree keeps timers in an elastic binary tree, as HAProxy does for those of its
// tasks.
//
// Pedigree. The elastic binary tree is Willy Tarreau's (2002): a binary radix tree over the
// bits of the deadline, without balancing, in which each timer is a leaf and the inner node
// above it that its insertion needed. So nothing is allocated, and removing a leaf frees the
// node that the removed timer may have had elsewhere to use. What is different here:
//
//   - Timers of one deadline are a ring, and the first of them is in the tree. HAProxy has a
//     subtree of them, in which each insertion goes down log(number)/2 nodes on average after
//     the search. At the end of a ring there is nothing to search, order is FIFO in both, and
//     removal O(1) in both.
//   - A node's label holds the bits that its deadlines share and, as its lowest bit, where
//     they differ. So a search reads 16 bytes a node, and no key of a leaf but at the end.
//   - The leftmost and the rightmost leaf are known. Next never walks, and deadlines beyond
//     either are placed from there: with one timeout for all in O(1) amortised.
//   - Links are 4-byte indexes into two arrays, one for what a search reads.
//
// Costs, for n pending timers: Schedule and Reschedule O(log n) expected, and at most one
// node for each of 63 bits in which deadlines differ; O(1) amortised for deadlines that come
// in order. Cancel O(1), but if no timer has the deadline of the first one any more, the next
// is found by walking down: O(1) expected, 62 nodes at worst. Pop as that. Next O(1). 40
// bytes a timer beside the value and its ID.
//
// Work counts Comparisons: a deadline compared with a label, or with that of a leaf.
//
// Ties. FIFO. Of equal deadlines the one scheduled first fires first, and a
// rescheduled timer goes behind its equals.
//
// Pick it for exact order with FIFO ties where many timers are due at the same ticks (one
// timeout for all, round times, coarse ticks): it was up to three times as fast as package
// rbtree there, with a bound on every single call that does not grow an array. Where
// nearly every timer has a tick of its own it is as fast as rbtree, and package btree is
// faster.
package ebtree

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
func Capacity(n int) Option { return option.Capacity("ebtree", n, maxLen) }

// Tree is an elastic binary tree of timers with values of type T. Make it with New. It
// keeps the contract of structures.Scheduler, and is for one goroutine at a time.
type Tree[T any] struct{ scheduler[T] }

type scheduler[T any] = slotted.Scheduler[T, core, *core]

// New returns an empty tree whose clock is at tick 0. It panics when an option is
// invalid.
func New[T any](opts ...Option) *Tree[T] {
	n := option.Apply(option.Room{}, opts).Capacity
	return &Tree[T]{slotted.New[T](newCore(n), n)}
}
