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

func TestConformance(t *testing.T) {
	whitebox.Suite(t, "octheap", maxLen,
		func(n int) structures.Scheduler[uint64] { return New[uint64](Capacity(n)) },
		func() structures.Scheduler[*schedtest.Payload] { return New[*schedtest.Payload]() })
}

func FuzzModel(f *testing.F) {
	schedtest.Fuzz(f, func() structures.Scheduler[uint64] { return New[uint64]() })
}

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
	_, c := slotted.Parts(&h.scheduler)
	for i := range 5000 {
		h.Schedule(structures.Tick(i), 0)
		first := dary.Child(arity, root+i/arity/arity)
		if first < len(c.keys) && uintptr(unsafe.Pointer(&c.keys[first]))%64 != 0 {
			t.Fatalf("among %d timers the children at %d begin within a line", i+1, first)
		}
	}
}

// The comparisons are counted by hand. Beside each step is the heap after it.
func TestWorkCountsEveryComparison(t *testing.T) {
	h := New[int]()
	n := whitebox.NewNamed(h)
	whitebox.CountsComparisons(t, h, []whitebox.Step{
		{"schedule in order", func() { n.Schedule(10, 20, 30, 40, 50, 60, 70, 80, 90) }, 8}, // 10, below it 20 to 90
		{"schedule below 20", func() { n.Schedule(100) }, 1},
		{"schedule before all", func() { n.Schedule(5) }, 2},            // 5, below it 10 30 to 90, below 10 100 20
		{"move a leaf to later", func() { n.Move(90, 95) }, 1},          // nothing is below it
		{"move the root to later", func() { n.Move(5, 25) }, 1 + 8 + 2}, // 10, below it 20 30 to 95, below 20 100 25
		{"pop nothing", func() { h.Pop(9); h.Next() }, 0},
		{"pop", func() { h.Pop(10) }, 8 + 1}, // 25 goes down from the root, and stays above 100
		{"cancel the last", func() { n.Cancel(100) }, 0},
	})
}

func TestCheckInvariantsNamesWhatIsBroken(t *testing.T) {
	nine := func() *scheduler[int] { return &whitebox.Nine(New[int]()).scheduler }
	whitebox.FindsDamageToQueue(t, nine, map[string]func(*core){
		"order": func(c *core) { c.keys[root] = 99 },
		"index": func(c *core) { c.at[c.slots[root]]++ },
		"slot":  func(c *core) { c.slots[root] = 99 },
		"twice": func(c *core) { c.slots[root+1] = c.slots[root] },
		"lost":  func(c *core) { c.keys = c.keys[:len(c.keys)-1] },
	})
}
