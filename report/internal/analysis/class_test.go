package analysis

import (
	"testing"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/workload"
)

// What a workload stands for is declared, in the results or, for older ones, by this
// version. Its name says nothing.
func TestTheClassOfAWorkloadIsDeclared(t *testing.T) {
	t.Parallel()
	known := Knowledge{Workload: func(name string) (workload.Workload, bool) {
		w, ok := map[string]workload.Workload{
			"old-grid":    {Category: workload.Grid, Grid: &workload.GridPlace{Delays: "uniform", CancelPercent: 90}},
			"old-program": {Category: workload.Program},
			"changed":     {Category: workload.Program},
		}[name]
		return w, ok
	}}
	r := With(&results.Run{
		Parameters: results.Parameters{Traces: map[string]results.Recording{"old-trace": {}}},
		Cells: []results.Cell{
			{Workload: "grid-uniform-50", Category: "program"},
			{Workload: "x", Category: "grid", Grid: &results.Grid{Delays: "constant", CancelPercent: 10}},
			{Workload: "mine", Category: "custom"},
			{Workload: "changed", Category: "synthetic"},
			{Workload: "old-grid"}, {Workload: "old-program"}, {Workload: "old-trace"}, {Workload: "grid-unknown-50"},
		},
	}, known)
	for name, want := range map[string]Class{
		"grid-uniform-50": Programs, "x": Grid, "mine": Programs, "changed": Synthetic,
		"old-grid": Grid, "old-program": Programs, "old-trace": Recorded, "grid-unknown-50": Synthetic,
	} {
		if got := r.CellsOf(name)[0].Class(); got != want {
			t.Errorf("%s: class %q, want %q", name, got, want)
		}
	}
	for i, want := range map[int]*results.Grid{
		0: nil, 1: {Delays: "constant", CancelPercent: 10}, 4: {Delays: "uniform", CancelPercent: 90},
	} {
		c := r.Cells[i]
		if (c.Grid == nil) != (want == nil) || want != nil && *c.Grid != *want {
			t.Errorf("%s: %+v, want %+v", c.Workload, c.Grid, want)
		}
	}
}
