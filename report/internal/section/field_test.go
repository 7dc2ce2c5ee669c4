package section

import (
	"strings"
	"testing"

	"github.com/timerbench/timerbench/bench/results"
)

// withPrograms adds programs that cost so many nanoseconds to a cell.
func withPrograms(c results.Cell, costs map[string]float64) results.Cell {
	for _, name := range []string{"heap-c", "heap-java", "libfast"} {
		if ns, ok := costs[name]; ok {
			c.Rows = append(c.Rows, results.Row{Structure: name, Role: results.RoleExternal,
				Cost: trials(ns, 1.001*ns, ns, 1.001*ns, ns, 1.002*ns)})
		}
	}
	return c
}

func TestProgramsOfOtherLanguagesStandBesideTheStructures(t *testing.T) {
	t.Parallel()
	r := &results.Run{
		Cells: []results.Cell{
			withPrograms(timed("churn", 1000, map[string]float64{"quadheap": 10, "hwheel": 20}),
				map[string]float64{"heap-c": 8, "heap-java": 16, "libfast": 5}),
			withPrograms(timed("hold", 1000, map[string]float64{"quadheap": 10, "hwheel": 20}),
				map[string]float64{"heap-c": 30, "heap-java": 60}),
			timed("hold", 100_000, map[string]float64{"quadheap": 10, "hwheel": 20}),
		},
		External: []results.External{
			{Name: "heap-c", Language: "C", Version: "a heap", Inlined: true, ClockNS: 20},
			{Name: "heap-java", Language: "Java 17", Version: "a heap", CollectionNS: 10, TimedNS: 100},
			{Name: "libfast", Language: "C", Version: "libfast 2", Virtual: true, Limit: 2000},
		},
	}
	v := viewOf(t, r)
	s := field(v)
	if len(s.Charts) != 1 || len(s.Tables) < 4 {
		t.Fatalf("%d charts, want one for the size at which programs took part; %d tables", len(s.Charts), len(s.Tables))
	}
	page := s.Lead
	for _, table := range s.Tables {
		page += table.Lead + table.Body
	}
	for _, want := range []string{
		"| churn | 1k | libfast | C | 5 | quadheap | 10 | 2.0 (2.0 to 2.0)",
		"| hold | 1k | heap-c | C | 30 | quadheap | 10 | 0.33 (0.33 to 0.33)",
		"| With 1k timers | 1.00 | 2.0 |",
		"`quadheap` of timerbench takes",
		"| heap-java | Java 17 | a heap | – | 0 | 0 | 10 %",
		"up to 2k timers",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the section does not say %q:\n%s", want, page)
		}
	}
	if strings.Contains(s.Tables[1].Body, "libfast") {
		t.Error("a structure that stands in one language only is no comparison of languages")
	}
	// Elsewhere the structures are ranked alone.
	if best := v.Cells[0].Ranked[0].Structure; best != "quadheap" {
		t.Errorf("the fastest structure is %s", best)
	}
	r.External = nil
	if s := field(viewOf(t, r)); !s.Empty() {
		t.Error("a section without programs")
	}
}
