package report

import (
	"bytes"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/results/store"
	"github.com/timerbench/timerbench/internal/doctest"
	"github.com/timerbench/timerbench/internal/fail"
	"github.com/timerbench/timerbench/structures/catalog"
)

// onMachine are results of a machine with a cell for each map.
func onMachine(cpu string, cells ...map[string]float64) results.Named {
	r := costs(cells...)
	r.Environment = results.Environment{CPU: cpu, Cores: 4, Revision: "0123456789abcdef"}
	return results.Named{Name: strings.ToLower(cpu) + ".json", Run: r}
}

func TestThePageOfSeveralMachinesSaysWhatHolds(t *testing.T) {
	one := onMachine("One",
		map[string]float64{"hwheel": 10, "rbtree": 20},               // the same everywhere
		map[string]float64{"hwheel": 10, "rbtree": 15, "ladder": 13}, // another one
		map[string]float64{"hwheel": 10, "rbtree": 10.1},             // a tie here
	)
	two := onMachine("Two",
		map[string]float64{"hwheel": 30, "rbtree": 50},
		map[string]float64{"hwheel": 30, "rbtree": 20, "ladder": 22},
		map[string]float64{"hwheel": 13, "rbtree": 10},
	)
	one.Environment.L1Data, one.Environment.L2 = 32<<10, 1<<20
	two.Environment.Revision = "fedcba9876543210"
	page := Machines([]results.Named{one, two}, catalog.All()).Markdown()
	fail.Unless(t, page,
		"In 1 of 3 cells all 2 machines name the same structure. In 1 more one structure ties with the fastest on all. At worst, without the loop, the structure that one machine names takes 1.50 times as long",
		"The runs are of 2 revisions of timerbench",
		"- **A**: One, 4 cores, 32.8 kB, 1.05 MB, 1 January 0001, revision 0123456789ab, one.json\n",
	)
	var lines [][]string
	for line := range strings.Lines(page) {
		if cells := strings.Split(strings.Trim(line, "| \n"), " | "); len(cells) == 5 {
			lines = append(lines, cells[1:])
		}
	}
	for _, want := range [][]string{
		{"hwheel 10 ns", "hwheel 30 ns", "hwheel", "–"},
		{"hwheel 10 ns", "rbtree 20 ns", "none", "hwheel 1.50 ×"},
		{"hwheel 10 ns", "rbtree 10 ns", "rbtree?", "hwheel 1.30 ×"},
	} {
		if !slices.ContainsFunc(lines, func(line []string) bool { return slices.Equal(line, want) }) {
			t.Errorf("no line has %q:\n%s", want, page)
		}
	}
	if page := Machines([]results.Named{one, onMachine("Other")}, catalog.All()).String(); !strings.HasPrefix(page, "These results have no cell in common.") {
		t.Error(page)
	}
}

// docs/results/machines.md is the page of all kept runs, and docs/limits.md has its paragraph on cells.
func TestTheKeptPageOfMachinesIsThatOfTheKeptRuns(t *testing.T) {
	files, err := filepath.Glob("../docs/results/*.json.gz")
	if err != nil || len(files) == 0 {
		t.Fatalf("%v: %d kept runs", err, len(files))
	}
	var kept []results.Named // by name
	for _, f := range files {
		r, err := store.ReadFile(f)
		fail.If(t, err)
		kept = append(kept, results.Named{Name: filepath.Base(f), Run: r})
	}
	page := "# Timer structures on several machines\n\n" + Machines(kept, catalog.All()).Markdown()
	golden(t, "../../docs/results/machines.md", []byte(page), bytes.Equal)
	cells := regexp.MustCompile(`(?m)^In \d+ of \d+ cells .*\n`).FindString(page)
	doctest.Generated(t, *update, "../docs/limits.md", "<!-- cells: written by make docs -->\n", "<!-- end of cells -->\n", cells)
}
