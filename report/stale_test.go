package report

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/timerbench/timerbench/bench/results"
)

// A second report into a folder leaves no chart of the first one, and nothing
// else is touched.
func TestChartsGoWithTheirPage(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	own := []string{"notes.md", "photo.png"}
	for _, name := range own {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("mine"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	r := tiny().results()
	r.Parameters.Scenarios = map[string]string{"hold": "[![not a chart](photo.png)](photo.svg)\n"}
	r.Cells[0].Rows[0].Structure = "](photo.png)"
	many, err := files(dir, r, testKnowledge(six), testDPI)
	if err != nil {
		t.Fatal(err)
	}
	few, err := files(dir, &results.Run{Complete: true, Idle: r.Idle}, testKnowledge(six), testDPI)
	if err != nil {
		t.Fatal(err)
	}
	if len(few) >= len(many) {
		t.Fatalf("%d files, then %d: nothing to remove", len(many), len(few))
	}
	var want, got []string
	for _, path := range few {
		want = append(want, filepath.Base(path))
	}
	want = append(want, own...)
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		got = append(got, e.Name())
	}
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("the folder holds %q, want %q", got, want)
	}
}
