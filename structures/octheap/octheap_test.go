package octheap

import (
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/dary"
	"github.com/timerbench/timerbench/structures/internal/slotted"
	"github.com/timerbench/timerbench/structures/internal/whitebox"
	"github.com/timerbench/timerbench/structures/schedtest"
)

func TestConformance(t *testing.T) { whitebox.Suite(t, New[uint64], New[*schedtest.Payload], Capacity) }

func FuzzModel(f *testing.F) { whitebox.Fuzz(f, New[uint64]) }

func TestEarliestOfEight(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 10_000 {
		var k [arity]structures.Tick
		for i := range k {
			k[i] = structures.Tick(rng.IntN(6))
		}
		if got, want := k[earliest(&k)], slices.Min(k[:]); got != want {
			t.Fatalf("of %d the earliest is %d, want %d", k, got, want)
		}
	}
}

// The eight children of a node fill one cache line, however much the arrays have grown.
func TestChildrenFillALine(t *testing.T) {
	h := New[int]()
	_, c := slotted.Parts(&h.Scheduler)
	for i := range 5000 {
		h.Schedule(structures.Tick(i), 0)
		first := dary.Child(arity, root+i/arity/arity)
		if first < len(c.keys) && uintptr(unsafe.Pointer(&c.keys[first]))%64 != 0 {
			t.Fatalf("among %d timers the children at %d begin within a line", i+1, first)
		}
	}
}
