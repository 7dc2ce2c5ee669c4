package hwheel

import (
	"math"
	"testing"

	"github.com/timerbench/timerbench/structures"
)

func TestStateHoldsGenerationLocationAndVersion(t *testing.T) {
	for _, generation := range []uint32{0, 1, 2, math.MaxUint32 - 1, math.MaxUint32} {
		for _, location := range []state{inSlot, staged, inArrivals, inArrivals | (arrivalsLen-1)<<locationShift} {
			for _, version := range []uint16{0, 1, math.MaxUint16} {
				s := state(generation) | location | state(version)<<48
				position := 0
				if location&inArrivals != 0 {
					position = int(location &^ inArrivals >> locationShift)
				}
				if s.generation() != generation || s.location() != location || s.version() != version || s.position() != position {
					t.Fatalf("%#x: generation %d, location %#x, position %d, version %d", s, s.generation(), s.location(), s.position(), s.version())
				}
				if want := generation%2 == 1 && location == inSlot; s.pendingInSlot() != want {
					t.Fatalf("%#x: pendingInSlot() = %t", s, !want)
				}
				if next := s + nextVersion; next.version() != version+1 || next.generation() != generation || next.location() != location {
					t.Fatalf("%#x: the next version gives %#x", s, next)
				}
				if last := generation == math.MaxUint32; (s + nextGeneration).exhausted() != last {
					t.Fatalf("%#x: exhausted after it: %t", s, !last)
				}
			}
		}
	}
	if state(0).exhausted() {
		t.Error("a new record is exhausted")
	}
}

func TestEntryHoldsIndexVersionAndDeadline(t *testing.T) {
	for _, index := range []uint32{0, 1, 1 << 31, math.MaxUint32} {
		for _, version := range []uint16{0, 1, 1 << 8, 1 << 15, math.MaxUint16} {
			for _, deadline := range []structures.Tick{0, 1, 255, 256, 1<<16 - 1, 1 << 16, 1 << 40, math.MaxInt64} {
				e := newEntry(index, version, deadline)
				if e.index() != index || e.version() != version || uint16(e) != uint16(deadline) {
					t.Fatalf("the entry of %d, %d, %d is %#x", index, version, deadline, e)
				}
			}
		}
	}
}

func TestPagesHoldAsManyElementsAsFit(t *testing.T) {
	for size, want := range map[uintptr]int{1: 16, 2: 15, 24: 12, pageBytes / 2: 1, pageBytes/2 + 1: 0, pageBytes: 0, 10 * pageBytes: 0} {
		if got := lenBits(pageBytes, size); got != want {
			t.Errorf("2^%d elements of %d bytes on a page, want 2^%d", got, size, want)
		}
	}
}

// Indexes do not repeat: that would be two timers in one record.
func TestIndexesDoNotRepeat(t *testing.T) {
	const full = math.MaxUint32 &^ (1<<13 - 1) // all but the last page of entries
	p := pages[entry]{room: full, fresh: full}
	p.add(0)
	defer func() {
		if recover() == nil {
			t.Errorf("element %d was handed out", p.fresh)
		}
	}()
	p.take(1)
}
