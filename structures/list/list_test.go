package list

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/slab"
	"github.com/timerbench/timerbench/structures/internal/whitebox"
	"github.com/timerbench/timerbench/structures/schedtest"
)

func TestConformance(t *testing.T) {
	whitebox.Suite(t, "list", slab.MaxCapacity,
		func(n int) structures.Scheduler[uint64] { return New[uint64](Capacity(n)) },
		func() structures.Scheduler[*schedtest.Payload] { return New[*schedtest.Payload]() })
}

func FuzzAgainstModel(f *testing.F) {
	schedtest.Fuzz(f, func() structures.Scheduler[uint64] { return New[uint64]() })
}

// The scan must find the minimum at any place, in a list of any length modulo its group,
// and with equal ones around.
func TestScanFindsTheEarliest(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for n := 1; n <= 40; n++ {
		deadlines := make([]structures.Tick, n)
		for at := range n {
			for _, spread := range []int64{1, 3, math.MaxInt64} {
				for i := range deadlines {
					deadlines[i] = 2 + structures.Tick(rng.Int64N(spread))
				}
				if got, want := deadlines[scan(deadlines)], slices.Min(deadlines); got != want {
					t.Fatalf("of %d the earliest is %d, want %d", deadlines, got, want)
				}
				deadlines[at] = 1
				if got := scan(deadlines); got != at {
					t.Fatalf("the earliest of %d is number %d, want %d", deadlines, got, at)
				}
			}
		}
	}
}

// The comparisons are counted by hand. Beside each step is the list after
// it, the earliest entry in brackets if it is known.
func TestWorkCountsEveryComparison(t *testing.T) {
	l := New[int]()
	n := whitebox.NewNamed(l)
	schedule, cancel, move := n.Schedule, n.Cancel, n.Move

	whitebox.CountsComparisons(t, l, []whitebox.Step{
		{"schedule 10", func() { schedule(10) }, 0},                                               // [10]
		{"schedule 20, 30", func() { schedule(20, 30) }, 2},                                       // [10] 20 30
		{"schedule 5", func() { schedule(5) }, 1},                                                 // 10 20 30 [5]
		{"idle", func() { l.Pop(4); l.Next() }, 0},                                                // 10 20 30 [5]
		{"pop 5", func() { l.Pop(5) }, 0},                                                         // 10 20 30
		{"schedule 40 without knowing the first", func() { schedule(40) }, 0},                     // 10 20 30 40
		{"pop nothing: a scan of 4", func() { l.Pop(6) }, 3},                                      // [10] 20 30 40
		{"pop nothing again", func() { l.Pop(7); l.Pop(8) }, 0},                                   // [10] 20 30 40
		{"cancel another", func() { cancel(20) }, 0},                                              // [10] 40 30
		{"cancel a stale ID", func() { cancel(20) }, 0},                                           // [10] 40 30
		{"move 40 to 35", func() { move(40, 35) }, 1},                                             // [10] 35 30
		{"move 30 to 9", func() { move(30, 9) }, 1},                                               // 10 35 [9]
		{"move 9 to 8", func() { move(9, 8) }, 1},                                                 // 10 35 [8]
		{"cancel 10: the first takes its place", func() { cancel(10) }, 0},                        // [8] 35
		{"next", func() { l.Next() }, 0},                                                          // [8] 35
		{"move 8 to 50", func() { move(8, 50) }, 1},                                               // 50 35
		{"move 50 to 60 without knowing the first", func() { move(50, 60) }, 0},                   // 60 35
		{"next: a scan of 2", func() { l.Next() }, 1},                                             // 60 [35]
		{"cancel 35", func() { cancel(35) }, 0},                                                   // 60
		{"next: a scan of 1", func() { l.Next() }, 0},                                             // [60]
		{"schedule 12 more", func() { schedule(1, 2, 3, 4, 11, 12, 13, 14, 15, 16, 17, 18) }, 12}, // all past: at 9
		{"pop two: a scan of 12", func() { l.Pop(70); l.Pop(70) }, 11},
	})
}

func TestCheckInvariantsNamesWhatIsBroken(t *testing.T) {
	nine := func() *List[int] { return whitebox.Nine(New[int]()) }
	whitebox.FindsDamage(t, nine, map[string]func(*List[int]){
		"earliest":  func(l *List[int]) { l.core.earliest = 1 },
		"range":     func(l *List[int]) { l.core.earliest = 9 },
		"place":     func(l *List[int]) { l.core.place[l.core.slots[1]]++ },
		"slot":      func(l *List[int]) { l.core.slots[1] = 99 },
		"freed":     func(l *List[int]) { l.table.Put(0); l.table.Free(3) },
		"deadlines": func(l *List[int]) { l.core.deadlines = l.core.deadlines[:8] },
		"length":    func(l *List[int]) { l.core.remove(2) },
		"table":     func(l *List[int]) { l.table.Put(0) },
	})
}
