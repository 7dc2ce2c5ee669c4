package answer

import (
	"fmt"
	"testing"

	"github.com/timerbench/timerbench/bench/results"
)

// The cell that stands for a workload has nine tenths of the structures of the fullest one. It is the largest up to the typical
// number of timers, or else the smallest.
func TestWhichCellsAnswer(t *testing.T) {
	t.Parallel()
	r := &results.Run{}
	add := func(workload string, n, structures int) {
		c := results.Cell{Workload: workload, N: n, Category: "program", Rows: []results.Row{{Structure: "null", Role: results.RoleFloor, Cost: trials(1, 1, 1, 1, 1, 1)}}}
		for i := range structures {
			c.Rows = append(c.Rows, results.Row{Structure: fmt.Sprint("s", i), Role: results.RoleStructure, Cost: trials(10, 11, 10, 11, 10, 11)})
		}
		r.Cells = append(r.Cells, c)
	}
	const typical = results.TypicalN
	for _, c := range []struct {
		name string
		full [4]int // structures among 10, the typical number, one more, and ten times as many timers
		want int
	}{
		{"all", [4]int{10, 10, 10, 10}, typical}, {"nine", [4]int{10, 9, 10, 10}, typical}, {"eight", [4]int{10, 8, 10, 10}, 10},
		{"large", [4]int{0, 0, 10, 10}, typical + 1}, {"larger", [4]int{8, 8, 8, 10}, 10 * typical}, {"only floors", [4]int{}, 0},
	} {
		for i, n := range []int{10, typical, typical + 1, 10 * typical} {
			add(c.name, n, c.full[i])
		}
		got := 0
		for _, cell := range With(&results.Run{Cells: r.Cells}, Knowledge{}).AnswerCells() {
			got = cell.N
		}
		if r.Cells = nil; got != c.want {
			t.Errorf("%s: the cell of %d timers answers, want %d", c.name, got, c.want)
		}
	}
}

// A merit is the geometric mean of the ratios to the fastest of each cell, with the worst of them. Contenders of all cells come first.
func TestMeritsAreRanked(t *testing.T) {
	t.Parallel()
	row := func(name string, ns float64) results.Row {
		return results.Row{Structure: name, Role: results.RoleStructure, Cost: trials(ns, ns, ns, ns, ns, ns)}
	}
	r := With(&results.Run{Cells: []results.Cell{
		{Workload: "x", N: 10, Category: "program", Rows: []results.Row{row("a", 10), row("b", 40), row("partly", 10)}},
		{Workload: "y", N: 10, Category: "program", Rows: []results.Row{row("a", 20), row("b", 10)}},
	}}, Knowledge{})
	got := ""
	for _, m := range r.Merits(r.Cells, RowName.IsStructure) {
		got += fmt.Sprintf("%s %.1f, at worst %.1f in %d cells, %t; ", m.Name, m.Typical, m.Worst, m.Cells, m.Complete)
	}
	if want := "a 1.4, at worst 2.0 in 2 cells, true; b 2.0, at worst 4.0 in 2 cells, true; partly 1.0, at worst 1.0 in 1 cells, false; "; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// A chart shows up to eight structures, or else the classics, or else the best eight.
func TestLeadersAreFew(t *testing.T) {
	t.Parallel()
	r := With(&results.Run{}, Knowledge{})
	for want, names := range map[string][]string{
		"8 a": {"a", "b", "c", "d", "e", "f", "g", "h"}, "8 b": {"b", "c", "d", "e", "f", "g", "h", "i", "j"},
		"2 hwheel": {"a", "b", "hwheel", "c", "d", "e", "f", "g", "auto"},
	} {
		var rows []RowName
		for _, name := range names {
			rows = append(rows, RowName{Name: name, Role: results.RoleStructure})
		}
		if got := r.Leaders(rows); fmt.Sprint(len(got), " ", got[0].Name) != want {
			t.Errorf("%q: %d, first %s, want %s", names, len(got), got[0].Name, want)
		}
	}
}
