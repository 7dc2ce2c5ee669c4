package report

import (
	"regexp"
	"strings"
	"testing"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/structures/catalog"
)

// Three rounds that contradict each other leave an interval of thousands of percent, which is no figure.
func TestTheSummaryShowsNoIntervalThatSaysNothing(t *testing.T) {
	cell := results.Cell{Workload: "churn", N: 1000, Unit: script.PerLifecycle}
	for structure, times := range map[string][3]float64{"null": {1, 1, 1}, "auto": {100, 101, 99}, "minheap": {400, 500, 450}, "hwheel": {110, 5000, 120}} {
		row := results.Row{Structure: structure, Role: results.RoleStructure}
		if structure == "null" {
			row.Role = results.RoleFloor
		}
		for round, ns := range times {
			row.Cost = append(row.Cost, results.Trial{Instance: round, Round: round, NS: 1e4 * ns, Units: 1e4})
		}
		cell.Rows = append(cell.Rows, row)
	}
	for _, bad := range []bool{false, true} {
		if !bad {
			cell.Rows = append([]results.Row(nil), cell.Rows...)
		} else {
			for i := range cell.Rows {
				if cell.Rows[i].Structure == "minheap" {
					cell.Rows[i].Cost[2].NS *= 1000
				}
			}
		}
		got := Summary(&results.Run{Complete: true, Cells: []results.Cell{cell}}, catalog.All())
		if regexp.MustCompile(`\d{4} ?%`).MatchString(got) || bad && !strings.Contains(got, "±–") {
			t.Errorf("bad %v:\n%s", bad, got)
		}
		t.Log(got)
	}
}
