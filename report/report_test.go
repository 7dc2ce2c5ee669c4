package report

import (
	"bytes"
	"errors"
	"flag"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"testing"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/internal/fail"
	"github.com/timerbench/timerbench/internal/show"
	"github.com/timerbench/timerbench/report/answer"
	"github.com/timerbench/timerbench/report/draw"
	"github.com/timerbench/timerbench/report/section"
	"github.com/timerbench/timerbench/structures/catalog"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// golden compares with a file under testdata, or rewrites it.
func golden(t *testing.T, name string, got []byte, equal func(got, want []byte) bool) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		fail.Write(t, path, string(got))
		return
	}
	if !equal(got, []byte(fail.Read(t, path))) {
		out := filepath.Join(t.ArtifactDir(), name)
		fail.Write(t, out, string(got))
		t.Errorf("%s differs from %s: look at both, then run with -update", out, path)
	}
}

// compact is a fixture with every kind of workload and every oddity, small
// enough for a golden file.
func compact() *results.Run {
	f := fixture{
		structures: append(slices.Clone(six), "auto", "foreign"), // the last is not in the catalog
		workloads:  []string{"hold", "churn", "grid-uniform-50", "grid-clustered-50", "kafka-purgatory"},
		sizes:      []int{100, 100_000},
		trials:     8,
	}
	r := f.results()
	first := &r.Cells[0]
	first.Rows = slices.DeleteFunc(first.Rows, func(row results.Row) bool { return row.Structure == "wheel" })
	first.Rows[1].Cost = slices.Clone(first.Rows[0].Cost)                 // a tie
	first.Rows[2].Cost = first.Rows[2].Cost[:1]                           // no interval
	first.Rows[3].ByKind[0].Kinds[0].NS = -4                              // clock reads took more than there was
	r.Cells[2].Rows[0].Proof.Checksum++                                   // as of a coarse structure
	r.Cells = append(r.Cells, results.Cell{Workload: "hold", N: 1 << 20}) // interrupted before its first row
	r.Complete = false
	return r
}

func TestPage(t *testing.T) {
	t.Parallel()
	golden(t, Page, []byte(pageOf(t, compact())), bytes.Equal)
}

// Texts about workloads that are modelled on programs do not stand on the page of one
// that was recorded.
func TestThePageOfATraceSaysWhatItIs(t *testing.T) {
	t.Parallel()
	page := pageOf(t, recorded())
	fail.Unless(t, page,
		"trace-shop: time per operation",
		"| trace-shop | a shop on Friday | shop.trace | – | "+show.Grouped(123_456)+" | 90 s | 700 | 99.5 % |",
	)
	fail.UnlessLacks(t, page, "Seed", "lifecycle (or", "modelled", "orst:")
}

func TestPictures(t *testing.T) {
	t.Parallel()
	for _, f := range chartsNamed(t, viewOf(compact(), testKnowledge(six)), "map", "scale", "latency", "idle-ticks", "longest-calls", "memory") {
		golden(t, f.Name+".svg", f.SVG(), sameDrawing)
	}
}

var svgNumber = regexp.MustCompile(`-?\d+(\.\d+)?`)

// sameDrawing compares pictures. Coordinates may differ by the rounding of another processor.
func sameDrawing(got, want []byte) bool {
	a, b := svgNumber.FindAll(got, -1), svgNumber.FindAll(want, -1)
	return bytes.Equal(svgNumber.ReplaceAll(got, nil), svgNumber.ReplaceAll(want, nil)) && slices.EqualFunc(a, b, func(a, b []byte) bool {
		x, _ := strconv.ParseFloat(string(a), 64)
		y, _ := strconv.ParseFloat(string(b), 64)
		return math.Abs(x-y) < 0.25
	})
}

// writeTo writes a report, and returns the results as it has analysed them.
func writeTo(t *testing.T, dir string, r *results.Run, known answer.Knowledge) *answer.Run {
	t.Helper()
	run := answer.With(r, known)
	fail.If(t, Write(dir, run, verdict))
	return run
}

// filesIn are the paths of all files in a folder and below, relative to it.
func filesIn(t *testing.T, dir string) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			path, err = filepath.Rel(dir, path)
			out = append(out, filepath.ToSlash(path))
		}
		return err
	})
	fail.If(t, err)
	return out
}

// chartsNamed returns charts by name.
func chartsNamed(t *testing.T, v *section.View, names ...string) []*draw.Figure {
	t.Helper()
	all := figures(v)
	var out []*draw.Figure
	for _, name := range names {
		i := slices.IndexFunc(all, func(f *draw.Figure) bool { return f.Name == name })
		if i < 0 {
			t.Fatalf("there is no chart %s", name)
		}
		out = append(out, all[i])
	}
	return out
}

// The same results make the same bytes, and drawing must not sort or change the results.
func TestSameResultsSameBytes(t *testing.T) {
	t.Parallel()
	var files [2][]string
	for i := range files {
		dir, r := t.TempDir(), tiny().results()
		writeTo(t, dir, r, testKnowledge(six))
		for _, path := range filesIn(t, dir) {
			files[i] = append(files[i], path, fail.Read(t, filepath.Join(dir, path)))
		}
		if !reflect.DeepEqual(r, tiny().results()) {
			t.Error("the results changed")
		}
	}
	if !slices.Equal(files[0], files[1]) {
		t.Error("the same results made different files")
	}
}

func TestWriteErrors(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	fail.Write(t, file, "")
	fail.UnlessError(t, Write(file, answer.Of(&results.Run{}, catalog.All()), verdict), file)
	for _, name := range []string{Page, HTMLPage} {
		dir := t.TempDir()
		page := filepath.Join(dir, name)
		fail.If(t, os.MkdirAll(filepath.Join(page, "full"), 0o755))
		fail.UnlessError(t, Write(dir, answer.Of(&results.Run{}, catalog.All()), verdict), page) // which is a folder
		for _, left := range filesIn(t, dir) {
			if left != Page && left != HTMLPage {
				t.Errorf("a temporary file stays behind: %s", left)
			}
		}
	}
	dir := t.TempDir()
	own := filepath.Join(dir, Charts)
	fail.Write(t, own, "mine")
	fail.UnlessError(t, Write(dir, answer.Of(&results.Run{}, catalog.All()), verdict), own+" is no folder")
	fail.UnlessSame(t, "files after the error", filesIn(t, dir), []string{Charts})
}

// A second report into a folder leaves no chart of the first one, and nothing else is touched.
func TestChartsGoWithTheirPage(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	own := []string{"notes.md", "photo.png", "results.json"}
	for _, name := range own {
		fail.Write(t, filepath.Join(dir, name), "mine")
	}
	r := tiny().results()
	writeTo(t, dir, r, testKnowledge(six))
	if n := len(filesIn(t, dir)); n < len(own)+6 {
		t.Fatalf("%d files: nothing to remove", n)
	}
	writeTo(t, dir, &results.Run{Complete: true, Calls: r.Calls}, testKnowledge(six))
	want := append(own, Charts+"/longest-calls.svg", Page, HTMLPage)
	slices.Sort(want)
	fail.UnlessSame(t, "the files", filesIn(t, dir), want)
	writeTo(t, dir, &results.Run{Complete: true}, testKnowledge(six))
	if _, err := os.Lstat(filepath.Join(dir, Charts)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a folder of no charts: %v", err)
	}
}
