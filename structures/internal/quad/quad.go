// Package quad is what 4-ary heaps in an array share: the indexes of parents and
// children, the alignment of the array to cache lines, and the choice of the earliest
// of four children. A heap that records other things about an entry that moves than its
// place sifts by itself. Heap is the one that records the place: quadheap is made of it,
// and structures keep in it what their lists and slots do not take.
//
// The layout is that of libev: a cache line of 64 bytes holds four entries of 16,
// and the root is at index 3, so that the children of every node begin at a
// multiple of four, where a line begins:
//
//	index    0 1 2    3     4 5 6 7   8 .. 11   12 .. 15   16 .. 19   20 .. 23
//	holds   nothing  root   its four  those of  those of   those of   those of
//	                        children     4         5          6          7
package quad

import (
	"math/bits"

	"github.com/timerbench/timerbench/structures"
)

// Arity is the number of children a node has; Root is the index of the root.
const (
	Arity = 4
	Root  = Arity - 1
)

// Parent returns the index of the parent of i, which is not the root.
func Parent(i int) int { return i/Arity + 2 }

// Child returns the index of the first of the four children of i.
func Child(i int) int { return (i - 2) * Arity }

// ReadAhead returns the index of a first child before which it pays to read the
// children of it and of its three siblings, a line for each, before it is known which
// of the four comes first: the lines of two levels then arrive from memory together.
// It is 0 for heaps of up to 128 kB, which are in the second-level cache.
func ReadAhead(length int) int {
	if length <= 1<<13 {
		return 0
	}
	return length/Arity - Arity
}

// New returns an empty heap, of length Root, with room for indexes below n. With
// an E of 16 bytes it begins at a cache line: the runtime aligns blocks of 64 bytes or
// more whose size is a power of two.
func New[E any](n int) []E {
	return make([]E, Root, 1<<bits.Len(uint(max(n, Arity)-1)))
}

// Grow returns heap with twice the room. The sizes that append chooses are not
// powers of two.
func Grow[E any](heap []E) []E {
	return append(New[E](2*cap(heap)), heap[Root:]...)
}

// Earliest returns which of four deadlines comes first, 0 to 3, with three
// comparisons and no branch, as no predictor guesses the outcome. The last line
// chooses between l and r by arithmetic, since the compiler makes a branch of an if
// there.
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
