package report

import (
	"bytes"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/report/draw"
	"github.com/timerbench/timerbench/report/section"
)

// recorded are the results of a trace alone.
func recorded() *results.Run {
	r := fixture{structures: six, workloads: []string{"trace-shop"}, sizes: []int{700}, trials: 8}.results()
	r.Parameters.Traces = map[string]results.Recording{"trace-shop": {File: "shop.trace", Operations: 123_456}}
	r.Cells[0].Unit, r.Cells[0].Category = script.PerOperation, "recorded"
	r.Idle, r.IdleTicks, r.Memory = nil, nil, nil
	return r
}

// interrupted has a whole cell, one that has a part of its rows, and one that has none.
func interrupted() *results.Run {
	r := small().results()
	r.Complete, r.Idle, r.IdleTicks, r.Memory = false, nil, nil, nil
	r.Cells = r.Cells[:3]
	r.Cells[1].Rows = r.Cells[1].Rows[:2]
	r.Cells[2].Rows = nil
	return r
}

// failed has a structure that broke its contract.
func failed() *results.Run {
	r := tiny().results()
	r.Failures = []results.Failure{{Structure: "my*heap", Where: "hold, n 10", Reason: "a timer fired early"}}
	return r
}

// zeros has measured nothing but zeros, where that is possible.
func zeros() *results.Run {
	r := small().results()
	for i, of := range r.Idle {
		r.Idle[i] = results.Idle{
			Workload: "idle", Distribution: of.Distribution, N: 1000, Structure: of.Structure, Driver: of.Driver,
		}
	}
	for i, of := range r.IdleTicks {
		r.IdleTicks[i] = results.IdleTicks{Shape: of.Shape, N: of.N}
	}
	for i := range r.Calls {
		r.Calls[i].Longest = []results.LongestCall{{Operation: results.Pop}}
	}
	r.Environment.ClockNS = 0
	for i := range r.Cells {
		r.Cells[i].N = 0
		for j := range r.Cells[i].Rows {
			row := &r.Cells[i].Rows[j]
			row.Latency[0] = results.Latency{
				Kind: script.KindSchedule, Samples: 10, Quantiles: []results.Quantile{{Q: 0.5}, {Q: 1}},
			}
			row.Cost[0].NS, row.Cost[1].Units = 0, 0
		}
	}
	return r
}

// onlyFloor has no structure.
func onlyFloor() *results.Run {
	r := small().results()
	for i := range r.Cells {
		r.Cells[i].Rows = slices.DeleteFunc(r.Cells[i].Rows, func(r results.Row) bool { return r.Role != results.RoleFloor })
	}
	return r
}

// oneTrial has one trial of each row, and neither kinds nor latencies.
func oneTrial() *results.Run {
	r := tiny().results()
	for i := range r.Cells {
		for j := range r.Cells[i].Rows {
			row := &r.Cells[i].Rows[j]
			row.Cost, row.ByKind, row.Latency = row.Cost[:1], nil, nil
		}
	}
	return r
}

// Results of all sorts give a page that says what is missing, the same in both forms, and charts each of
// which shows something.
func TestPages(t *testing.T) {
	t.Parallel()
	few, err := results.ReadFile(filepath.Join("testdata", "few.json.gz"))
	if err != nil {
		t.Fatal(err)
	}
	all := strings.Fields("cost overview scale grid latency idle-ticks longest-calls memory")
	without := func(names ...string) []string {
		return slices.DeleteFunc(slices.Clone(all), func(name string) bool { return slices.Contains(names, name) })
	}
	single := fixture{structures: []string{"wheel"}, workloads: workloads, sizes: []int{1_000_000}, trials: 1}
	for name, test := range map[string]struct {
		r      *results.Run
		charts []string
		want   []string // on the page
	}{
		"all": {liveFixture(large().results(), 1, 2), append(slices.Clone(all), "go-timers"), nil},
		"odd": {compact(), strings.Fields("cost overview scale grid latency idle-ticks longest-calls memory"), []string{"**This run was interrupted.**"}},
		"one structure and trial": {single.results(), without("cost"),
			[]string{"**One structure.** Only wheel was measured", "**Too few rounds for intervals.**"}},
		"zeros":          {zeros(), strings.Fields("overview grid memory"), nil},
		"only the floor": {onlyFloor(), without("cost", "overview", "latency"), []string{"**No costs.**"}},
		"idle counts only": {&results.Run{Complete: true, Idle: small().results().Idle, IdleTicks: small().results().IdleTicks}, []string{"idle-ticks"}, []string{
			"**No costs.** No workload has a measured cost", "`timerbench run`",
			"**Left out,** because the results hold no data: the overview, cost against N, the grid of distributions, latency, memory.",
		}},
		"longest calls only": {&results.Run{Complete: true, Calls: small().results().Calls}, []string{"longest-calls"}, nil},
		"live timers only":   {liveFixture(&results.Run{Complete: true}, 1), []string{"go-timers"}, nil},
		"nothing":            {&results.Run{}, nil, []string{"**This run was interrupted.**", "**No costs.**"}},
		"two structures": {few, strings.Fields("overview scale grid"), []string{
			"**Some structures only.** The run measured 2 of 12: quadheap and hwheel.",
		}},
		"a trace alone": {recorded(), strings.Fields("overview longest-calls"),
			[]string{"**Traces only.**", "**Left out,** because", "cost against N", "the grid of distributions", "idle wake-ups"}},
		"interrupted": {interrupted(), strings.Fields("cost overview scale longest-calls"),
			[]string{"**This run was interrupted.**", "**Left out,** because", "the grid of distributions, latency, idle wake-ups"}},
		"one trial": {oneTrial(), strings.Fields("cost overview scale grid idle-ticks longest-calls memory"),
			[]string{"**Too few rounds for intervals.**", "latency"}},
		"a failure": {failed(), strings.Fields("cost overview scale grid latency idle-ticks longest-calls memory"), []string{
			`**my\*heap broke its contract** on hold, n 10 and has no figures there: a timer fired early.`,
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "new", "folder")
			v := section.NewView(writeTo(t, dir, test.r, testKnowledge(twelve)))
			want := []string{HTMLPage, Page}
			for _, name := range test.charts {
				want = append(want, Charts+"/"+name+".png", Charts+"/"+name+".svg")
			}
			slices.Sort(want)
			if got := filesIn(t, dir); !slices.Equal(got, want) {
				t.Errorf("written %q, want %q", got, want)
			}
			markdown, err1 := os.ReadFile(filepath.Join(dir, Page))
			html, err2 := os.ReadFile(filepath.Join(dir, HTMLPage))
			if err1 != nil || err2 != nil {
				t.Fatal(err1, err2)
			}
			page := readHTML(t, html)
			quotes := strings.Join(page.texts["blockquote"], "\n")
			for _, want := range test.want {
				if !strings.Contains(string(markdown), want) {
					t.Errorf("the Markdown does not say %q:\n%.4000s", want, markdown)
				}
				if plain := strings.NewReplacer("**", "", "`", "", `\`, "").Replace(want); !strings.Contains(quotes, plain) {
					t.Errorf("the HTML does not say %q but:\n%s", plain, quotes)
				}
			}
			if name == "all" && quotes != "" {
				t.Errorf("gaps: %s", quotes)
			}
			if len(test.r.Cells) == 0 && (slices.Contains(page.ids, "answer") ||
				readData(t, html).Answers.Answers != nil) {
				t.Error("there is an answer, or something to take along, of no cells")
			}
			for _, bad := range []string{"NaN", "Inf", "%!"} {
				if strings.Contains(string(markdown), bad) || strings.Contains(strings.Join(page.texts["td"], ""), bad) {
					t.Errorf("the page says %s", bad)
				}
			}
			showSame(t, string(markdown), page)
			for _, f := range figures(v) {
				if !f.Headed && !strings.Contains(strings.Join(page.svg[f.Name], " "), f.Title) { // a long title has two lines
					t.Errorf("the chart %s has the texts %q", f.Name, page.svg[f.Name])
				}
				for _, title := range page.texts["h2"] { // a title is not said twice
					if texts := page.svg[f.Name]; slices.ContainsFunc(texts, func(s string) bool { return strings.Contains(s, title) }) {
						t.Errorf("the chart %s repeats the title %q", f.Name, title)
					}
				}
				checkPNG(t, dir, f)
				checkSVG(t, dir, f)
			}
		})
	}
}

// showSame wants the elements of the HTML that the Markdown has.
func showSame(t *testing.T, markdown string, page rendered) {
	t.Helper()
	lines := func(pattern string) int { return len(regexp.MustCompile("(?m)"+pattern).FindAllString(markdown, -1)) }
	answers, cost := 0, strings.Count(markdown, "/cost.png") // the ranking folds, and the first chart is drawn once
	if slices.Contains(page.ids, "answer") {
		answers = 1
	}
	rules := lines(`^\|[-:| ]+\|$`)
	for element, want := range map[string]int{
		"figure":     lines(`^\[!\[`),
		"svg":        2*lines(`^\[!\[`) - cost, // for broad and for narrow screens
		"h1":         lines(`^# `),
		"h2":         lines(`^## `) + answers + 1, // the structures
		"li":         lines(`^- \*\*`),            // what threatens the validity
		"details":    lines(`^<details`) + lines(`^## `) + answers + 1,
		"table":      rules,
		"tr":         lines(`^\|`) - rules,
		"blockquote": lines(`^> `),
	} {
		if page.elements[element] != want {
			t.Errorf("%d times <%s>, want %d", page.elements[element], element, want)
		}
	}
}

// checkPNG wants a picture of the width of the figure, and not a blank one.
func checkPNG(t *testing.T, dir string, f *draw.Figure) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, Charts, f.Name+".png"))
	if err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatalf("%s: %v", f.Name, err)
	}
	if got, want := img.Bounds().Dx(), int(draw.Width)/2; got != want { // at 36 DPI a point is half a pixel
		t.Errorf("%s: width %d, want %d", f.Name, got, want)
	}
	seen := make(map[color.Color]bool)
	for y := 0; y < img.Bounds().Dy() && len(seen) < 20; y++ {
		for x := range img.Bounds().Dx() {
			seen[img.At(x, y)] = true
		}
	}
	if len(seen) < 20 {
		t.Errorf("%s: only %d colours: blank", f.Name, len(seen))
	}
}
