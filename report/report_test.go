package report

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"gonum.org/v1/plot/cmpimg"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/internal/show"
	"github.com/timerbench/timerbench/report/internal/draw"
)

var update = flag.Bool("update", false, "rewrite the golden files")

const testDPI = 72

// golden compares with a file under testdata, or rewrites it.
func golden(t *testing.T, name string, got []byte, equal func(got, want []byte) bool) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !equal(got, want) {
		out := filepath.Join(t.ArtifactDir(), name)
		if err := os.WriteFile(out, got, 0o644); err != nil {
			t.Fatal(err)
		}
		t.Errorf("%s differs from %s: look at both, then run with -update", out, path)
	}
}

// compact is a fixture with every kind of workload and every oddity, small
// enough for a golden file.
func compact() *results.Run {
	f := fixture{
		structures: append(slices.Clone(six), "foreign"), // not in the catalog
		workloads:  []string{"hold", "churn", "grid-uniform-50", "grid-clustered-50", "kafka-purgatory"},
		sizes:      []int{100, 100_000},
		trials:     8,
	}
	r := f.results()
	first := &r.Cells[0]
	first.Rows = slices.DeleteFunc(first.Rows, func(row results.Row) bool { return row.Structure == "wheel" })
	first.Rows[0].BytesPerTimer = 0                       // not measured
	first.Rows[1].Cost = slices.Clone(first.Rows[0].Cost) // a tie
	first.Rows[2].Cost = first.Rows[2].Cost[:1]           // no interval
	first.Rows[3].ByKind[0].Kinds[0].NS = -4              // clock reads took more than there was
	r.Cells[2].Rows[0].Proof.Checksum++                   // as of a coarse structure
	last := &r.Cells[len(r.Cells)-1]
	last.OtherSeeds = []results.SeedProof{{Seed: 2, Proof: last.Rows[0].Proof, Rows: 9, Agree: 8}}
	r.Cells = append(r.Cells, results.Cell{Workload: "hold", N: 1 << 20}) // interrupted before its first row
	r.Complete = false
	return r
}

func TestPage(t *testing.T) {
	t.Parallel()
	v := newView(compact(), testKnowledge(six))
	golden(t, Page, []byte(v.page(v.sections()).markdown()), bytes.Equal)
}

// What is said of workloads that are modelled on programs does not hold for one
// that was recorded.
func TestThePageOfATraceSaysWhatItIs(t *testing.T) {
	t.Parallel()
	f := fixture{structures: six, workloads: []string{"trace-shop"}, sizes: []int{700}, trials: 8}
	r := f.results()
	r.Parameters.Seed = 0
	r.Parameters.Traces = map[string]results.Recording{"trace-shop": {
		File: "shop.trace", Description: "a shop on Friday", Operations: 123_456, Seconds: 90, Resident: 700, CancelRate: 0.995,
	}}
	r.Cells[0].Unit, r.Cells[0].Category = script.PerOperation, "recorded"
	for i := range r.Cells[0].Rows {
		for j := range r.Cells[0].Rows[i].Latency {
			if l := &r.Cells[0].Rows[i].Latency[j]; l.Kind == script.KindFire {
				l.Samples = 2
			}
		}
	}
	v := newView(r, testKnowledge(six))
	page := v.page(v.sections()).markdown()
	for _, want := range []string{
		"the time per operation as a multiple", "trace-shop: time per operation",
		"| trace-shop | a shop on Friday | shop.trace | – | " + show.Grouped(123_456) + " | 90 s | 700 | 99.5 % |",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	for _, wrong := range []string{"Seed", "lifecycle (or", "modelled", "orst:"} {
		if strings.Contains(page, wrong) {
			t.Errorf("the page says %q", wrong)
		}
	}
	if svg := chartsNamed(t, v, "overview")[0].SVG(); !bytes.Contains(svg, []byte(">recorded from programs<")) {
		t.Error("the overview does not say where the workload comes from")
	}
	for line := range strings.Lines(page) {
		if fields := strings.Split(line, "|"); len(fields) > 8 && fields[1] == " fire " && (fields[6] != " – " || fields[7] != " – " || fields[8] != " – ") {
			t.Errorf("percentiles of two samples: %s", line)
		}
	}
}

func TestPictures(t *testing.T) {
	t.Parallel()
	for _, f := range chartsNamed(t, newView(compact(), testKnowledge(six)), "winners", "overview", "scale", "forest", "grid", "curve-hold-100000", "longest-calls", "memory", "pareto", "drift") {
		got, err := f.PNG(testDPI)
		if err != nil {
			t.Fatal(err)
		}
		golden(t, f.Name+".png", got, func(got, want []byte) bool {
			ok, err := cmpimg.EqualApprox("png", got, want, 0.1)
			return ok && err == nil
		})
	}
}

// TestCharts draws every chart of many results and looks at the files.
func TestCharts(t *testing.T) {
	t.Parallel()
	single := small()
	single.sizes, single.structures, single.trials = []int{1000}, []string{"wheel"}, 1

	zeros := small().results()
	for i := range zeros.Idle {
		zeros.Idle[i] = results.Idle{Workload: "idle", Distribution: zeros.Idle[i].Distribution, N: 1000,
			Structure: zeros.Idle[i].Structure, Driver: zeros.Idle[i].Driver}
	}
	for i := range zeros.Calls {
		zeros.Calls[i].Longest = []results.LongestCall{{Operation: results.Pop}}
	}
	zeros.Environment.ClockNS = 0
	for i := range zeros.Cells {
		zeros.Cells[i].N = 0
		for j := range zeros.Cells[i].Rows {
			row := &zeros.Cells[i].Rows[j]
			row.Latency[0] = results.Latency{Kind: script.KindSchedule, Samples: 10, Quantiles: []results.Quantile{{Q: 0.5}, {Q: 1}}}
			row.Cost[0].NS, row.Cost[1].Units, row.BytesPerTimer = 0, 0, 0
		}
	}
	onlyFloor := small().results()
	for i := range onlyFloor.Cells {
		onlyFloor.Cells[i].Rows = slices.DeleteFunc(onlyFloor.Cells[i].Rows, func(r results.Row) bool { return r.Role != results.RoleFloor })
	}
	summaries := []string{"winners", "overview", "scale", "forest", "grid"}
	all := slices.Concat(summaries, []string{"curve-hold-1000000", "curve-kafka-purgatory-50000", "curve-cache-ttl-50000", "longest-calls", "memory", "pareto", "drift"})
	without := func(names ...string) []string {
		return slices.DeleteFunc(slices.Clone(all), func(name string) bool { return slices.Contains(names, name) })
	}
	renamed := func(names []string, from, to string) []string {
		var out []string
		for _, name := range names {
			out = append(out, strings.Replace(name, from, to, 1))
		}
		return out
	}
	for _, test := range []struct {
		name   string
		r      *results.Run
		charts []string
	}{
		{"twenty structures", large().results(), all},
		{"odd", compact(), slices.Concat(summaries, []string{"curve-hold-100000", "curve-kafka-purgatory-50000", "longest-calls", "memory", "pareto", "drift"})},
		{"single size, structure and trial", single.results(), renamed(without("drift", "forest"), "-1000000", "-1000")},
		{"zeros", zeros, renamed(renamed(without("scale", "winners", "pareto", "longest-calls"), "-1000000", "-0"), "-50000", "-0")},
		{"only the floor", onlyFloor, without("winners", "overview", "forest", "pareto", "drift")},
		{"idle only", &results.Run{Complete: true, Idle: small().results().Idle}, nil},
		{"longest calls only", &results.Run{Complete: true, Calls: small().results().Calls}, []string{"longest-calls"}},
		{"empty", &results.Run{}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			known := testKnowledge(twenty)
			dir := filepath.Join(t.TempDir(), "new", "folder")
			written, err := files(dir, test.r, known, testDPI)
			if err != nil {
				t.Fatal(err)
			}
			want := []string{Page, HTMLPage}
			for _, name := range test.charts {
				want = append(want, name+".png", name+".svg")
			}
			var got []string
			for _, path := range written {
				got = append(got, filepath.Base(path))
			}
			slices.Sort(want)
			slices.Sort(got)
			if !slices.Equal(got, want) {
				t.Errorf("written %q, want %q", got, want)
			}
			page, err := os.ReadFile(filepath.Join(dir, Page))
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range charts(newView(test.r, known).sections()) {
				if !strings.Contains(string(page), "("+f.Name+".png)") {
					t.Errorf("the page does not show %s", f.Name)
				}
				checkPNG(t, dir, f)
				checkSVG(t, dir, f)
			}
			for _, bad := range []string{"NaN", "Inf", "%!"} {
				if strings.Contains(string(page), bad) {
					t.Errorf("the page says %s", bad)
				}
			}
			if left, err := os.ReadDir(dir); err != nil || len(left) != len(written) {
				t.Errorf("%d files in the folder, %d written (%v)", len(left), len(written), err)
			}
		})
	}
}

// checkPNG wants a picture of the size that the SVG says, and not a blank one.
func checkPNG(t *testing.T, dir string, f *draw.Figure) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, f.Name+".png"))
	if err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatalf("%s: %v", f.Name, err)
	}
	if got, want := img.Bounds().Size(), f.Size(testDPI); got != want {
		t.Errorf("%s: size %v, want %v", f.Name, got, want)
	}
	if n := len(coloursIn(img, img.Bounds())); n < 20 {
		t.Errorf("%s: only %d colours: blank", f.Name, n)
	}
}

// coloursIn counts the pixels of each colour in a part of a picture.
func coloursIn(img image.Image, part image.Rectangle) map[color.NRGBA]int {
	seen := make(map[color.NRGBA]int)
	for y := part.Min.Y; y < part.Max.Y; y++ {
		for x := part.Min.X; x < part.Max.X; x++ {
			seen[color.NRGBAModel.Convert(img.At(x, y)).(color.NRGBA)]++
		}
	}
	return seen
}

var svgTexts = regexp.MustCompile(`<text ([^>]*)>([^<]*)<`)

// checkSVG wants well-formed XML that holds the title and every key.
func checkSVG(t *testing.T, dir string, f *draw.Figure) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, f.Name+".svg"))
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	d := xml.NewDecoder(bytes.NewReader(data))
	for {
		tok, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("%s.svg: %v", f.Name, err)
		}
		if c, ok := tok.(xml.CharData); ok {
			texts = append(texts, string(c))
		}
	}
	want := []string{f.Title}
	for _, k := range f.Legend {
		want = append(want, k.Text)
	}
	for _, w := range want {
		if !slices.Contains(texts, w) {
			t.Errorf("%s.svg lacks the text %q", f.Name, w)
		}
	}
	for _, text := range svgTexts.FindAllSubmatch(data, -1) {
		if utf8.RuneCount(text[2]) > 10 && !bytes.Contains(text[1], []byte("textLength=")) {
			t.Errorf("%s.svg: the text %q has no width", f.Name, text[2])
		}
	}
	for _, bad := range []string{"NaN", "Inf", " id=", " style="} {
		if bytes.Contains(data, []byte(bad)) {
			t.Errorf("%s.svg holds %s", f.Name, bad)
		}
	}
}

// Every key of a legend can be seen in it, and what it stands for can be seen in
// the panels: in its colour, where it has one of its own.
func TestLegendsNameWhatIsThere(t *testing.T) {
	t.Parallel()
	const dpi = 144 // so that thin lines have pixels of their very colour
	v := newView(large().results(), testKnowledge(twenty))
	for _, f := range chartsNamed(t, v, "overview", "scale", "memory", "curve-hold-1000000", "drift") {
		data, err := f.PNG(dpi)
		if err != nil {
			t.Fatal(err)
		}
		img, err := png.Decode(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		legend, panels := f.Parts(dpi)
		inLegend, inPanels := coloursIn(img, legend), coloursIn(img, panels)
		for _, k := range f.Legend {
			c := k.Color()
			if inLegend[c] == 0 {
				t.Errorf("%s: the key %q cannot be seen in the legend", f.Name, k.Text)
			}
			// Grey stands for what each structure shows in its own colour; steps of a
			// scale need not all occur.
			if grey := c.R == c.G && c.G == c.B; grey || k.Swatch != nil {
				continue
			}
			if inPanels[c] == 0 {
				t.Errorf("%s: the legend names %q, of which the panels show nothing", f.Name, k.Text)
			}
		}
	}
}

// Charts without a legend of structures show each in its colour, too.
func TestColours(t *testing.T) {
	t.Parallel()
	v := newView(large().results(), testKnowledge(twenty))
	for _, f := range chartsNamed(t, v, "memory", "pareto") {
		data := f.SVG()
		for _, name := range twenty {
			n := draw.Mix(v.looks[name].Color, 0)
			if !bytes.Contains(data, fmt.Appendf(nil, `fill="#%02x%02x%02x"`, n.R, n.G, n.B)) {
				t.Errorf("%s lacks the colour of %s", f.Name, name)
			}
		}
	}
}

// chartsNamed returns charts by name.
func chartsNamed(t *testing.T, v *view, names ...string) []*draw.Figure {
	t.Helper()
	all := charts(v.sections())
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

func TestSameResultsSameBytes(t *testing.T) {
	t.Parallel()
	var runs [2][]string
	for i := range runs {
		dir := t.TempDir()
		written, err := files(dir, compact(), testKnowledge(six), testDPI)
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range written {
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			runs[i] = append(runs[i], filepath.Base(path), string(data))
		}
	}
	if !slices.Equal(runs[0], runs[1]) {
		t.Error("the same results made different files")
	}
}

// TestResultsUntouched: drawing must not sort or change what it was given.
func TestResultsUntouched(t *testing.T) {
	t.Parallel()
	r := compact()
	if _, err := files(t.TempDir(), r, testKnowledge(six), testDPI); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(r, compact()) {
		t.Error("the results changed")
	}
}

func TestWriteErrors(t *testing.T) {
	t.Parallel()
	if err := Write(t.TempDir(), nil); err == nil {
		t.Error("no results: no error")
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := Write(file, &results.Run{}); err == nil || !strings.Contains(err.Error(), file) {
		t.Errorf("a file in place of the folder: %v", err)
	}
	for before, name := range []string{Page, HTMLPage} {
		dir := t.TempDir()
		page := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Join(page, "full"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := Write(dir, &results.Run{}); err == nil || !strings.Contains(err.Error(), page) {
			t.Errorf("a folder in place of the page: %v", err)
		}
		if left, _ := os.ReadDir(dir); len(left) != 1+before {
			t.Errorf("temporary files stay behind: %v", left)
		}
	}
}

func TestWrite(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := Write(dir, &results.Run{Complete: true}); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{Page, HTMLPage} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
}
