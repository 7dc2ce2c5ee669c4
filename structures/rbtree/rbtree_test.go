package rbtree

import (
	"testing"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/schedtest"
)

func TestConformance(t *testing.T) {
	schedtest.Run(t, func() structures.Scheduler[uint64] { return New[uint64]() }, schedtest.FIFO())
}

func TestRelease(t *testing.T) {
	schedtest.Releases(t, func() structures.Scheduler[*schedtest.Payload] { return New[*schedtest.Payload]() })
}

func FuzzAgainstModel(f *testing.F) {
	schedtest.Fuzz(f, func() structures.Scheduler[uint64] { return New[uint64]() }, schedtest.FIFO())
}

func TestWorkCountsComparisons(t *testing.T) {
	tree := New[string]()
	var work structures.Work
	want := func(comparisons uint64, what string) {
		t.Helper()
		now := tree.Work()
		if got := now.Sub(work); got != (structures.Work{Comparisons: comparisons}) {
			t.Errorf("%s: work %+v, want %d comparisons", what, got, comparisons)
		}
		work = now
	}
	a := tree.Schedule(10, "a")
	want(0, "the first timer")
	b := tree.Schedule(20, "b")
	want(1, "at the end: with the last")
	tree.Schedule(20, "c")
	want(1, "at the end, equal: with the last")
	// b is the root now, a its left child, c its right child.
	tree.Schedule(15, "d")
	want(3, "with the last, the root and a")
	tree.Reschedule(b, 5)
	// d is the root now, a its left child, c its right child.
	want(3, "with the last, the root and a")
	tree.Reschedule(b, 12)
	want(3, "with the last, the root and a")
	tree.Reschedule(b, 15)
	want(3, "with the last, the root and c")
	tree.Cancel(a)
	tree.Next()
	tree.Pop(100)
	want(0, "removal")
}

func TestCapacity(t *testing.T) {
	schedtest.Capacity(t, "rbtree", maxLen, func(n int) structures.Scheduler[uint64] { return New[uint64](Capacity(n)) })
}
