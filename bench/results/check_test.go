package results

import (
	"slices"
	"testing"

	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/internal/fail"
)

// checked is a cell in which all that is known of a cost agrees.
func checked() *Run {
	c := Cell{Workload: "hold", N: 10, Unit: script.PerLifecycle}
	for i, name := range []string{"minheap", "hwheel", "rbtree", "list"} {
		row := Row{Structure: name, Role: RoleStructure, Proof: script.Proof{Scheduled: 20, Fired: 20}}
		for round := range 6 {
			t := Trial{Round: round, NS: float64(1000*i + 900 + 10*round), Ops: 20, Wakes: 10, Units: 10}
			row.Cost = append(row.Cost, t)
		}
		c.Rows = append(c.Rows, row)
	}
	return &Run{Format: Format, Version: Version, Cells: []Cell{c}}
}

func TestFiguresThatContradictEachOtherAreFound(t *testing.T) {
	fail.If(t, checked().Check())
	minheap := func(r *Run) *Row { return &r.Cells[0].Rows[0] }
	for want, edit := range map[string]func(*Run){
		"round 3: minheap and hwheel replayed the same block, but minheap has {Ops:20 Wakes:10 Units:100}": func(r *Run) {
			minheap(r).Cost[3].Units = 100
		},
		"not everything is proved: list fails the proof": func(r *Run) { r.Failures = []Failure{{Structure: "list"}} },
		"cell hold, n 10, minheap has no proof":          func(r *Run) { minheap(r).Proof, minheap(r).Role = script.Proof{}, RoleControl },
	} {
		r := checked()
		edit(r)
		fail.UnlessError(t, r.Check(), want)
	}
}

// From nine tenths on a cell is in the steady state.
func TestACellSaysThatItIsNotSteady(t *testing.T) {
	for due, want := range map[uint64]string{900: "", 899: "not in a steady state: 89 % come due"} {
		c := Cell{Passed: &Passed{Passage: script.Passage{Made: 1000, Due: due}}}
		fail.UnlessSame(t, "the warning", c.Unsteady(), want)
	}
}

func liveRun() *Run {
	return &Run{Format: Format, Version: Version, Complete: true, Live: &Live{
		Rounds: 1, Goroutines: []int{2}, Rate: 1000,
		Rows: []LiveRow{{
			Name: "time", Role: RoleBaseline, Resident: 100,
			Throughput: []LiveThroughput{{Op: "reset", Goroutines: 2, Ops: 10, NS: 100, CPUNS: 150}},
			Lateness:   []LiveLateness{{Timers: 1, P50: 1, P90: 2, P99: 3, P999: 4, Max: 5}},
			Memory:     []LiveMemory{{Form: "afterfunc", Bytes: 100, CollectNS: 5}},
		}},
	}}
}

// A later session replaces the rows among its numbers of timers, and keeps the others.
func TestAddKeepsOtherNumbersOfTimers(t *testing.T) {
	l, earlier := liveRun().Live, liveRun().Live
	earlier.Rows = append(earlier.Rows, earlier.Rows[0])
	earlier.Rows[0].Name, earlier.Rows[1].Resident = "replaced", 7
	earlier.Goroutines = []int{1, 2}
	l.Add(nil)
	l.Add(earlier)
	if len(l.Rows) != 2 || l.Rows[0].Name != "time" || l.Rows[1].Resident != 7 || !slices.Equal(l.Goroutines, []int{1, 2}) {
		t.Errorf("%+v", l)
	}
}

func TestLiveThatCannotBeIsRefused(t *testing.T) {
	for reason, change := range map[string]func(*Live){
		"want a name":               func(l *Live) { l.Rows[0].Name = "" },
		"at least 1 resident timer": func(l *Live) { l.Rows[0].Resident = 0 },
		"twice":                     func(l *Live) { l.Rows = append(l.Rows, l.Rows[0]) },
	} {
		r := liveRun()
		change(r.Live)
		fail.UnlessError(t, r.Validate(), reason)
	}
}
