package answer

import (
	"testing"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/workload"
)

// The results declare what a workload stands for. Its name says nothing.
func TestTheClassOfAWorkloadIsDeclared(t *testing.T) {
	t.Parallel()
	r := With(&results.Run{
		Cells: []results.Cell{
			{Workload: "grid-uniform-50", Category: "program"},
			{Workload: "x", Category: "grid", Grid: &results.Grid{Delays: "constant", CancelPercent: 10}},
			{Workload: "mine", Category: "custom"},
			{Workload: "changed", Category: "synthetic"},
			{Workload: "trace-x", Category: "recorded"}, {Workload: "grid-unknown-50"},
		},
	}, Knowledge{})
	for name, want := range map[string]workload.Category{
		"grid-uniform-50": workload.Program, "x": workload.Grid, "mine": workload.Program, "changed": workload.Synthetic,
		"trace-x": workload.Recorded, "grid-unknown-50": workload.Synthetic,
	} {
		if got := ClassOf(r.CellsOf(name)[0]); got != want {
			t.Errorf("%s: class %q, want %q", name, got, want)
		}
	}
	for i, want := range map[int]*results.Grid{
		0: nil, 1: {Delays: "constant", CancelPercent: 10}, 4: nil,
	} {
		c := r.Cells[i]
		if (c.Grid == nil) != (want == nil) || want != nil && *c.Grid != *want {
			t.Errorf("%s: %+v, want %+v", c.Workload, c.Grid, want)
		}
	}
}
