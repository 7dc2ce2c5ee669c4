// Package btree keeps timers in a B+-tree whose nodes are made for cache lines.
//
// Pedigree. The B+-tree of databases (Bayer and McCreight 1972), with nodes of a few cache lines for
// main memory (Rao and Ross 2000). Differences here:
//
//   - A node has 32 keys in four lines. A search compares 11 of them without a branch: the last key
//     of three lines, then all keys of one line. So the lines of a node are loaded at the same time.
//   - There is no sequence number: a search ends after all timers with the same deadline. Removal
//     needs no search, because each timer knows its leaf and each node its parent.
//   - A timer that fires from the first leaf moves no other timer.
//   - New timers wait until there are 32, and then go down the tree together, so their cache misses overlap. A timer
//     that is cancelled before that costs no search. If one of them is due, Pop inserts all.
//   - Two neighbors with at most 12 entries each are merged, except the first leaf. Timers that come
//     in order fill their nodes.
//
// Costs, for n timers: Schedule O(log n), or O(1) for a deadline that is not before any other; one call in 32 does
// the searches for 32 timers. Cancel O(1) amortized, moving up to 31 entries. Reschedule as Cancel and Schedule. Pop
// O(1) amortized. Next O(1). With random deadlines a timer takes 23 to 28 bytes, at worst 70, plus its value and ID.
//
// Work counts Comparisons: deadlines compared in a node, with the last timer, or with the other new timers.
//
// Ties. FIFO, by the last Schedule or Reschedule.
//
// Pick it for exact order with FIFO ties among 10,000 or more timers at different ticks. There it is 2
// to 7 times as fast as [google/btree], and 1.1 to 5 times as fast as rbtree. If many timers share a
// tick, ebtree is faster. rbtree has the better bound on a single call.
//
// [google/btree]: https://github.com/google/btree/blob/v1.1.3/btree_generic.go
package btree

import (
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/option"
	"github.com/timerbench/timerbench/structures/internal/slotted"
)

var _ structures.Scheduler[int] = (*Tree[int])(nil)

// Option sets a parameter of a Tree.
type Option func(*option.Room)

// Capacity reserves room for n timers, from 0, the default, to 2^32-2. More timers grow the structure.
func Capacity(n int) Option { return option.Capacity("btree", n, maxLen) }

// Tree is a B+-tree of timers with values of type T. Make it with New.
type Tree[T any] struct{ scheduler[T] }

type scheduler[T any] = slotted.Scheduler[T, core, *core]

// New returns an empty tree at tick 0. It panics if an option is invalid.
func New[T any](opts ...Option) *Tree[T] {
	n := option.Apply(option.Room{}, opts).Capacity
	return &Tree[T]{slotted.New[T](newCore(n), n)}
}
