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
			t.NS *= 1.1
			t.Kinds = []KindTime{{Kind: script.KindFire, Count: 20, NS: t.NS}}
			row.ByKind = append(row.ByKind, t)
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
		"cell hold, n 10, minheap: its cost is 0.091 times the time of its kinds of operations, but 0.91 times for the others": func(r *Run) {
			for i := range minheap(r).Cost {
				minheap(r).Cost[i].NS /= 10
			}
		},
		"minheap, round 2: the kinds of operations add up to 1012 ns, but the trial took 912": func(r *Run) {
			minheap(r).ByKind[2].NS -= 100
		},
		"round 3: minheap and hwheel replayed the same block, but minheap has {Ops:20 Wakes:10 Units:100}": func(r *Run) {
			minheap(r).Cost[3].Units = 100
		},
		"not everything is proved: list fails the proof": func(r *Run) { r.Failures = []Failure{{Structure: "list"}} },
		"cell hold, n 10, minheap has no proof":          func(r *Run) { minheap(r).Proof = script.Proof{} },
		"cell hold, n 10000, minheap puts work off: its debt grows by 26 % of the measured time, want at most 25 %": func(r *Run) {
			r.Cells[0].N, r.Cells[0].Passed, minheap(r).Debt = 10_000, &Passed{Made: 10, Due: 9}, new(float64)
			*minheap(r).Debt = 0.26
		},
		"its trials took 2.0 s, but the whole cell took 1.0 s": func(r *Run) { minheap(r).Cost[0].NS = 2e9 },
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
		"old":        func(c *Cell) { c.Passed = nil },
	} {
		r, debt := checked(), 3.0
		r.Cells[0].N, r.Cells[0].Passed, minheap(r).Debt = 10_000, &Passed{Made: 10, Due: 9}, &debt
		if edit(&r.Cells[0]); r.Check() != nil {
			t.Errorf("%s: %v", name, r.Check())
		}
	}
	// The time of operations between two readings of the clock may be near 0.
	single := checked()
	for i := range minheap(single).ByKind {
		for _, r := range single.Cells[0].Rows {
			r.ByKind[i].Kinds[0].ClockReads = 20
		}
		t := &minheap(single).ByKind[i]
		t.NS, t.Kinds[0].NS = 1, 1
	}
	if err := single.Check(); err != nil {
		t.Error(err)
	}
	// A trial that something else has disturbed is no contradiction.
	r := checked()
	minheap(r).Cost[5].NS *= 100
	if err := r.Check(); err != nil {
		t.Error(err)
	}
}
