package rbtreegods_test

import (
	"testing"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/whitebox"
	"github.com/timerbench/timerbench/structures/rbtreegods"
	"github.com/timerbench/timerbench/structures/schedtest"
)

func TestConformance(t *testing.T) {
	whitebox.Suite(t, rbtreegods.New[uint64], rbtreegods.New[*schedtest.Payload], rbtreegods.Capacity, schedtest.FIFO(), schedtest.Allocates())
}

func FuzzAgainstModel(f *testing.F) {
	whitebox.Fuzz(f, rbtreegods.New[uint64], schedtest.FIFO(), schedtest.Allocates())
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
