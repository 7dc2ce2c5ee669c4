package timerbench_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// sizes are the lines of a package and all its imports from this module, without tests. That is what a
// person must hold in mind to change one thing. A size that is not reached yet is printed only.
var sizes = []struct {
	pkg     string
	most    int
	reached bool
}{
	{"./driver", 7_900, true},
	{"./structures/auto", 4_000, true},
	{"./bench/replay", 6_000, true},
	{"./cmd/timerbench", 47_000, false},
}

// mostCode and mostTests are lines of Go in the module and the nested modules. Neither is reached yet.
// mostFiles is the number of Go files in a folder, without tests.
const mostCode, mostTests, mostFiles = 58_000, 32_000, 20

// make size prints what TestSize logs.
func TestSize(t *testing.T) {
	check := func(what string, is, most int, reached bool) {
		t.Logf("%-38s %6d of %6d", what, is, most)
		if is > most && reached {
			t.Errorf("%s: %d, want at most %d", what, is, most)
		}
	}
	for _, s := range sizes {
		list, err := exec.Command("go", "list", "-deps", "-f",
			`{{with .Module}}{{if .Main}}{{range $.GoFiles}}{{$.Dir}}/{{.}}{{"\n"}}{{end}}{{end}}{{end}}`, s.pkg).Output()
		if err != nil {
			t.Fatal(err)
		}
		sum := 0
		for file := range strings.Lines(string(list)) {
			sum += lines(t, strings.TrimSpace(file))
		}
		check(s.pkg+" and its imports", sum, s.most, s.reached)
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
	check("Go without tests", code, mostCode, false)
	check("tests", tests, mostTests, false)
	for dir, n := range files {
		if n > mostFiles {
			check("files in "+dir, n, mostFiles, true)
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
