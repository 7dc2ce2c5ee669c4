// Package timerbench_test holds the README to what it says.
package timerbench_test

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/timerbench/timerbench/report/advice"
	"github.com/timerbench/timerbench/structures/catalog"
)

var update = flag.Bool("update", false, "rewrite what the README says of the structures and the results")

const (
	readme     = "README.md"
	tableBegin = "<!-- structures: written by go test -run README -update . -->\n"
	tableEnd   = "<!-- end of structures -->\n"

	verdictBegin = "<!-- verdict: written by go test -run README -update . -->\n"
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

// structuresTable is what the catalog says.
func structuresTable() string {
	var b strings.Builder
	b.WriteString("| structure | what it is, and who uses it | schedule | cancel | pop | equal deadlines |\n|---|---|---|---|---|---|\n")
	for _, e := range catalog.All() {
		ties := "any order"
		if e.Ties == catalog.FIFO {
			ties = "FIFO"
		}
		fmt.Fprintf(&b, "| [`%s`](%s) | %s | %s | %s | %s | %s |\n",
			e.Name, strings.TrimPrefix(e.Package, "github.com/timerbench/timerbench/"), e.Summary, e.Costs.Schedule, e.Costs.Cancel, e.Costs.Pop, ties)
	}
	return b.String()
}

// generated checks what the README has between two marks, or rewrites it.
func generated(t *testing.T, begin, end, want string) {
	t.Helper()
	text := read(t, readme)
	before, rest, ok := strings.Cut(text, begin)
	got, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("nothing between %q and %q", begin, end)
	}
	if *update {
		if err := os.WriteFile(readme, []byte(before+begin+want+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if got != want {
		t.Errorf("the README says (run with -update):\n%s\nwant:\n%s", got, want)
	}
}

func TestREADMETableIsTheCatalog(t *testing.T) {
	generated(t, tableBegin, tableEnd, structuresTable())
}

// The verdict is that of the results in docs/results.
func TestREADMEVerdictIsThatOfTheResults(t *testing.T) {
	r, err := advice.Committed()
	if err != nil {
		t.Fatal(err)
	}
	verdict := advice.New(r).Verdict(func(name string) string {
		e, _ := catalog.Find(name)
		return fmt.Sprintf("[`%s`](%s)", name, strings.TrimPrefix(e.Package, "github.com/timerbench/timerbench/"))
	})
	if verdict == "" {
		t.Fatal("the results give no verdict")
	}
	generated(t, verdictBegin, verdictEnd, strings.ReplaceAll(verdict, ". ", ".\n")+"\n")
}

// The code in the README is the body of the Example, which runs.
func TestREADMECodeRuns(t *testing.T) {
	blocks := regexp.MustCompile("(?s)```go\n(.*?)```").FindAllStringSubmatch(read(t, readme), -1)
	if len(blocks) == 0 {
		t.Fatal("no code")
	}
	strip := func(s string) string { return strings.Join(strings.Fields(s), " ") }
	example := strip(read(t, "example_test.go"))
	for _, b := range blocks {
		if !strings.Contains(example, strip(b[1])) {
			t.Errorf("this code is not in example_test.go:\n%s", b[1])
		}
	}
}

func TestREADMELinksAndTargetsExist(t *testing.T) {
	text := read(t, readme) + read(t, "CONTRIBUTING.md")
	for _, m := range regexp.MustCompile(`\]\(([^)#\s]+)[^)\s]*\)`).FindAllStringSubmatch(text, -1) {
		if strings.Contains(m[1], "://") {
			continue
		}
		if _, err := os.Stat(m[1]); err != nil {
			t.Errorf("link to %s: %v", m[1], err)
		}
	}
	makefile := read(t, "Makefile")
	for _, m := range regexp.MustCompile("(?m)`make ([a-z-]+)|^make ([a-z-]+)").FindAllStringSubmatch(text, -1) {
		if target := m[1] + m[2]; !strings.Contains(makefile, "\n"+target+":") {
			t.Errorf("the Makefile has no target %q", target)
		}
	}
}

// Importing one structure must not bring in what another one, the suite or the
// report needs.
func TestStructuresNeedTheStandardLibraryOnly(t *testing.T) {
	for _, e := range catalog.All() {
		if e.ThirdParty != "" {
			continue
		}
		out, err := exec.Command("go", "list", "-deps", "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}", e.Package).Output()
		if err != nil {
			t.Fatal(err)
		}
		for dep := range strings.FieldsSeq(string(out)) {
			if !strings.HasPrefix(dep, "github.com/timerbench/timerbench/structures") {
				t.Errorf("%s needs %s", e.Package, dep)
			}
		}
	}
}

// What a program needs for its timers must not bring in what measures them.
func TestTheDriverNeedsTheStructuresOnly(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}", "./driver").Output()
	if err != nil {
		t.Fatal(err)
	}
	for dep := range strings.FieldsSeq(string(out)) {
		if !regexp.MustCompile("^github.com/timerbench/timerbench/(structures|driver)").MatchString(dep) {
			t.Errorf("driver needs %s", dep)
		}
	}
}
