package quadheap

import (
	"testing"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/dary"
	"github.com/timerbench/timerbench/structures/internal/whitebox"
	"github.com/timerbench/timerbench/structures/schedtest"
)

func TestConformance(t *testing.T) {
	whitebox.Suite(t, "quadheap", dary.MaxLen,
		func(n int) structures.Scheduler[uint64] { return New[uint64](Capacity(n)) },
		func() structures.Scheduler[*schedtest.Payload] { return New[*schedtest.Payload]() })
}

func FuzzAgainstModel(f *testing.F) {
	schedtest.Fuzz(f, func() structures.Scheduler[uint64] { return New[uint64](Capacity(10)) })
}

// The comparisons are counted by hand. Beside each step is the heap after
// it, a parent with each of its groups of children in turn.
func TestWorkCountsEveryComparison(t *testing.T) {
	h := New[int]()
	n := whitebox.NewNamed(h)
	schedule, cancel, move := n.Schedule, n.Cancel, n.Move
	popAll := func() {
		for h.Len() > 0 {
			h.Pop(90)
		}
	}

	whitebox.CountsComparisons(t, h, []whitebox.Step{
		{"schedule 10", func() { schedule(10) }, 0},                         // 10
		{"schedule 20, 30, 40, 50", func() { schedule(20, 30, 40, 50) }, 4}, // 10, 20 30 40 50
		{"schedule 5", func() { schedule(5) }, 2},                           // 5, 10 30 40 50, 20
		{"pop 5", func() { h.Pop(5) }, 4},                                   // 10, 20 30 40 50
		{"pop nothing", func() { h.Pop(5) }, 0},                             // 10, 20 30 40 50
		{"cancel the last", func() { cancel(50) }, 0},                       // 10, 20 30 40
		{"cancel 10", func() { cancel(10) }, 3},                             // 20, 40 30
		{"move 30 to 25", func() { move(30, 25) }, 2},                       // 20, 40 25
		{"move 20 to 70", func() { move(20, 70) }, 3},                       // 25, 40 70
		{"cancel a stale ID", func() { cancel(50) }, 0},                     // 25, 40 70
		{"pop all", popAll, 1},                                              // nothing
		{"schedule anew", func() { schedule(110, 120, 200, 121, 122, 130, 131, 132, 133, 210, 211, 212, 213, 140) }, 13}, // 110, 120 200 121 122, 130 131 132 133, 210 211 212 213, 140
		{"cancel 210", func() { cancel(210) }, 3}, // 110, 120 140 121 122, 130 131 132 133, 200 211 212 213
	})
}
