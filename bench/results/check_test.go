package results

import (
	"strings"
	"testing"

	"github.com/timerbench/timerbench/bench/script"
)

// checked is a cell in which all that is known of a cost agrees.
func checked() *Run {
	c := Cell{Workload: "hold", N: 10, Unit: script.PerLifecycle, Seconds: 1}
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
	if err := checked().Check(); err != nil {
		t.Fatal(err)
	}
	minheap := func(r *Run) *Row { return &r.Cells[0].Rows[0] }
	for want, edit := range map[string]func(*Run){
		"round 3: minheap and hwheel replayed the same block, but minheap has {Ops:20 Wakes:10 Units:100}": func(r *Run) {
			minheap(r).Cost[3].Units = 100
		},
		"not everything is proved: list fails the proof": func(r *Run) { r.Failures = []Failure{{Structure: "list"}} },
		"cell hold, n 10, minheap has no proof":          func(r *Run) { minheap(r).Proof, minheap(r).Role = script.Proof{}, RoleControl },
		"cell hold, n 10000, minheap puts work off: its debt grows by 26 % of the measured time, want at most 25 %": func(r *Run) {
			r.Cells[0].N, r.Cells[0].Passed, minheap(r).Debt = 10_000, &Passed{Made: 10, Due: 9}, new(float64)
			*minheap(r).Debt = 0.26
		},
	} {
		r := checked()
		edit(r)
		if err := r.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	for name, edit := range map[string]func(c *Cell){
		"noise":      func(c *Cell) { *c.Rows[0].Debt = 0.24 },
		"not steady": func(c *Cell) { c.Passed.Due = 8 },
		"few timers": func(c *Cell) { c.N = 1_000 },
		"not known":  func(c *Cell) { c.Passed = nil },
	} {
		r, debt := checked(), 3.0
		r.Cells[0].N, r.Cells[0].Passed, minheap(r).Debt = 10_000, &Passed{Made: 10, Due: 9}, &debt
		if edit(&r.Cells[0]); r.Check() != nil {
			t.Errorf("%s: %v", name, r.Check())
		}
	}
}

// Only cells of 10,000 and 100,000 timers that are in a steady state are held against the largest debt.
func TestWhichCellsMustPay(t *testing.T) {
	for _, c := range []struct {
		n    int
		made uint64
		debt float64
		pays bool
	}{
		{9_999, 10, 3, true}, {10_000, 10, 3, false}, {10_001, 10, 3, true}, {99_999, 10, 3, true}, {100_000, 10, 3, false}, {100_001, 10, 3, true},
		{10_000, 10, MostDebt, true}, {10_000, 10, 0.2501, false}, {100_000, 11, 3, true}, {10_000, 0, 3, false},
	} {
		cell := Cell{N: c.n, Passed: &Passed{Made: c.made, Due: 9}, Rows: []Row{{Structure: "none"}, {Structure: "a", Debt: &c.debt}}}
		if err := cell.paid(); (err == nil) != c.pays {
			t.Errorf("%d timers, 9 of %d old deadlines due, a debt of %g: %v", c.n, c.made, c.debt, err)
		}
	}
}
