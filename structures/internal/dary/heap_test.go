package dary

import (
	"testing"
	"unsafe"

	"github.com/timerbench/timerbench/structures"
)

// 16 bytes, or 12 where the machine has 32 bits and does not align a tick.
func TestAnEntryIsADeadlineAndASlot(t *testing.T) {
	if got, want := unsafe.Sizeof(entry{}), 8+unsafe.Alignof(structures.Tick(0)); got != want {
		t.Fatalf("an entry takes %d bytes, want %d", got, want)
	}
}

func TestAHeapStaysAligned(t *testing.T) {
	if unsafe.Sizeof(entry{}) != 16 {
		t.Skip("a cache line does not hold a whole number of entries of 12 bytes")
	}
	aligned := func(c *Quad) bool { return uintptr(unsafe.Pointer(&c.entries[0]))%64 == 0 }
	for n := range 300 {
		if c := NewQuad(n); !aligned(&c) {
			t.Fatalf("Capacity(%d): children do not begin at a cache line", n)
		}
	}
	c := NewQuad(0)
	for n := range 100_000 {
		if room := cap(c.entries); room > max(2*(n+Root), 4) {
			t.Fatalf("%d timers: room for %d entries, want at most twice as many", n, room)
		}
		if !aligned(&c) {
			t.Fatalf("%d timers: children do not begin at a cache line", n)
		}
		c.Add(uint32(n+1), structures.Tick(n))
	}
}

// A structure whose heap takes timers only at times must not seem to allocate all the time.
func TestAHeapThatFirstMeetsAFarSlotGrowsAtOnce(t *testing.T) {
	if got := testing.AllocsPerRun(1, func() {
		h := NewQuad(0)
		h.Add(100_000, 1)
	}); got > 4 {
		t.Errorf("%v allocations", got)
	}
}
