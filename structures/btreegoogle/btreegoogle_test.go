package btreegoogle_test

import (
	"testing"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/btreegoogle"
	"github.com/timerbench/timerbench/structures/internal/checking"
	"github.com/timerbench/timerbench/structures/internal/slab"
	"github.com/timerbench/timerbench/structures/internal/whitebox"
	"github.com/timerbench/timerbench/structures/schedtest"
)

func TestConformance(t *testing.T) {
	whitebox.Suite(t, "btreegoogle", slab.MaxCapacity,
		func(n int) structures.Scheduler[uint64] { return btreegoogle.New[uint64](btreegoogle.Capacity(n)) },
		func() structures.Scheduler[*schedtest.Payload] { return btreegoogle.New[*schedtest.Payload]() }, schedtest.FIFO(), schedtest.Allocates())
}

func FuzzAgainstModel(f *testing.F) {
	schedtest.Fuzz(f, func() structures.Scheduler[uint64] { return btreegoogle.New[uint64]() }, schedtest.FIFO(), schedtest.Allocates())
}

func TestInvalidDegreePanics(t *testing.T) {
	checking.Panics(t, "btreegoogle: Degree(1): want a number from 2 to 1024", func() { btreegoogle.New[int](btreegoogle.Degree(1)) })
}

func TestWorkCountsComparisons(t *testing.T) {
	s := btreegoogle.New[int](btreegoogle.Degree(2))
	ids := map[string]structures.ID{}
	whitebox.CountsComparisons(t, s, []whitebox.Step{
		{"the first", func() { ids["a"] = s.Schedule(10, 0) }, 0},                                // a
		{"less than a? a less?", func() { ids["b"] = s.Schedule(20, 0) }, 2},                     // a b
		{"less than b? b less?", func() { ids["c"] = s.Schedule(20, 0) }, 2},                     // a b c
		{"split; less than b; less than a? a less?", func() { ids["d"] = s.Schedule(10, 0) }, 3}, // b, below a d and c
		{"less than b; less than d? d less?", func() { ids["e"] = s.Schedule(15, 0) }, 3},        // b, below a d e and c
		{"nothing due", func() { s.Next(); s.Pop(9) }, 0},
		{"pop a", func() { s.Pop(10) }, 0}, // b, below d e and c
		{"stale", func() { s.Cancel(ids["a"]); s.Reschedule(ids["a"], 1) }, 0},
		{"less than b; less than e? d? d less?", func() { s.Cancel(ids["d"]) }, 4}, // b, below e and c
		{"less than b? b less? and so with c", func() { s.Schedule(30, 0) }, 4},    // b, below e and c 30
		{"so with b, then with 30", func() { s.Schedule(40, 0) }, 4},               // b, below e and c 30 40
		{"so with b; split; with 30, then with 40", func() { s.Schedule(50, 0) }, 6},
	})
}
