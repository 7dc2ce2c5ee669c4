package report

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/stats"
	"github.com/timerbench/timerbench/internal/doctest"
	"github.com/timerbench/timerbench/report/answer"
	"github.com/timerbench/timerbench/report/section"
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
	two.Environment.L1Data, two.Environment.L2, two.Environment.Revision = 4<<10, 1<<20, "fedcba9876543210"
	dir := filepath.Join(t.TempDir(), "deep", "machines")
	lead, err := WriteMachines(dir, []results.Named{one, two}, catalog.All())
	if err != nil {
		t.Fatal(err)
	}
	if want := "Of 3 cells, 2 have a winner that holds on all 2 machines, 0 are open, and 1 have none. At worst the winner of one machine takes 1.50 times as long"; !strings.Contains(lead, want) {
		t.Errorf("it says %q, want %q", lead, want)
	}
	if want := "the cause is the caches in 1 cell, the core in 0, and unknown caches in 0. The runs are of 2 revisions of timerbench"; !strings.Contains(lead, want) {
		t.Errorf("it says %q, want %q", lead, want)
	}
	data, err := os.ReadFile(filepath.Join(dir, Page))
	if err != nil {
		t.Fatal(err)
	}
	var lines [][]string
	for line := range strings.Lines(string(data)) {
		if cells := strings.Split(strings.Trim(line, "| \n"), " | "); len(cells) >= 6 {
			lines = append(lines, cells[1:])
		}
	}
	for _, want := range [][]string{
		{"One, 4 cores", "", "32.8 kB, 1.05 MB", "1 January 0001", "revision 0123456789ab", "one.json"},
		{"hwheel 10 ns", "hwheel 30 ns", "hwheel", "–", "hwheel 1.00 ×"},
		{"hwheel 10 ns", "rbtree 20 ns", "none", "hwheel 1.50 ×", "ladder 1.30 ×", "caches: 9.2 kB in L1 of A, L2 of B"},
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
	for cause, l1 := range map[string]int{"the core in 1": one.Environment.L1Data, "unknown caches in 1": 0} {
		two.Environment.L1Data = l1
		if lead, err := WriteMachines(dir, []results.Named{one, two}, catalog.All()); err != nil || !strings.Contains(lead, cause) {
			t.Errorf("%v, %q does not say %q", err, lead, cause)
		}
	}
	other := onMachine("Other")
	if lead, err := WriteMachines(dir, []results.Named{one, other}, catalog.All()); err != nil || lead != "These results have no cell in common." {
		t.Errorf("%v, %q", err, lead)
	}
}

// docs/results/machines.md is the page of all kept runs, and docs/limits.md has its paragraph on cells.
func TestTheKeptPageOfMachinesIsThatOfTheKeptRuns(t *testing.T) {
	var kept []results.Named
	for name, r := range keptRuns(t) {
		kept = append(kept, results.Named{Name: name, Run: r})
	}
	slices.SortFunc(kept, func(a, b results.Named) int { return strings.Compare(a.Name, b.Name) })
	dir := t.TempDir()
	if _, err := WriteMachines(dir, kept, catalog.All()); err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(dir, Page))
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "../../docs/results/machines.md", page, bytes.Equal)
	cells := regexp.MustCompile(`(?m)^Of \d+ cells, .*\n`).FindString(string(page))
	doctest.Generated(t, *update, "../docs/limits.md", "<!-- cells: written by make docs -->\n", "<!-- end of cells -->\n", cells)
}

// printed is a number as a table writes it: it stands for all values that are rounded to it.
type printed struct{ low, high float64 }

// parsePrinted reads the number at the start of a cell of a Markdown table; ok is false where there is none.
func parsePrinted(cell string) (p printed, ok bool) {
	cell, _, _ = strings.Cut(strings.NewReplacer("*", "", ",", "").Replace(strings.TrimSpace(cell)), " ")
	scale := 1.0
	if digits, thousands := strings.CutSuffix(cell, "k"); thousands {
		cell, scale = digits, 1000
	}
	v, err := strconv.ParseFloat(cell, 64)
	if err != nil {
		return p, false
	}
	unit := 1.0
	if _, decimals, found := strings.Cut(cell, "."); found {
		unit = math.Pow10(-len(decimals))
	}
	// Figure writes three digits, and drops zeros at the end.
	half := max(unit/2, math.Pow10(int(math.Floor(math.Log10(max(v, 1e-9))))-2)/2)
	return printed{scale * (v - half), scale * (v + half)}, true
}

// In every table with a column of nanoseconds and one of multiples of the fastest, each pair agrees within what rounding
// explains.
func TestPrintedCostsAgreeWithPrintedRatios(t *testing.T) {
	t.Parallel()
	for name, r := range keptRuns(t) {
		content := markdownOf(t, section.NewView(answer.Of(r, catalog.All())))
		pairs := 0
		var lines [][]string // of the table
		for line := range strings.Lines(content + "\n\n") {
			if strings.HasPrefix(line, "|") {
				lines = append(lines, strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|"))
				continue
			}
			if len(lines) > 0 {
				pairs += comparePairs(t, name, lines)
			}
			lines = nil
		}
		if pairs < 1000 {
			t.Errorf("%s: %d pairs of a cost and a ratio, want 1000 at least", name, pairs)
		}
	}
}

// comparePairs compares the pairs of columns of a table, a cost and then a ratio, and counts the pairs.
func comparePairs(t *testing.T, run string, lines [][]string) (pairs int) {
	t.Helper()
	for column, head := range lines[0] {
		if strings.TrimSpace(head) != "×" {
			continue
		}
		var fastest printed
		for _, line := range lines[1:] {
			// A control or an intrusive structure may take a little less than the fastest structure.
			other := strings.Contains(line[0], "_") || strings.Contains(line[0], "intrusive-")
			if ratio, ok := parsePrinted(line[column]); ok && !other && ratio.low < 1 && ratio.high > 1 {
				if ns, _ := parsePrinted(line[column-1]); fastest.high == 0 || ns.high < fastest.high {
					fastest = ns
				}
			}
		}
		for _, line := range lines[1:] {
			ratio, ok := parsePrinted(line[column])
			ns, found := parsePrinted(line[column-1])
			if !ok || !found {
				continue
			}
			pairs++
			if ns.high < fastest.low*ratio.low || ns.low > fastest.high*ratio.high {
				t.Errorf("%s: %s: %s ns is printed as %s times the fastest, which takes %.4g to %.4g ns",
					run, line[0], line[column-1], line[column], fastest.low, fastest.high)
			}
		}
	}
	return pairs
}

// The cost that an answer prints is that of the page for the same cell. Where the answer rests on one cell, the costs have the
// printed ratios.
func TestAnswersPrintTheCostsOfThePage(t *testing.T) {
	t.Parallel()
	for name, r := range keptRuns(t) {
		run := answer.Of(r, catalog.All())
		adviser, compared := run.Adviser(), 0
		for _, n := range []float64{100, 1e3, 1e4, 1e5, 1e6} {
			for _, q := range []answer.Question{
				{N: n, Delays: "uniform"}, {N: n, Cancel: 0.9, Delays: "clustered"}, {N: n, Cancel: 0.5, Delays: "uniform", Late: true},
				{N: n, Cancel: answer.Unknown, Reschedule: answer.Unknown}, {N: n, Cancel: 0.9, Reschedule: 0.98},
			} {
				x, err := adviser.Answer(q)
				if err != nil {
					continue
				}
				var cell *stats.Costs
				for _, c := range run.CellsOf(x.Evidence[0].Workload) {
					if c.N == x.Evidence[0].N {
						cell = c
					}
				}
				for _, s := range x.Ranking {
					if s.Structure != x.Name && len(x.Evidence) > 1 { // its ratio is over several cells
						if s.NS != 0 || s.TailNS != 0 {
							t.Errorf("%s: %s: %s has the times of one cell", name, x.Words(), s.Structure)
						}
						continue
					}
					if s.NS == 0 && float64(cell.N) < n { // a linear structure, whose time grows
						continue
					}
					if want := cell.Cost(cell.Row(s.Structure)).Center; s.NS != want {
						t.Errorf("%s: %s: %s takes %v ns, and %v on the page", name, x.Words(), s.Structure, s.NS, want)
					}
					if first := x.Of(x.Name); len(x.Evidence) == 1 && s.NS > 0 {
						compared++
						if ratio := s.NS / first.NS; math.Abs(ratio-s.Times.Center) > 1e-6*ratio {
							t.Errorf("%s: %s: %s takes %v ns, %v times the %v ns of %s", name, x.Words(), s.Structure, s.NS, s.Times.Center, first.NS, first.Structure)
						}
					}
				}
			}
		}
		if compared < 100 {
			t.Errorf("%s: %d costs compared, want 100 at least", name, compared)
		}
	}
}

// keptRuns returns the runs that are part of the sources, by file name.
func keptRuns(t *testing.T) map[string]*results.Run {
	t.Helper()
	runs, err := readKept()
	if err != nil || len(runs) == 0 {
		t.Fatalf("%v: %d kept runs", err, len(runs))
	}
	return runs
}

var readKept = sync.OnceValues(func() (map[string]*results.Run, error) {
	files, err := filepath.Glob("../docs/results/*.json.gz")
	out := make(map[string]*results.Run)
	for _, f := range files {
		if err == nil {
			out[filepath.Base(f)], err = results.ReadFile(f)
		}
	}
	return out, err
})
