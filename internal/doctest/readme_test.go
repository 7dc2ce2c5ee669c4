package doctest

import (
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

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
var classic = append(entry.Classics[:], answer.Default)

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
	runs, err := keptRuns()
	v := answer.VerdictOf(runs, catalog.All())
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

// anchors returns the headings of a page as GitHub names them in links.
func anchors(t *testing.T, page string) (list []string) {
	t.Helper()
	for _, m := range regexp.MustCompile(`(?m)^#+ (.*)$`).FindAllStringSubmatch(read(t, page), -1) {
		words := regexp.MustCompile(`[^\w -]`).ReplaceAllString(strings.ToLower(m[1]), "")
		list = append(list, strings.ReplaceAll(words, " ", "-"))
	}
	return list
}

// The files and headings to which documents link exist, and so does each target of make that they name.
func TestLinksAndTargetsOfTheDocumentsExist(t *testing.T) {
	pages, err := filepath.Glob("docs/*.md")
	if err != nil || len(pages) < 5 {
		t.Fatalf("%d pages in docs: %v", len(pages), err)
	}
	makefile, targets := read(t, "Makefile"), 0
	for _, page := range append(pages, readme, "CONTRIBUTING.md", "SECURITY.md", "examples/README.md", "traces/README.md") {
		text := read(t, page)
		for _, m := range regexp.MustCompile(`\]\(([^)#\s]*)#?([^)\s]*)\)`).FindAllStringSubmatch(text, -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			target := page
			if m[1] != "" {
				target = filepath.Join(filepath.Dir(page), m[1])
			}
			if _, err := os.Stat(target); err != nil || m[2] != "" && !slices.Contains(anchors(t, target), m[2]) {
				t.Errorf("%s: link to %s#%s: there is none (%v)", page, target, m[2], err)
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
