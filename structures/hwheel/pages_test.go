package hwheel

import (
	"cmp"
	"math"
	"slices"
	"testing"
	"unsafe"
)

func TestPagesKeepWhatTheyHold(t *testing.T) {
	tryPages[entry](t, chunkLen)
	tryPages[record[struct{}]](t, 1)
	tryPages[record[uint64]](t, 1)
	tryPages[[1000]byte](t, 1)
	tryPages[[firstBytes]byte](t, 1)
	tryPages[[pageBytes]byte](t, 1)
	tryPages[[pageBytes + 1]byte](t, 1)
}

// tryPages takes elements n at a time until there are four pages. They must not
// overlap, and must keep their address once the first page is full.
func tryPages[E any](t *testing.T, n uint32) {
	t.Helper()
	var p pages[E]
	var at []*E
	for len(p.page) < 4 {
		if index := p.take(n); index != uint32(len(at)) || p.room < index+n {
			t.Fatalf("%T: took element %d with room for %d, want %d", p, index, p.room, len(at))
		}
		if len(p.page) == 1 {
			at = at[:0] // it has moved, perhaps
		}
		for index := uint32(len(at)); index < p.fresh; index++ {
			at = append(at, p.at(index))
		}
	}
	for index, e := range at {
		if p.at(uint32(index)) != e {
			t.Fatalf("%T: element %d has moved", p, index)
		}
	}
	slices.SortFunc(at, func(a, b *E) int { return cmp.Compare(uintptr(unsafe.Pointer(a)), uintptr(unsafe.Pointer(b))) })
	for i, e := range at[1:] {
		if uintptr(unsafe.Pointer(e))-uintptr(unsafe.Pointer(at[i])) < unsafe.Sizeof(*e) {
			t.Fatalf("%T: two elements overlap", p)
		}
	}
}

// The first page keeps what it holds when it moves.
func TestTheFirstPageMovesWithWhatItHolds(t *testing.T) {
	var p pages[entry]
	for p.room < 2*pageBytes/8 {
		index := p.take(1)
		*p.at(index) = entry(index) + 1
		for i := range p.fresh {
			if *p.at(i) != entry(i)+1 {
				t.Fatalf("element %d holds %d once there are %d", i, *p.at(i), p.fresh)
			}
		}
		p.take(p.room - p.fresh)
		for i := index + 1; i < p.fresh; i++ {
			*p.at(i) = entry(i) + 1
		}
	}
}

func TestPagesHoldAtLeastOneElement(t *testing.T) {
	for bytes, want := range map[uintptr]int{1: 16, 2: 15, 24: 12, pageBytes / 2: 1, pageBytes/2 + 1: 0, pageBytes: 0, 10 * pageBytes: 0} {
		if got := lenBits(pageBytes, bytes); got != want {
			t.Errorf("2^%d elements of %d bytes on a page, want 2^%d", got, bytes, want)
		}
	}
}

// Indexes never come round: that would be two timers in one.
func TestIndexesNeverComeRound(t *testing.T) {
	p := pages[entry]{room: math.MaxUint32 &^ (1<<13 - 1), fresh: math.MaxUint32 &^ (1<<13 - 1)}
	p.page = make([]unsafe.Pointer, 1)
	defer func() {
		if recover() == nil {
			t.Errorf("took element %d after the last one", p.fresh)
		}
	}()
	p.take(1)
}
