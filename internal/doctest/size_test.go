package doctest

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// closures are the lines and the number of a package and all its imports from this module, without tests. That is what a
// person must hold in mind to change one thing.
var closures = []struct {
	pkg             string
	lines, packages int
}{
	{"./bench", 14_820, 14},
	{"./report", 12_680, 16},
	{"./trace", 2_010, 2},
	{"./structures/minheap", 1_220, 8},
	{"./structures/auto", 4_370, 11},
	{"./driver", 10_150, 15},
	{"./cmd/timerbench", 50_000, 89},
}

// mostCode and mostTests are lines of Go in the module and the nested modules. mostFiles is the number of Go files in a
// folder, without tests. The ceilings are a little above the sizes: a change that needs more raises them, and says why.
const mostCode, mostTests, mostFiles = 65_420, 39_750, 18

// make size prints what TestSize logs.
func TestSize(t *testing.T) {
	check := func(what string, is, most int) {
		t.Logf("%-38s %6d of %6d", what, is, most)
		if is > most {
			t.Errorf("%s: %d, want at most %d", what, is, most)
		}
	}
	for _, c := range closures {
		list, err := exec.Command("go", "list", "-deps", "-f",
			`{{with .Module}}{{if .Main}}{{range $.GoFiles}}{{$.Dir}}/{{.}}{{"\n"}}{{end}}{{end}}{{end}}`, c.pkg).Output()
		if err != nil {
			t.Fatal(err)
		}
		sum, packages := 0, make(map[string]bool)
		for file := range strings.Lines(string(list)) {
			sum += lines(t, strings.TrimSpace(file))
			packages[filepath.Dir(file)] = true
		}
		check(c.pkg+" and its imports", sum, c.lines)
		check("packages of "+c.pkg, len(packages), c.packages)
	}
	list, err := exec.Command("git", "ls-files", "--cached", "--others", "--exclude-standard", "*.go").Output()
	if err != nil {
		t.Skip("no clone:", err)
	}
	code, tests, files := 0, 0, make(map[string]int)
	for _, file := range strings.Fields(string(list)) {
		switch _, err := os.Stat(file); {
		case err != nil: // removed from the work tree
		case strings.HasSuffix(file, "_test.go"):
			tests += lines(t, file)
		default:
			code += lines(t, file)
			files[filepath.Dir(file)]++
		}
	}
	check("Go without tests", code, mostCode)
	check("tests", tests, mostTests)
	for dir, n := range files {
		if n > mostFiles {
			check("files in "+dir, n, mostFiles)
		}
	}
}

func lines(t *testing.T, file string) int {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Count(text, []byte("\n"))
}
