// Package dary keeps timers in a heap in an array, with two or four children a node. Other heaps share its
// layout and its choice among four children.
//
// The layout is from [libev]. A cache line of 64 bytes holds four entries of 16. The root is at index 3, so
// the children of every node begin at the start of a line:
//
//	index    0 1 2    3     4 5 6 7   8 .. 11   12 .. 15   16 .. 19   20 .. 23
//	holds   nothing  root   its four  children  children   children   children
//	                        children    of 4      of 5       of 6       of 7
//
// In the binary heap the root is at index 1: the children of two siblings share a line.
//
// [libev]: https://dist.schmorp.de/libev/Attic/libev-4.33.tar.gz
package dary

import (
	"math"
	"math/bits"

	"github.com/timerbench/timerbench/structures"
)

// Root is the index of the root of a 4-ary heap. In general it is one less than the arity.
const Root = 3

// MaxLen is the largest number of entries of a 4-ary heap: places have 32 bits, and fit an int.
const MaxLen = min(1<<32, math.MaxInt) - Root

// Parent returns the index of the parent of i, which is not the root.
func Parent(arity, i int) int { return i/arity + arity - 2 }

// Child returns the index of the first child of i.
func Child(arity, i int) int { return (i - arity + 2) * arity }

// ReadAhead returns an index. For first children before that index it pays to read the lines of the level
// below, too, so that they arrive together. The heap has entries up to four times the index. The index is 0
// for heaps of up to 128 kB, which fit the second-level cache.
func ReadAhead(length int) int {
	if length <= 1<<13 {
		return 0
	}
	return length/4 - 4
}

// New returns the array of an empty 4-ary heap, with room for indexes below n. With an E of 16
// bytes it begins at a cache line, as the runtime aligns blocks of a power of two.
func New[E any](n int) []E { return make([]E, Root, 1<<bits.Len(uint(max(n, 4)-1))) }

// Grow returns heap with twice the room. append chooses other sizes than powers of two.
func Grow[E any](heap []E) []E { return append(New[E](2*cap(heap)), heap[Root:]...) }

// Earliest returns the number of the earliest of four deadlines, 0 to 3, with three comparisons and no
// branch. The last line chooses by arithmetic, because the compiler turns an if into a branch there.
func Earliest(a, b, c, d structures.Tick) int {
	l := earlier(b, a)
	r := earlier(d, c) | 2
	return l ^ (l^r)&-earlier(min(c, d), min(a, b))
}

// earlier is 1 if a comes before b, otherwise 0.
func earlier(a, b structures.Tick) int {
	if a < b {
		return 1
	}
	return 0
}
