package minheap

import (
	"testing"

	"github.com/timerbench/timerbench/structures/internal/whitebox"
)

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
		{"schedule 10", func() { schedule(10) }, 0},                             // 10
		{"schedule 20", func() { schedule(20) }, 1},                             // 10, 20
		{"schedule 30", func() { schedule(30) }, 1},                             // 10, 20 30
		{"schedule 5", func() { schedule(5) }, 2},                               // 5, 10 30, 20
		{"pop 5", func() { h.Pop(5) }, 2},                                       // 10, 20 30
		{"pop nothing", func() { h.Pop(5) }, 0},                                 // 10, 20 30
		{"schedule 40, 50, 60", func() { schedule(40, 50, 60) }, 3},             // 10, 20 30, 40 50, 60
		{"cancel the last", func() { cancel(60) }, 0},                           // 10, 20 30, 40 50
		{"cancel 20", func() { cancel(20) }, 2},                                 // 10, 40 30, 50
		{"move 50 to 45", func() { move(50, 45) }, 2},                           // 10, 40 30, 45
		{"move 10 to 70", func() { move(10, 70) }, 3},                           // 30, 40 70, 45
		{"cancel a stale ID", func() { cancel(60) }, 0},                         // 30, 40 70, 45
		{"pop all", popAll, 3},                                                  // nothing
		{"schedule anew", func() { schedule(110, 200, 120, 210, 220, 130) }, 5}, // 110, 200 120, 210 220, 130
		{"cancel 210", func() { cancel(210) }, 3},                               // 110, 130 120, 200 220
	})
}
