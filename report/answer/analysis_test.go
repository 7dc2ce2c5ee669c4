package answer

import (
	"slices"
	"strings"
	"testing"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/bench/workload"
	kept "github.com/timerbench/timerbench/docs/results"
	"github.com/timerbench/timerbench/internal/fail"
	"github.com/timerbench/timerbench/structures/catalog"
	"github.com/timerbench/timerbench/structures/entry"
)

func trials(ns ...float64) []results.Trial {
	var out []results.Trial
	for i, v := range ns {
		out = append(out, results.Trial{Round: i, NS: v * 10, Units: 10})
	}
	return out
}

// The results declare what a workload stands for. Its name says nothing.
func TestTheClassOfAWorkloadIsDeclared(t *testing.T) {
	t.Parallel()
	r := With(&results.Run{
		Cells: []results.Cell{
			{Workload: "grid-uniform-50", Category: "program"},
			{Workload: "x", Category: "grid", Grid: &script.Place{Delays: "constant", CancelPercent: 10}},
			{Workload: "mine", Category: "custom"},
			{Workload: "changed", Category: "synthetic"},
			{Workload: "trace-x", Category: "recorded"}, {Workload: "grid-unknown-50"},
		},
	}, Knowledge{})
	for name, want := range map[string]workload.Category{
		"grid-uniform-50": workload.Program, "x": workload.Grid, "mine": workload.Program, "changed": workload.Synthetic,
		"trace-x": workload.Recorded, "grid-unknown-50": workload.Synthetic,
	} {
		fail.UnlessSame(t, name, ClassOf(r.CellsOf(name)[0]), want)
	}
}

// Rows of structures that were removed since a run are left out everywhere, and the answers say so.
func TestStructuresOfOtherVersionsAreLeftOutWithANote(t *testing.T) {
	r, err := kept.Last()
	fail.If(t, err)
	const gone = "a-removed-structure"
	for i := range r.Cells {
		rows := r.Cells[i].Rows
		if j := slices.IndexFunc(rows, func(row results.Row) bool { return row.Structure == "wheel" }); j >= 0 {
			rows[j].Structure = gone
		}
		for j := range rows {
			if rows[j].Of == "wheel" {
				rows[j].Of = gone
			}
		}
		r.Cells[i].Rows = append(rows, results.Row{Structure: gone, Role: results.RoleIntrusive}, results.Row{Structure: entry.InStructs[0], Role: results.RoleIntrusive})
	}
	r.Memory = append(r.Memory, results.Memory{Structure: gone, N: 1000, Bytes: 1})
	r.IdleTicks = append(r.IdleTicks, results.IdleTicks{Structures: []results.IdleTickOf{{Structure: gone}}})
	r.Calls = append(r.Calls, results.Calls{Structure: gone})
	cells := len(r.Cells[0].Rows)
	a := Of(r, catalog.All())
	if !slices.Contains(a.Unknown, gone) || len(r.Cells[0].Rows) != cells {
		t.Fatalf("left out are %q, %d rows of %d remain in the results", a.Unknown, len(r.Cells[0].Rows), cells)
	}
	for _, c := range a.Run.Cells {
		for _, row := range c.Rows {
			if row.Structure == gone || row.Of == gone {
				t.Errorf("%s has a row of %s", c.Workload, row.Structure)
			}
		}
		if c.Row(entry.InStructs[0]) == nil {
			t.Errorf("%s lacks the row of %s", c.Workload, entry.InStructs[0])
		}
	}
	if slices.ContainsFunc(a.Contenders, func(c RowName) bool { return c.Name == gone }) ||
		slices.ContainsFunc(a.Memory, func(m results.Memory) bool { return m.Structure == gone }) {
		t.Error("it is a contender, or has memory")
	}
	x, err := a.Adviser().Answer(Question{N: 1000, Cancel: Unknown, Reschedule: Unknown})
	if said := strings.Join(x.Notes, "\n"); err != nil || !strings.Contains(said, gone) || slices.ContainsFunc(x.Rows, func(r Row) bool { return r.Structure == gone }) {
		t.Errorf("%v, %q", err, said)
	}
}

// with analyses cells of structures that the catalog lists in this order, by family.
func with(families map[string]entry.Family, order []string, cells ...results.Cell) *Run {
	known := Knowledge{Workload: func(string) (w workload.Workload, ok bool) { return w, false }}
	for _, name := range order {
		known.Entries = append(known.Entries, entry.Entry{Name: name, Family: families[name]})
	}
	return With(&results.Run{Cells: cells}, known)
}

// timed returns a cell with the given costs in nanoseconds, with little noise.
func timed(workload string, costs map[string]float64) results.Cell {
	c := results.Cell{Workload: workload, N: 100}
	for name, ns := range costs {
		row := results.Row{
			Structure: name, Role: results.RoleStructure,
			Cost: trials(ns, 1.001*ns, ns, 1.001*ns, ns, 1.002*ns),
		}
		c.Rows = append(c.Rows, row)
	}
	return c
}
