package report

import (
	"strings"
	"testing"

	"github.com/timerbench/timerbench/bench/results"
)

// sized makes a cell in which each structure costs a given time in every trial.
func sized(n int, costs map[string]float64) results.Cell {
	c := results.Cell{Workload: "hold", N: n}
	for name, ns := range costs {
		row := results.Row{Structure: name, Role: results.RoleStructure}
		for i := range 8 {
			row.Cost = append(row.Cost, results.Trial{Round: i, NS: ns, Units: 1})
		}
		c.Rows = append(c.Rows, row)
	}
	return c
}

func TestBreakEven(t *testing.T) {
	cells := []results.Cell{
		sized(10, map[string]float64{"list": 10, "heap": 20, "wheel": 9, "tree": 40, "tied": 10}),
		sized(100, map[string]float64{"list": 20, "heap": 20 / 2, "wheel": 9, "tree": 50, "tied": 19}),
		sized(1000, map[string]float64{"list": 40, "heap": 12, "wheel": 9, "tree": 60, "tied": 19}),
		sized(100_000, map[string]float64{"heap": 30}), // not measured for the list
	}
	for name, want := range map[string]string{
		"heap":  "≈ 32", // twice the cost at 10, half of it at 100: in the middle
		"wheel": "≤ 10",
		"tree":  "> 1k",
		"tied":  "≈ 100",
	} {
		if b, ok := breakEvenOf(cells, name); !ok || b.String() != want {
			t.Errorf("%s: %v %v, want %s", name, b, ok, want)
		}
	}
	if _, ok := breakEvenOf(cells[:1], "heap"); ok {
		t.Error("one size gives a crossing")
	}
	if _, ok := breakEvenOf(cells, "absent"); ok {
		t.Error("a structure that was not measured has a crossing")
	}
}

func TestBreakEvenTableIsLeftOutWithoutAList(t *testing.T) {
	known := testKnowledge([]string{"list", "heap"})
	with := newView(&results.Run{Cells: []results.Cell{
		sized(10, map[string]float64{"list": 10, "heap": 20}), sized(100, map[string]float64{"list": 20, "heap": 10}),
	}}, known)
	if table := with.breakEvenTable(); !strings.Contains(table, "≈ 32") {
		t.Errorf("table %q", table)
	}
	without := newView(&results.Run{Cells: []results.Cell{
		sized(10, map[string]float64{"heap": 20}), sized(100, map[string]float64{"heap": 10}),
	}}, known)
	if table := without.breakEvenTable(); table != "" {
		t.Errorf("table %q without a list", table)
	}
}
