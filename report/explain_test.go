package report

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/internal/fail"
	"github.com/timerbench/timerbench/internal/show"
	"github.com/timerbench/timerbench/report/answer"
	"github.com/timerbench/timerbench/report/section"
	"github.com/timerbench/timerbench/report/sketch"
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/catalog"
	"github.com/timerbench/timerbench/structures/entry"
	"github.com/timerbench/timerbench/structures/schedtest/model"
)

func find(t *testing.T, name string) entry.Entry {
	t.Helper()
	e, ok := catalog.Find(name)
	if !ok {
		t.Fatalf("no structure %s", name)
	}
	return e
}

// hidden is an entry whose structure does not show its shape.
func hidden() entry.Entry {
	return entry.Entry{
		Name: "ladder", Summary: "shows nothing", Family: entry.Lists, Package: "example.com/hidden", Source: "a test",
		Costs: entry.Costs{Schedule: "O(1)", Cancel: "O(1)", Pop: "O(n)"},
		New:   func() structures.Scheduler[uint64] { return new(model.Model[uint64]) },
	}
}

// costs are results in which the structures have given costs in each cell.
func costs(cells ...map[string]float64) *results.Run {
	r := &results.Run{Complete: true}
	for i, cell := range cells {
		c := results.Cell{Workload: "hold", N: 100 * (i + 1), Unit: script.PerLifecycle}
		for _, name := range []string{"hwheel", "rbtree", "ladder"} {
			if ns, ok := cell[name]; ok {
				row := results.Row{Structure: name, Role: results.RoleStructure}
				for round := range 8 {
					row.Cost = append(row.Cost, results.Trial{Instance: round, Round: round, NS: 100 * (ns + 0.001*float64(round*5%8)), Units: 100})
				}
				c.Rows = append(c.Rows, row)
			}
		}
		r.Cells = append(r.Cells, c)
	}
	return r
}

func factOf(facts *show.Table, name string) string {
	for _, f := range facts.Rows {
		if f.Cells[0].Text == name {
			return f.Cells[1].Text
		}
	}
	return ""
}

func TestFactsSayWhereAStructureWinsAndLoses(t *testing.T) {
	t.Parallel()
	r := costs(map[string]float64{"hwheel": 10, "rbtree": 40}, map[string]float64{"hwheel": 20, "rbtree": 10}, map[string]float64{"hwheel": 90})
	r.Cells[2].LeftOut = []string{"rbtree"}
	of := func(name string) *show.Table { return section.Facts(find(t, name), answer.Of(r, catalog.All())) }
	for _, test := range []struct{ structure, fact, want string }{
		{"hwheel", "Wins", "fastest, or tied with the fastest, in 2 of 3 cells: hold, N = 100; hold, N = 300"},
		{"hwheel", "Loses", "most in hold, N = 200 (2.0 × the fastest)"},
		{"hwheel", "Typical", "1.26 × the fastest"}, // the cube root of 2
		{"rbtree", "Wins", "in 1 of 2 cells: hold, N = 200"},
		{"rbtree", "Loses", "hold, N = 100 (4.0 × the fastest)"},
		{"rbtree", "Typical", "2.0 × the fastest"}, // the square root of 4
		{"rbtree", "Left out", "so not measured in hold, N = 300"},
		{"skiplist", "Wins and loses", "these results have no cost of this structure"},
	} {
		fail.Unless(t, factOf(of(test.structure), test.fact), test.want)
	}
	r.Cells[0].Rows = append(r.Cells[0].Rows, costs(map[string]float64{"rbtree": 20, "ladder": 40}).Cells[0].Rows...)
	for i := range r.Cells[0].Rows[2:] {
		row := &r.Cells[0].Rows[2:][i]
		row.Structure, row.Role = map[string]string{"rbtree": "intrusive-heap", "ladder": "auto"}[row.Structure], map[string]results.Role{"rbtree": results.RoleIntrusive, "ladder": results.RoleStructure}[row.Structure]
	}
	fail.Unless(t, factOf(of("intrusive-heap"), "Wins and loses"), "0.50 times as long as auto (geometric mean over 1 cell)")
	fail.UnlessLacks(t, factOf(of("hwheel"), "Loses"), "N = 100") // where it wins
}

func TestFactsSayWhatTheCatalogDeclares(t *testing.T) {
	t.Parallel()
	r := &results.Run{Memory: []results.Memory{
		{Structure: "hwheel", N: 1000, Bytes: 90, AgedBytes: 95}, {Structure: "hwheel", N: 100_000, Bytes: 33, AgedBytes: 38}, {Structure: "list", N: 1 << 20, Bytes: 7},
	}}
	for _, test := range []struct{ structure, fact, want string }{
		{"hwheel", "Memory", "measured with 100k timers: 33 bytes, and 38 after timers were replaced"},
		{"hwheel", "Exactness", "exact"},
		{"hwheel", "Equal deadlines", "in any order"},
		{"rbtree", "Equal deadlines", "FIFO"},
		{"rbtree", "Memory", "allocates nothing"},
		{"hwheel-linux", "Exactness", "coarse: never early, and late by less than 8/63"},
		{"list", "Limit", "up to 10,000 timers"},
		{"rbtree-gods", "Off the shelf", "github.com/emirpasic/gods"},
		{"rbtree-gods", "Memory", "allocates in the steady state"},
	} {
		fail.Unless(t, factOf(section.Facts(find(t, test.structure), answer.Of(r, catalog.All())), test.fact), test.want)
	}
}

// A structure that shows nothing of itself has no drawing.
func TestATextWithoutADrawing(t *testing.T) {
	t.Parallel()
	text := Explain(hidden(), costs(map[string]float64{"rbtree": 10, "ladder": 20}), catalog.All())
	if !strings.Contains(text, "2.0 × the fastest") || !strings.HasSuffix(text, "so there is no drawing.\n") {
		t.Errorf("%s: want how it did, and that there is no drawing", text)
	}
}

func TestExplainedStructuresOfTheCatalog(t *testing.T) {
	t.Parallel()
	for _, e := range catalog.All() {
		text, drawing := Explain(e, &results.Run{}, catalog.All()), "so there is no drawing.\n"
		if steps := sketch.Steps(e.New()); len(steps) > 0 {
			drawing = sketch.Drawing(steps).String()
		}
		if !strings.HasPrefix(text, e.Name+"\n") || !strings.Contains(text, "these results have no cost") || !strings.HasSuffix(text, drawing) {
			t.Errorf("%s: %s", e.Name, text)
		}
		for line := range strings.Lines(text) {
			if n := utf8.RuneCountInString(strings.TrimRight(line, "\n")); n > 100 || strings.HasSuffix(line, " \n") {
				t.Errorf("%s: %d columns: %q", e.Name, n, line)
			}
		}
	}
}
