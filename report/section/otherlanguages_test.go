package section

import (
	"strings"
	"testing"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/internal/fail"
)

// withPrograms adds programs that cost so many nanoseconds to a cell.
func withPrograms(c results.Cell, costs map[string]float64) results.Cell {
	for name, role := range map[string]results.Role{
		"heap-c": results.RoleExternal, "heap-java": results.RoleExternal, "libfast": results.RoleExternal,
		"c-floor": results.RoleFloor, "null": results.RoleFloor,
	} {
		if ns, ok := costs[name]; ok {
			row := results.Row{Structure: name, Role: role, Cost: trials(ns, 1.001*ns, ns, 1.001*ns, ns, 1.002*ns)}
			for i := range row.Cost {
				row.Cost[i].Instance = i / 2
			}
			c.Rows = append(c.Rows, row)
		}
	}
	return c
}

func TestProgramsOfOtherLanguagesStandBesideTheStructures(t *testing.T) {
	t.Parallel()
	r := &results.Run{
		Cells: []results.Cell{
			withPrograms(timed("churn", 1000, map[string]float64{"quadheap": 10, "hwheel": 20}),
				map[string]float64{"heap-c": 8, "heap-java": 16, "libfast": 5, "c-floor": 3, "null": 7.5}),
			withPrograms(timed("hold", 1000, map[string]float64{"quadheap": 10, "hwheel": 20}),
				map[string]float64{"heap-c": 30, "heap-java": 60}),
			timed("hold", 100_000, map[string]float64{"quadheap": 10, "hwheel": 20}),
		},
		External: []results.External{
			{Name: "c-floor", Language: "C", Version: "no structure: the floor", Floor: true},
			{Name: "heap-c", Language: "C", Version: "a heap", Inlined: true, ClockNS: 20},
			{Name: "heap-java", Language: "Java 17", Version: "a heap", CollectionNS: 10, TimedNS: 100},
			{Name: "libfast", Language: "C", Version: "libfast 2", Virtual: true, Limit: 2000},
		},
	}
	v := viewOf(t, r)
	s := otherLanguages(v)
	if len(s.Tables) != 3 {
		t.Fatalf("%d tables", len(s.Tables))
	}
	page := s.Lead.Markdown()
	for _, table := range s.Tables {
		page += table.Lead.Markdown() + table.Body.Markdown()
	}
	fail.Unless(t, page,
		"| churn | 1k | libfast | 5 (", " | quadheap | 10 (", " | 2.0 (", ") | 1.25 (",
		"| hold | 1k | heap-c | 30 (", ") | – | quadheap | 10 (", ") | – | 0.33 (", ") | – |",
		"| heap-java | Java 17 | a heap | – | 0 | 0 | 10 %",
		"up to 2k timers",
	)
	// Elsewhere the structures are ranked alone.
	fail.UnlessSame(t, "the fastest structure", v.Cells[0].Fastest().Structure, "quadheap")
	r.External = nil
	if s := otherLanguages(viewOf(t, r)); !s.Empty() {
		t.Error("a section without programs")
	}
}

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

// A program whose timers are fields of the caller's structs is compared with intrusive structures, and the others with
// those by ID. Structures of the two kinds are compared in a table, and no ranking holds intrusive ones.
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
	if c := v.Cells[0]; c.Structures() != 1 || c.Fastest().Structure != "quadheap" || intrusive(v).Empty() {
		t.Errorf("%d structures are ranked, %s is the first", c.Structures(), c.Fastest().Structure)
	}
	s := otherLanguages(v)
	page := ""
	for _, table := range append(s.Tables, intrusive(v).Tables...) {
		page += table.Lead.Markdown() + table.Body.Markdown()
	}
	fail.Unless(t, page,
		"| churn | 1k | libfast | 8 (5.33–12) | 1 (0.666–1.5) | quadheap | 10 (6.66–15) | 3 (2–4.51) | 1.25",
		"| churn | 1k | heap-c | 4 (2.66–6.01) | 1 (0.666–1.5) | intrusive-hwheel | 6 (4–9.02) | 2 (1.33–3.01) | 1.50",
		"| churn | 1k | quadheap | 10 (6.66–15) | 3 (2–4.51) | intrusive-hwheel | 6 (4–9.02) | 2 (1.33–3.01) | 0.60",
	)
}
