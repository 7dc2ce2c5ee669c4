package paged

import (
	"math"
	"testing"
	"unsafe"
)

func TestPagesHoldAsManyElementsAsFit(t *testing.T) {
	for size, want := range map[uintptr]int{1: 16, 2: 15, 24: 12, pageBytes / 2: 1, pageBytes/2 + 1: 0, pageBytes: 0, 10 * pageBytes: 0} {
		if got := lenBits(pageBytes, size); got != want {
			t.Errorf("2^%d elements of %d bytes on a page, want 2^%d", got, size, want)
		}
	}
}

// Elements keep what they hold while the array grows. Only those of the first page move,
// and only while it is the only one.
func TestElementsSurviveGrowth(t *testing.T) {
	a := ArrayOf[[3]uint64]()
	full := uint32(1) << lenBits(pageBytes, unsafe.Sizeof([3]uint64{}))
	var at []*[3]uint64
	for i := range 3*full + 5 {
		if got := a.Take(); got != i || a.Fresh != i+1 || a.Room < i+1 {
			t.Fatalf("Take() = %d with %d handed out and room for %d, want %d", got, a.Fresh, a.Room, i)
		}
		a.At(i)[1] = uint64(i)
		if i >= full {
			at = append(at, a.At(i))
		}
	}
	for i := range a.Fresh {
		if a.At(i)[1] != uint64(i) {
			t.Fatalf("element %d holds %d", i, a.At(i)[1])
		}
		if i >= full && a.At(i) != at[i-full] {
			t.Fatalf("element %d has moved", i)
		}
	}
}

// Indexes do not repeat.
func TestIndexesDoNotRepeat(t *testing.T) {
	const full = math.MaxUint32 &^ (1<<13 - 1) // all but the last page
	a := ArrayOf[uint64]()
	a.Room, a.Fresh = full, full
	defer func() {
		if recover() == nil {
			t.Errorf("element %d was handed out", a.Fresh)
		}
	}()
	a.Take()
}
