package report

import (
	"fmt"
	"strings"
	"testing"

	"github.com/timerbench/timerbench/bench/results"
)

// rowsOf makes a run of one cell in which each structure has an instance in each round.
func rowsOf(costs map[string][]float64) *results.Run {
	c := results.Cell{Workload: "hold", N: 1_000_000, Unit: "lifecycle"}
	for _, name := range []string{"best", "near", "far"} {
		row := results.Row{Structure: name, Role: results.RoleStructure, Cost: trials(costs[name]...)}
		for i := range row.Cost {
			row.Cost[i].Instance = i
		}
		c.Rows = append(c.Rows, row)
	}
	return &results.Run{Complete: true, Cells: []results.Cell{c}}
}

func wantOnPage(t *testing.T, page string, wants ...string) {
	t.Helper()
	for _, want := range wants {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
}

func raced() *results.Run {
	r := rowsOf(map[string][]float64{
		"best": {10, 10.1, 10.1, 10, 10.2, 10.1, 10.3, 10.2, 10.3, 10.4},
		"near": {10.2, 9.8, 11, 11.2, 9.9, 10, 11, 11.1, 10.5, 10.4},
		"far":  {30, 31, 30, 30, 30, 31},
	})
	rows := r.Cells[0].Rows
	rows[0].Stopped, rows[1].Stopped, rows[2].Stopped = results.Stopped("settled"), results.StoppedBudget, results.StoppedBeaten
	return r
}

func TestUnclearIsNoTie(t *testing.T) {
	t.Parallel()
	wantOnPage(t, pageOf(t, raced()),
		"| hold | 1M | best | near |", // unclear is no tie
		"**1.03?**")
}

func TestThePageFlagsDrift(t *testing.T) {
	t.Parallel()
	rising := raced()
	wantOnPage(t, pageOf(t, rising), "In 0 of 1 cells the cost rose")
	for _, row := range rising.Cells[0].Rows {
		for i := range row.Cost {
			row.Cost[i].NS *= 1 + 0.1*float64(i)
		}
	}
	wantOnPage(t, pageOf(t, rising), "In 1 of 1 cells the cost rose")
}

func TestThePageCountsTheControlsThatDiffer(t *testing.T) {
	t.Parallel()
	r := raced()
	control := r.Cells[0].Rows[0]
	control.Structure, control.Role, control.Of = "best-control", results.RoleControl, "best"
	r.Cells[0].Rows = append(r.Cells[0].Rows, control)
	wantOnPage(t, pageOf(t, r), "Of 1 such A/A comparisons, 0 differ; chance alone makes about 0.05 differ.")
	off := &r.Cells[0].Rows[3]
	off.Cost = trials(12, 12.1, 12.1, 12, 12.2, 12.2, 12.3, 12.2, 12.4, 12.4)
	for i := range off.Cost {
		off.Cost[i].Instance = i
	}
	const warning = "> **The intervals are too narrow.**"
	page := pageOf(t, r)
	wantOnPage(t, page, "comparisons, 1 differ")
	if strings.Contains(page, warning) {
		t.Error("one control differs, which may be chance")
	}
	for range 5 {
		r.Cells = append(r.Cells, r.Cells[0])
		r.Cells[len(r.Cells)-1].Workload += fmt.Sprint(len(r.Cells))
	}
	wantOnPage(t, pageOf(t, r), warning+" Of 6 comparisons of a structure with a second instance of itself, 6 differ")
}

func TestThePageComparesTheCollectorOnAndOff(t *testing.T) {
	t.Parallel()
	r := raced()
	if strings.Contains(pageOf(t, r), "What does the garbage collector add?") {
		t.Error("nothing was measured with the collector on")
	}
	r.Cells[0].Rows[0].WithGC = trials(20.2, 20.3, 20.4, 20.3)
	wantOnPage(t, pageOf(t, r), "## What does the garbage collector add?", "| **best** | 10.2 | 8.34 to 12.4 | 20.3 | 16.6 to 24.8 | 2.0 |")
}
