package report

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/timerbench/timerbench/bench/results"
)

func TestIDsAreUnique(t *testing.T) {
	t.Parallel()
	id := ids()
	for _, c := range []struct{ title, want string }{
		{"Which one should I use?", "which-one-should-i-use"},
		{"hold, N = 1k: cost", "hold-n-1k-cost"},
		{"Hold; n 1k, cost", "hold-n-1k-cost-2"},
		{"hold-n-1k-cost-2", "hold-n-1k-cost-2-2"},
		{"latency-x/../../../NAME\x00-10", "latency-x-name-10"},
		{strings.Repeat("ä", 300), strings.Repeat("ä", longestID/2)},
		{strings.Repeat("ä", 300), strings.Repeat("ä", longestID/2) + "-2"},
		{"not \xff UTF-8", "not-utf-8"},
	} {
		if got := id(c.title); got != c.want {
			t.Errorf("%s: %s, want %s", c.title, got, c.want)
		}
	}
}

// The names in a results file do not decide where files are written.
func TestNamesFromAFileAreNoPaths(t *testing.T) {
	t.Parallel()
	f := fixture{structures: []string{"hwheel"}, sizes: []int{10}, trials: 6,
		workloads: []string{"x/../../../escaped", "x/../../../Escaped", "/escaped", `..\escaped`, strings.Repeat("long", 100)}}
	root := t.TempDir()
	dir := filepath.Join(root, "a", "b", "out")
	written, err := files(dir, f.results(), testKnowledge(six), testDPI)
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			found = append(found, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range found {
		if filepath.Dir(path) != dir {
			t.Errorf("%s lies outside %s", path, dir)
		}
	}
	slices.Sort(written)
	if !slices.Equal(found, written) {
		t.Errorf("files %q, want those that are reported as written: %q", found, written)
	}
}

// The suite refuses a results file with an unknown role; a program that makes
// results by itself still gets a report.
func TestAnUnknownRoleIsDrawnAsAStructureIs(t *testing.T) {
	t.Parallel()
	r := tiny().results()
	for i := range r.Cells {
		for j := range r.Cells[i].Rows {
			if row := &r.Cells[i].Rows[j]; row.Structure == "rbtree" {
				row.Structure, row.Role = "unheard-of", results.Role("boss")
			}
		}
	}
	dir := t.TempDir()
	if _, err := files(dir, r, testKnowledge(six), testDPI); err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(dir, Page))
	if err != nil || !strings.Contains(string(page), "| unheard-of |") {
		t.Errorf("the page does not name it: %v", err)
	}
}
