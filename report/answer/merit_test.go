package answer

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/workload"
	"github.com/timerbench/timerbench/structures/entry"
)

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

func TestMerits(t *testing.T) {
	t.Parallel()
	r := with(nil, nil,
		timed("hold", map[string]float64{"minheap": 10, "wheel": 40, "rbtree": 20, "list": 10.01}),
		timed("churn", map[string]float64{"minheap": 30, "wheel": 10, "rbtree": 40}))
	got := r.Merits(r.Cells, RowName.IsStructure)
	want := []Merit{
		{RowName: RowName{Name: "minheap"}, Typical: math.Sqrt(3), Worst: 3, Complete: true},
		{RowName: RowName{Name: "wheel"}, Typical: 2, Worst: 4, Complete: true},
		{RowName: RowName{Name: "rbtree"}, Typical: math.Sqrt(8), Worst: 4, Complete: true},
		{RowName: RowName{Name: "list"}, Typical: 1, Worst: 1}, // it lacks a cell, so it comes last
	}
	if len(got) != len(want) {
		t.Fatalf("%+v", got)
	}
	for i, m := range got {
		w := want[i]
		if m.Name != w.Name || math.Abs(m.Typical-w.Typical) > 0.01 || math.Abs(m.Worst-w.Worst) > 0.01 ||
			m.Complete != w.Complete {
			t.Errorf("place %d: %+v, want %+v", i, m, w)
		}
	}
}

func TestLeadersAreAllOfAFewElseTheClassics(t *testing.T) {
	t.Parallel()
	leaders := func(names ...string) string {
		ns := make(map[string]float64)
		for i, name := range names {
			ns[name] = float64(10 * (i + 1))
		}
		r := with(nil, names, timed("hold", ns))
		var got []string
		for _, who := range r.Leaders(r.Contenders) {
			got = append(got, who.Name)
		}
		return strings.Join(got, " ") + ": " + r.ChoiceNote(r.Contenders)
	}
	for _, c := range []struct{ names, want string }{
		{"list rbtree ladder", "list rbtree ladder: "},
		{"ladder a b c d rbtree e f wheel", "rbtree wheel: The tables have 7 more structures."},
		{"a b c d e f g h i", "a b c d e f g h: The tables have 1 more structure."},
	} {
		if got := leaders(strings.Fields(c.names)...); got != c.want {
			t.Errorf("of %s: %q, want %q", c.names, got, c.want)
		}
	}
}

// The mean of the rounds follows the structures that took part to the end.
func TestRoundMeans(t *testing.T) {
	t.Parallel()
	row := func(name string, ns ...float64) results.Row {
		return results.Row{Structure: name, Role: results.RoleStructure, Cost: trials(ns...)}
	}
	c := with(nil, nil, results.Cell{Rows: []results.Row{
		row("best", 1, 4, 9), row("near", 4, 4, 4), row("far", 100),
	}}).Cells[0]
	var got []float64
	for _, s := range roundMeans(c) {
		got = append(got, math.Round(1e6*s.Value)/1e6)
	}
	if !slices.Equal(got, []float64{2, 4, 6}) {
		t.Errorf("%v, want the geometric means 2, 4 and 6", got)
	}
}
