// Package timerbench_test checks the README.
package doctest

import (
	"cmp"
	"flag"
	"fmt"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/timerbench/timerbench/bench/results"
	kept "github.com/timerbench/timerbench/docs/results"
	"github.com/timerbench/timerbench/report/answer"
	"github.com/timerbench/timerbench/report/section"
	"github.com/timerbench/timerbench/structures/catalog"
	"github.com/timerbench/timerbench/structures/entry"
)

var update = flag.Bool("update", false, "rewrite what the README says of the structures and the results")

const (
	readme     = "README.md"
	tableBegin = "<!-- structures: written by make docs -->\n"
	tableEnd   = "<!-- end of structures -->\n"

	verdictBegin = "<!-- verdict: written by make docs -->\n"
	verdictEnd   = "<!-- end of verdict -->\n"
)

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// classic lists the structures that most readers look for. The README folds the others.
var classic = []string{"auto", "minheap", "quadheap", "wheel", "hwheel", "rbtree", "skiplist"}

// structuresTable returns the table of the classic structures, then the folded table of the others.
func structuresTable() string {
	const head = "| structure | description and users | schedule | cancel | pop | equal deadlines |\n|---|---|---|---|---|---|\n"
	var first, others strings.Builder
	for _, e := range catalog.All() {
		ties := "unspecified"
		if e.Ties == entry.FIFO {
			ties = "FIFO"
		}
		table := &others
		if slices.Contains(classic, e.Name) {
			table = &first
		}
		fmt.Fprintf(table, "| [`%s`](%s) | %s | %s | %s | %s | %s |\n",
			e.Name, strings.TrimPrefix(e.Package, "github.com/timerbench/timerbench/"), withLinks(e.Summary), e.Costs.Schedule, e.Costs.Cancel, e.Costs.Pop, ties)
	}
	return narrow.Replace(fmt.Sprintf("%s%s\n<details><summary>%d more structures</summary>\n\n%s%s\n</details>\n",
		head, first.String(), len(catalog.All())-len(classic), head, others.String()))
}

// narrow leaves out the spaces at the edges of the cells of a table in Markdown.
var narrow = strings.NewReplacer(" | ", "|", "| ", "|", " |", "|")

func TestREADMETableIsTheCatalog(t *testing.T) {
	Generated(t, *update, readme, tableBegin, tableEnd, structuresTable())
}

// The verdict is that of all results in docs/results together, in three sentences with rounded figures.
func TestREADMEVerdictIsThatOfTheResults(t *testing.T) {
	v, err := answer.Kept(catalog.All())
	if err != nil || len(v.Means) < 2 {
		t.Fatalf("%v, %+v", err, v)
	}
	paths, _ := filepath.Glob("docs/live/*.json.gz")
	if len(paths) == 0 {
		t.Fatal("docs/live has no run")
	}
	live, _ := liveRun(t, paths[len(paths)-1])
	var ratios []float64
	for _, loop := range section.LoopsOn(live, answer.Default) {
		ratios = append(ratios, loop.Ratio())
	}
	slices.Sort(ratios)
	verdict := "- **Your timers cost little?** Keep package time: " + recordedPrograms(t) + " [recorded programs](docs/recordings.md) spend " + recordedCosts(t) + " on timers.\n" +
		fmt.Sprintf("- **They cost more?** Take the [driver](docs/driver.md): the loops of users take %.1f times as long as with package time, at worst %.1f times.\n",
			ratios[len(ratios)/2], ratios[len(ratios)-1]) +
		fmt.Sprintf("- **You run the loop yourself?** Take [`%s`](structures/%[1]s): at most %.0f %% slower than the fastest structure, on average, [on all machines](docs/results/machines.md).\n",
			answer.Default, math.Ceil(100*(slices.Max(v.Means)-1)))
	Generated(t, *update, readme, verdictBegin, verdictEnd, verdict)
}

// The code in the README is the body of an Example, which runs.
func TestREADMECodeRuns(t *testing.T) {
	blocks := regexp.MustCompile("(?s)```go\n(.*?)```").FindAllStringSubmatch(read(t, readme), -1)
	if len(blocks) < 2 {
		t.Fatalf("%d blocks of code, want at least 2", len(blocks))
	}
	strip := func(s string) string { return strings.Join(strings.Fields(s), " ") }
	example := strip(read(t, "example_test.go"))
	for _, b := range blocks {
		if !strings.Contains(example, strip(b[1])) {
			t.Errorf("this code is not in example_test.go:\n%s", b[1])
		}
	}
}

// What docs/driver.md says that the driver has is exported by it.
func TestTheDriverHasWhatItsPageNames(t *testing.T) {
	files, err := filepath.Glob("driver/*.go")
	if err != nil {
		t.Fatal(err)
	}
	var source strings.Builder
	for _, file := range files {
		source.WriteString(read(t, file))
	}
	named := regexp.MustCompile("`([A-Z]\\w+)\\(").FindAllStringSubmatch(read(t, "docs/driver.md"), -1)
	for _, m := range named {
		if !regexp.MustCompile(`(?m)^func (\(\w+ \*?\w+(\[T\])?\) )?` + m[1] + `[(\[]`).MatchString(source.String()) {
			t.Errorf("the driver has no %s", m[1])
		}
	}
	for _, m := range regexp.MustCompile(`(?m)^func \(d \*Driver\) ([A-Z]\w+)\(.*(\*Timer|\*ChanTimer|\*Ticker|Handle|context.CancelFunc|<-chan time.Time)\)? \{`).FindAllStringSubmatch(source.String(), -1) {
		if !strings.Contains(read(t, "driver/doc.go"), m[1]) {
			t.Errorf("driver/doc.go does not say when to use %s", m[1])
		}
	}
	if len(named) < 25 {
		t.Errorf("%d functions and methods are named", len(named))
	}
}

// Whatever the documents link to exists, and so does each target of make that they name.
func TestLinksAndTargetsOfTheDocumentsExist(t *testing.T) {
	pages, err := filepath.Glob("docs/*.md")
	if err != nil || len(pages) < 5 {
		t.Fatalf("%d pages in docs: %v", len(pages), err)
	}
	makefile, targets := read(t, "Makefile"), 0
	for _, page := range append(pages, readme, "CONTRIBUTING.md") {
		text := read(t, page)
		for _, m := range regexp.MustCompile(`\]\(([^)#\s]+)[^)\s]*\)`).FindAllStringSubmatch(text, -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			if _, err := os.Stat(filepath.Join(filepath.Dir(page), m[1])); err != nil {
				t.Errorf("%s: link to %s: %v", page, m[1], err)
			}
		}
		for _, m := range regexp.MustCompile("(?m)`make ([a-z-]+)|^ *make ([a-z-]+)").FindAllStringSubmatch(text, -1) {
			targets++
			if target := m[1] + m[2]; !strings.Contains(makefile, "\n"+target+":") {
				t.Errorf("%s: the Makefile has no target %q", page, target)
			}
		}
	}
	if targets < 8 {
		t.Errorf("%d targets are named, want at least 8", targets)
	}
}

// The README names the structures that fire late, and the structures that allocate.
func TestREADMESaysWhatDoesNotHoldForAll(t *testing.T) {
	_, text, _ := strings.Cut(read(t, readme), tableEnd)
	text, _, _ = strings.Cut(text, "\n## ")
	for _, e := range catalog.All() {
		if named, want := strings.Contains(text, "`"+e.Name+"`"), !e.Exact() || e.Allocates; named != want {
			t.Errorf("%s: exact %t, allocates %t, and the paragraph below the table names it: %t", e.Name, e.Exact(), e.Allocates, named)
		}
	}
}

// Importing one structure must not bring in what another one, the suite or the report needs, and
// what a program needs for its timers not what measures them.
func TestImportsStayFew(t *testing.T) {
	ours := []string{"go", "list", "-deps", "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}"}
	list := ours
	for _, e := range catalog.All() {
		if e.ThirdParty == "" {
			list = append(list, e.Package)
		}
	}
	for _, c := range []struct {
		command []string
		allowed string
	}{{list, "structures"}, {append(ours, "./driver"), "(structures|driver)"}} {
		out, err := exec.Command(c.command[0], c.command[1:]...).Output()
		if err != nil {
			t.Fatal(err)
		}
		allowed := regexp.MustCompile("^github.com/timerbench/timerbench/" + c.allowed)
		for dep := range strings.FieldsSeq(string(out)) {
			if !allowed.MatchString(dep) {
				t.Errorf("%s must not be imported by %q", dep, c.command[5:])
			}
		}
	}
}

// partsTable returns the table of the parts of the time of a run, by size of the cells; "": the run does not know them.
func partsTable(r *results.Run) string {
	const many = 300_000
	var sums [2]map[string]float64
	var seconds [2]float64
	for i := range sums {
		sums[i] = make(map[string]float64)
	}
	for _, c := range r.Cells {
		of := 0
		if c.N >= many {
			of = 1
		}
		for part, s := range c.Parts {
			sums[of][part] += s
			seconds[of] += s
		}
	}
	if seconds[0] == 0 || seconds[1] == 0 {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "The cells of the kept run on %s took %.0f s:\n\n| part | few timers | 300,000 and more |\n|---|---:|---:|\n",
		r.Environment.CPU, seconds[0]+seconds[1])
	parts := slices.SortedFunc(maps.Keys(sums[0]), func(a, b string) int {
		return cmp.Compare(sums[0][b]+sums[1][b], sums[0][a]+sums[1][a])
	})
	for _, part := range parts {
		fmt.Fprintf(&b, "| %s | %.0f %% | %.0f %% |\n", part, 100*sums[0][part]/seconds[0], 100*sums[1][part]/seconds[1])
	}
	return b.String()
}

func TestREADMEOfMeasuringSaysWhereTheTimeGoes(t *testing.T) {
	last, err := kept.Last()
	if err != nil {
		t.Fatal(err)
	}
	Generated(t, *update, "docs/measuring.md", "<!-- parts: written by make docs -->\n", "<!-- end of parts -->\n", partsTable(last))
}
