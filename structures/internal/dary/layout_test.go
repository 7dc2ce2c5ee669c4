package dary

import (
	"math"
	"slices"
	"testing"
	"unsafe"

	"github.com/timerbench/timerbench/structures"
)

func TestParentAndChildAgree(t *testing.T) {
	for _, arity := range []int{2, 4} {
		next := arity // where the children of the node before end
		for i := arity - 1; i < 5000; i++ {
			if Child(arity, i) != next {
				t.Fatalf("Child(%d, %d) = %d, want %d", arity, i, Child(arity, i), next)
			}
			for ; next < Child(arity, i)+arity; next++ {
				if Parent(arity, next) != i {
					t.Fatalf("Parent(%d, %d) = %d, want %d", arity, next, Parent(arity, next), i)
				}
			}
		}
	}
}

// down reads up to 4 far + 7 in a binary heap, and to 4 far + 4 in a 4-ary one.
func TestWhatIsReadAheadIsThere(t *testing.T) {
	for _, length := range []int{Root, 10, 1 << 13} {
		if far := ReadAhead(length); far != 0 {
			t.Errorf("ReadAhead(%d) = %d, want 0", length, far)
		}
	}
	for length := 1<<13 + 1; length < 1<<13+100; length++ {
		if last := 4*(ReadAhead(length)-1) + 7; last >= length || last < length-20 {
			t.Errorf("ReadAhead(%d): the last read is at %d", length, last)
		}
	}
}

// pair is of the size that the layout is made for.
type pair struct{ a, b uint64 }

func TestChildrenShareACacheLine(t *testing.T) {
	aligned := func(heap []pair) bool {
		return uintptr(unsafe.Pointer(unsafe.SliceData(heap)))%64 == 0 && Child(4, Root)%4 == 0
	}
	for n := range 300 {
		if heap := New[pair](n); !aligned(heap) || cap(heap) < n || len(heap) != Root {
			t.Fatalf("New(%d) has length %d, room for %d, aligned is %t", n, len(heap), cap(heap), aligned(heap))
		}
	}
	for heap := New[pair](0); cap(heap) < 1<<16; {
		room := cap(heap)
		for len(heap) < room {
			heap = append(heap, pair{uint64(len(heap)), 0})
		}
		heap = Grow(heap)
		if !aligned(heap) || cap(heap) != 2*room || len(heap) != room {
			t.Fatalf("grown from %d: length %d, room for %d, aligned is %t", room, len(heap), cap(heap), aligned(heap))
		}
		for i := Root; i < room; i++ {
			if heap[i].a != uint64(i) {
				t.Fatalf("grown from %d: entry %d was %d", room, i, heap[i].a)
			}
		}
	}
}

func TestEarliestOfFour(t *testing.T) {
	ticks := []structures.Tick{math.MinInt64, -1, 0, 1, math.MaxInt64}
	for _, a := range ticks {
		for _, b := range ticks {
			for _, c := range ticks {
				for _, d := range ticks {
					four := []structures.Tick{a, b, c, d}
					if got := Earliest(a, b, c, d); got < 0 || got > 3 || four[got] != slices.Min(four) {
						t.Fatalf("Earliest of %d = %d", four, got)
					}
				}
			}
		}
	}
}
