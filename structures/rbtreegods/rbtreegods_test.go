package rbtreegods_test

import (
	"testing"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/slab"
	"github.com/timerbench/timerbench/structures/internal/whitebox"
	"github.com/timerbench/timerbench/structures/rbtreegods"
	"github.com/timerbench/timerbench/structures/schedtest"
)

func TestConformance(t *testing.T) {
	whitebox.Suite(t, "rbtreegods", slab.MaxCapacity,
		func(n int) structures.Scheduler[uint64] { return rbtreegods.New[uint64](rbtreegods.Capacity(n)) },
		func() structures.Scheduler[*schedtest.Payload] { return rbtreegods.New[*schedtest.Payload]() }, schedtest.FIFO(), schedtest.Allocates())
}

func FuzzAgainstModel(f *testing.F) {
	schedtest.Fuzz(f, func() structures.Scheduler[uint64] { return rbtreegods.New[uint64]() }, schedtest.FIFO(), schedtest.Allocates())
}

func TestWorkCountsComparisons(t *testing.T) {
	s := rbtreegods.New[int]()
	ids := map[string]structures.ID{}
	whitebox.CountsComparisons(t, s, []whitebox.Step{
		{"the first: with itself", func() { ids["a"] = s.Schedule(10, 0) }, 1},            // a
		{"with a", func() { ids["b"] = s.Schedule(20, 0) }, 1},                            // a, b right of it
		{"with a and b", func() { ids["c"] = s.Schedule(20, 0) }, 2},                      // b, a and c below
		{"with b and a", func() { ids["d"] = s.Schedule(10, 0) }, 2},                      // d right of a
		{"find c: b, c; then with d and b", func() { s.Reschedule(ids["c"], 15) }, 2 + 2}, // d moved up: d, a and b below, c left of b
		{"find a: d, a", func() { s.Cancel(ids["a"]) }, 2},                                // c moved up: c, d and b below
		{"stale", func() { s.Cancel(ids["a"]); s.Reschedule(ids["a"], 1) }, 0},
		{"nothing due", func() { s.Next(); s.Pop(9) }, 0},
		{"find d: c, d", func() { s.Pop(10) }, 2},
	})
}

// AllocsPerRun runs the function once more than it is told to.
func TestScheduleAllocates(t *testing.T) {
	const n = 1000
	s := rbtreegods.New[int](rbtreegods.Capacity(2*n + 1))
	ids := make([]structures.ID, 0, n+1)
	for i := range n + 1 {
		ids = append(ids, s.Schedule(structures.Tick(i+1), i))
	}
	for _, id := range ids {
		s.Cancel(id)
	}
	i := 0
	if got := testing.AllocsPerRun(n, func() { i++; s.Schedule(structures.Tick(i*7919%n), i) }); got != 1 {
		t.Errorf("%v allocations a Schedule in slots that were used before, want 1", got)
	}
}
