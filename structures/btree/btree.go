// Package btree keeps timers in a B+-tree whose nodes are made for cache lines.
//
// Pedigree. The B+-tree of databases (Bayer and McCreight 1972), with nodes of a few lines as
// in main memory (Rao and Ross 2000). What is different here:
//
//   - A node has 32 keys in four lines, and a search compares 11 of them without a branch: the
//     last key of three lines, then all of one. So the lines of a node are loaded at the same
//     time.
//   - There is no sequence number: a search ends behind all timers up to its deadline. A
//     removal needs no search, as each timer knows its leaf and each node its parent.
//   - A timer that fires in the first leaf moves no other.
//   - Timers that come settle 32 at a time and go down the tree together, so that their cache
//     misses overlap. One that is cancelled before costs no search. A Pop at which one of them
//     is due settles all.
//   - Two neighbours with 12 entries or fewer each are merged, but not with the first leaf.
//     Timers that come in order fill their nodes.
//
// Costs, for n timers: Schedule O(log n), 32 at a time, so that one call of 32 is as long as 32
// searches; O(1) for a deadline not before any other. Cancel O(1) amortised, moving up to 31
// entries; Reschedule as both; Pop O(1) amortised; Next O(1). 23 to 28 bytes a timer beside the
// value and its ID with random deadlines, 70 at worst.
//
// Work counts Comparisons: deadlines compared in a node, with the last timer, or with the other
// arrivals.
//
// Ties. FIFO, by the last Schedule or Reschedule.
//
// Pick it for exact order with FIFO ties among 10,000 timers and more that are due at different
// ticks: 2 to 7 times as fast as google/btree there, 1.1 to 5 times as fast as rbtree. Where
// many share a tick, ebtree is faster; rbtree has the better bound on a single call.
package btree

import (
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/option"
	"github.com/timerbench/timerbench/structures/internal/slotted"
)

var _ structures.Scheduler[int] = (*Tree[int])(nil)

// An Option sets up a Tree.
type Option func(*option.Room)

// Capacity reserves room for n timers, from 0, the default, to 2^32-2. It is no limit.
func Capacity(n int) Option { return option.Capacity("btree", n, maxLen) }

// Tree is a B+-tree of timers with values of type T. Make it with New.
type Tree[T any] struct{ scheduler[T] }

type scheduler[T any] = slotted.Scheduler[T, core, *core]

// New returns an empty tree at tick 0. It panics if an option is invalid.
func New[T any](opts ...Option) *Tree[T] {
	n := option.Apply(option.Room{}, opts).Capacity
	return &Tree[T]{slotted.New[T](newCore(n), n)}
}
