package section

import (
	"strings"
	"testing"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/stats"
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
	if len(s.Charts) != 1 || len(s.Tables) < 4 {
		t.Fatalf("%d charts, want one for the size at which programs took part; %d tables", len(s.Charts), len(s.Tables))
	}
	page := s.Lead.Markdown()
	for _, table := range s.Tables {
		page += table.Lead.Markdown() + table.Body.Markdown()
	}
	says(t, page,
		"| churn | 1k | libfast | C | 5 | 3 | quadheap | 10 | 7.5 | 2.0 (", ") | 1.25 (",
		"| hold | 1k | heap-c | C | 30 | – | quadheap | 10 | – | 0.33 (", ") | – |",
		"| With 1k timers | 1.00 | 2.0 |",
		"`quadheap` of timerbench takes",
		"| heap-java | Java 17 | a heap | – | 0 | 0 | 10 %",
		"up to 2k timers",
	)
	if strings.Contains(s.Tables[2].Body.Markdown(), "libfast") {
		t.Error("a structure that stands in one language only is no comparison of languages")
	}
	if html := s.Tables[2].Body.HTML(); !strings.Contains(html, `data-structure="heap-java">heap-java</th>`) {
		t.Errorf("the heading of a column does not carry its program: %s", html)
	}
	// Elsewhere the structures are ranked alone.
	if best := v.Cells[0].Fastest().Structure; best != "quadheap" {
		t.Errorf("the fastest structure is %s", best)
	}
	r.External = nil
	if s := otherLanguages(viewOf(t, r)); !s.Empty() {
		t.Error("a section without programs")
	}
}

// An interval from nothing to everything says nothing and is not printed.
func TestAWideRatioHasNoInterval(t *testing.T) {
	t.Parallel()
	sample := func(rounds int, ns ...float64) (out []stats.Sample) {
		for i := range rounds {
			out = append(out, stats.Sample{Round: i, Value: ns[i%len(ns)]})
		}
		return out
	}
	for rounds, want := range map[int]string{0: "–", 1: "0.50", 6: "0.87 (0.50 to 1.50)"} {
		if got := TimesOf(stats.Ratio(sample(rounds, 10, 30), sample(rounds, 20, 20))).String(); got != want {
			t.Errorf("%d rounds: %q, want %q", rounds, got, want)
		}
	}
	if got := TimesOf(stats.Ratio(sample(3, 10, 1e6, 1), sample(3, 20, 20, 20))).String(); !strings.HasSuffix(got, " (interval not known)") {
		t.Errorf("an interval from nothing to everything: %s", got)
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

func TestIntrusiveStructuresAreComparedWithThoseByID(t *testing.T) {
	t.Parallel()
	v := viewOf(t, &results.Run{Cells: []results.Cell{
		embed(timed("hold", 1000, map[string]float64{"auto": 10, "hwheel": 20, "intrusive-hwheel": 20, "intrusive-heap": 30, "null": 2, "intrusive-null": 3})),
		embed(timed("hold", 1_000_000, map[string]float64{"auto": 80, "hwheel": 64, "intrusive-hwheel": 32, "intrusive-heap": 320})),
		timed("churn", 1000, map[string]float64{"auto": 10, "hwheel": 20}),
	}}, "auto")
	s := intrusive(v)
	page := s.Lead.Markdown() + s.Tables[0].Body.Markdown()
	says(t, page,
		"With up to 10,000 timers, `intrusive-hwheel` takes 2.0 times as long as `auto` (geometric mean over 1 cell).",
		"With more timers, `intrusive-hwheel` takes 0.40 times as long as `auto` (geometric mean over 1 cell).",
		"| hold | 1k | auto | 10 | 2 | intrusive-hwheel | 20 | 3 | 2.0",
		"| hold | 1M | hwheel | 64 | – | intrusive-hwheel | 32 | – | 0.50",
	)
	for _, c := range v.Cells {
		if c.Structures() != 2 || strings.HasPrefix(c.Fastest().Structure, "intrusive-") {
			t.Errorf("%s: %d structures are ranked, %s is the first", c.Workload, c.Structures(), c.Fastest().Structure)
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
	says(t, page,
		"| churn | 1k | libfast | C | 8 | 1 | quadheap | 10 | 3 | 1.25",
		"| churn | 1k | heap-c | C | 4 | 1 | intrusive-hwheel | 6 | 2 | 1.50",
		"| churn | 1k | quadheap | 10 | 3 | intrusive-hwheel | 6 | 2 | 0.60",
	)
	if len(s.Charts) != 2 || s.Charts[1].Name != "other-languages-intrusive-1k" {
		t.Errorf("%d charts", len(s.Charts))
	}
}
