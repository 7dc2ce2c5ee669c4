package answer

import (
	"fmt"
	"testing"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/structures/catalog"
)

func trials(ns ...float64) []results.Trial {
	var out []results.Trial
	for i, v := range ns {
		out = append(out, results.Trial{Round: i, NS: v * 10, Units: 10})
	}
	return out
}

// The controls check the intervals: they do not decide them alone.
func TestControlsCheckTheIntervals(t *testing.T) {
	t.Parallel()
	run := func(differ int) *Run {
		r := &results.Run{}
		for i := range 20 {
			a := results.Row{Structure: "auto", Role: results.RoleStructure, Cost: trials(10, 10.1, 10, 10.1, 10, 10.1)}
			control := results.Row{Structure: "auto-control", Role: results.RoleControl, Of: "auto", Cost: trials(10, 10.1, 10.1, 10, 10.1, 10)}
			for j := range control.Cost {
				if i < differ {
					control.Cost[j].NS *= 1.5
				}
			}
			r.Cells = append(r.Cells, results.Cell{Workload: fmt.Sprint("w", i), N: 1000, Rows: []results.Row{a, control}})
		}
		return Of(r, catalog.All())
	}
	for differ, fails := range map[int]bool{0: false, 1: false, 2: false, 8: true} {
		if c := run(differ).Checked(); c.Controls != 20 || c.Differ != differ || c.Fails() != fails {
			t.Errorf("%d controls differ: %+v, fails: %v", differ, c, c.Fails())
		}
	}
}
