// Package btree keeps timers in a B+-tree whose nodes are made for cache lines.
//
// Pedigree. The B+-tree is the one of databases (Bayer and McCreight 1972), with nodes of a
// few cache lines as in main memory (Rao and Ross 2000). What is different here:
//
//   - A node has 32 keys in four lines, and a search compares 11 of them: the last key of
//     three lines, then all keys of one line. It takes no branch, so the lines of a node are
//     loaded at the same time. Rao and Ross keep a node in one line, and its children side
//     by side to save their links; here a child has a number of 4 bytes, and no children are
//     copied when a node splits.
//   - There is no sequence number. A search ends behind all timers up to its deadline, and a
//     removal needs no search: each timer knows its leaf, each node its parent.
//   - The first leaf is known, and a timer that fires there moves no other.
//   - Timers that come are collected and settle 32 at a time. They go down the tree together,
//     so that they do not wait for their cache misses one after the other. One that is
//     cancelled before costs no search. A Pop at which one of them is due settles all.
//   - Two neighbours with 12 entries or fewer each are merged, and the first leaf is left
//     alone until it is empty. Timers that come in order fill their nodes.
//
// Costs, for n pending timers: Schedule O(log n), but 32 at a time, so that one call of 32
// is as long as 32 searches; O(1) for a deadline that is not before any other. Cancel O(1)
// amortised, moving up to 31 entries of a leaf; Reschedule as Cancel and Schedule; Pop O(1)
// amortised; Next O(1), and exact. 23 to 28 bytes a timer beside the value and its ID with
// deadlines at random, which fill about 20 of 32 entries, and 70 at worst. It allocates only
// while it has more nodes in use than ever before.
//
// Work counts Comparisons: deadlines compared to find the place of a timer, in a node, with
// the last timer, or with the other arrivals.
//
// Ties. FIFO. Of equal deadlines the one scheduled first fires first, and a
// rescheduled timer goes behind its equals.
//
// Pick it for exact order with FIFO ties among 10,000 timers and more that are due at
// different ticks: it is the fastest tree there, 2 to 7 times as fast as google/btree and
// 1.1 to 5 times as fast as package rbtree. Where many timers share a tick, package ebtree is
// faster. Package quadheap is faster where ties may come in any order, and package hwheel
// where there are very many timers. Package rbtree has the better bound on a single call.
package btree

import (
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/option"
	"github.com/timerbench/timerbench/structures/internal/slotted"
)

var _ structures.Scheduler[int] = (*Tree[int])(nil)

// An Option sets up a Tree.
type Option func(*option.Room)

// Capacity reserves room for n timers, so that none of the first n allocates. It is
// no limit. New panics unless n is from 0 to 2^32-2. The default is 0.
func Capacity(n int) Option { return option.Capacity("btree", n, maxLen) }

// Tree is a B+-tree of timers with values of type T. Make it with New. It keeps the
// contract of structures.Scheduler, and is for one goroutine at a time.
type Tree[T any] struct{ scheduler[T] }

type scheduler[T any] = slotted.Scheduler[T, core, *core]

// New returns an empty tree whose clock is at tick 0. It panics when an option is
// invalid.
func New[T any](opts ...Option) *Tree[T] {
	n := option.Apply(option.Room{}, opts).Capacity
	return &Tree[T]{slotted.New[T](newCore(n), n)}
}
