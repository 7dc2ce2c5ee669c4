package report

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/timerbench/timerbench/bench/results"
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
		map[string]float64{"hwheel": 10, "rbtree": 15, "hidden": 13}, // another one
		map[string]float64{"hwheel": 10, "rbtree": 10.1},             // a tie here
	)
	two := onMachine("Two",
		map[string]float64{"hwheel": 30, "rbtree": 50},
		map[string]float64{"hwheel": 30, "rbtree": 20, "hidden": 22},
		map[string]float64{"hwheel": 13, "rbtree": 10},
	)
	dir := filepath.Join(t.TempDir(), "deep", "machines")
	lead, err := WriteMachines(dir, []results.Named{one, two})
	if err != nil {
		t.Fatal(err)
	}
	if want := "Of 3 cells, 2 have a winner that holds on all 2 machines, 0 are open, and 1 have none. At worst the winner of one machine takes 1.50 times as long"; !strings.Contains(lead, want) {
		t.Errorf("it says %q, want %q", lead, want)
	}
	data, err := os.ReadFile(filepath.Join(dir, Page))
	if err != nil {
		t.Fatal(err)
	}
	var lines [][]string
	for line := range strings.Lines(string(data)) {
		if cells := strings.Split(strings.Trim(line, "| \n"), " | "); len(cells) == 6 {
			lines = append(lines, cells[1:])
		}
	}
	for _, want := range [][]string{
		{"One, 4 cores", "", "1 January 0001", "0123456789ab", "one.json"},
		{"hwheel 10 ns", "hwheel 30 ns", "hwheel", "–", "hwheel 1.00 ×"},
		{"hwheel 10 ns", "rbtree 20 ns", "none", "hwheel 1.50 ×", "hidden 1.30 ×"},
		{"hwheel 10 ns", "rbtree 10 ns", "rbtree", "hwheel 1.30 ×", "rbtree 1.01 ×"},
	} {
		if !slices.ContainsFunc(lines, func(line []string) bool { return slices.Equal(line, want) }) {
			t.Errorf("no line has %q:\n%s", want, data)
		}
	}
	html, err := os.ReadFile(filepath.Join(dir, HTMLPage))
	if err != nil || !strings.Contains(string(html), "<td") || strings.Contains(string(html), "<script") {
		t.Errorf("%v: %d bytes of HTML", err, len(html))
	}
	if _, err := WriteMachines(dir, []results.Named{one}); err == nil {
		t.Error("one machine is compared with none")
	}
	other := onMachine("Other")
	if lead, err := WriteMachines(dir, []results.Named{one, other}); err != nil || lead != "These results have no cell in common." {
		t.Errorf("%v, %q", err, lead)
	}
}
