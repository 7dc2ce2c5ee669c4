package report

import (
	"testing"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/workload"
)

// What a workload stands for is declared, in the results or, for older ones, by this
// version. Its name says nothing.
func TestTheClassOfAWorkloadIsDeclared(t *testing.T) {
	t.Parallel()
	known := knowledge{workload: func(name string) (workload.Workload, bool) {
		w, ok := map[string]workload.Workload{
			"old-grid":    {Category: workload.Grid, Grid: &workload.GridPlace{Delays: "uniform", CancelPercent: 90}},
			"old-program": {Category: workload.Program},
			"changed":     {Category: workload.Program},
		}[name]
		return w, ok
	}}
	v := newView(&results.Run{
		Parameters: results.Parameters{Traces: map[string]results.Recording{"old-trace": {}}},
		Cells: []results.Cell{
			{Workload: "grid-uniform-50", Category: "program"},
			{Workload: "x", Category: "grid", Grid: &results.Grid{Delays: "constant", CancelPercent: 10}},
			{Workload: "mine", Category: "custom"},
			{Workload: "changed", Category: "synthetic"},
			{Workload: "old-grid"}, {Workload: "old-program"}, {Workload: "old-trace"}, {Workload: "grid-unknown-50"},
		},
	}, known)
	for name, want := range map[string]class{
		"grid-uniform-50": ofPrograms, "x": ofGrid, "mine": ofPrograms, "changed": synthetic,
		"old-grid": ofGrid, "old-program": ofPrograms, "old-trace": ofPrograms, "grid-unknown-50": synthetic,
	} {
		if got := v.classOf(name); got != want {
			t.Errorf("%s: class %d, want %d", name, got, want)
		}
	}
	for i, want := range map[int]results.Grid{0: {}, 1: {Delays: "constant", CancelPercent: 10}, 4: {Delays: "uniform", CancelPercent: 90}} {
		if got, ok := v.gridPlace(v.r.Cells[i]); got != want || ok != (want.Delays != "") {
			t.Errorf("%s: %+v, %v, want %+v", v.r.Cells[i].Workload, got, ok, want)
		}
	}
}
