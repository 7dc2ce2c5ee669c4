package section

import (
	"strings"
	"testing"

	"github.com/timerbench/timerbench/bench/results"
)

// embed makes the structures of a cell whose names begin with intrusive- intrusive, and adds the floors.
func embed(c results.Cell) results.Cell {
	for i, row := range c.Rows {
		switch {
		case row.Structure == results.IntrusiveFloor || row.Structure == "null":
			c.Rows[i].Role = results.RoleFloor
		case strings.HasPrefix(row.Structure, "intrusive-"):
			c.Rows[i].Role = results.RoleIntrusive
		}
	}
	return c
}

func TestIntrusiveStructuresAreComparedWithThoseByID(t *testing.T) {
	t.Parallel()
	v := viewOf(t, &results.Run{Cells: []results.Cell{
		embed(timed("hold", 1000, map[string]float64{"auto": 10, "hwheel": 20, "intrusive-hwheel": 20, "intrusive-heap": 30, "null": 2, "intrusive-null": 3})),
		embed(timed("hold", 1_000_000, map[string]float64{"auto": 80, "hwheel": 64, "intrusive-hwheel": 32, "intrusive-heap": 320})),
		timed("churn", 1000, map[string]float64{"auto": 10, "hwheel": 20}),
	}}, "auto")
	s := intrusive(v)
	page := s.Lead.Markdown() + s.Tables[0].Body.Markdown()
	for _, want := range []string{
		"With up to 10,000 timers, `intrusive-hwheel` takes 2.0 times as long as `auto` (geometric mean over 1 cell).",
		"With more timers, `intrusive-hwheel` takes 0.40 times as long as `auto` (geometric mean over 1 cell).",
		"| hold | 1k | auto | 10 | 2 | intrusive-hwheel | 20 | 3 | 2.0",
		"| hold | 1M | hwheel | 64 | – | intrusive-hwheel | 32 | – | 0.50",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the section does not say %q:\n%s", want, page)
		}
	}
	if svg := string(s.Charts[0].SVG()); !strings.Contains(svg, "intrusive-heap") || strings.Contains(svg, ">hwheel<") || strings.Contains(svg, "churn") {
		t.Error("the chart has other rows or cells than the intrusive structures and the default")
	}
	for _, c := range v.Cells {
		if c.Structures() != 2 || strings.HasPrefix(c.Ranked[0].Structure, "intrusive-") {
			t.Errorf("%s: %d structures are ranked, %s is the first", c.Workload, c.Structures(), c.Ranked[0].Structure)
		}
	}
	if s := intrusive(viewOf(t, &results.Run{Cells: []results.Cell{timed("churn", 1000, map[string]float64{"hwheel": 20})}})); !s.Empty() {
		t.Error("a section without intrusive structures")
	}
}

// A program whose timers are fields of the caller's structs is compared with intrusive structures, and the others with
// those by ID.
func TestProgramsAreComparedWithTheirOwnKind(t *testing.T) {
	t.Parallel()
	v := viewOf(t, &results.Run{
		Cells: []results.Cell{embed(withPrograms(timed("churn", 1000, map[string]float64{"quadheap": 10, "intrusive-hwheel": 6, "intrusive-null": 2}),
			map[string]float64{"heap-c": 4, "libfast": 8, "c-floor": 1, "null": 3}))},
		External: []results.External{
			{Name: "c-floor", Language: "C", Version: "no structure: the floor", Floor: true},
			{Name: "heap-c", Language: "C", Version: "a heap", Intrusive: true}, {Name: "libfast", Language: "C", Version: "libfast 2"},
		},
	})
	s := otherLanguages(v)
	page := ""
	for _, table := range s.Tables {
		page += table.Lead.Markdown() + table.Body.Markdown()
	}
	for _, want := range []string{
		"| churn | 1k | libfast | C | 8 | 1 | quadheap | 10 | 3 | 1.25",
		"| churn | 1k | heap-c | C | 4 | 1 | intrusive-hwheel | 6 | 2 | 1.50",
		"| churn | 1k | quadheap | 10 | 3 | intrusive-hwheel | 6 | 2 | 0.60",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the section does not say %q:\n%s", want, page)
		}
	}
	if len(s.Charts) != 2 || s.Charts[1].Name != "other-languages-intrusive-1k" {
		t.Errorf("%d charts", len(s.Charts))
	}
}
