package results

import (
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
