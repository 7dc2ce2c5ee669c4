package draw

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/internal/fail"
	"github.com/timerbench/timerbench/report/answer"
	"github.com/timerbench/timerbench/structures/catalog"
)

// A narrow figure has its panels one below the other, each with the names of its rows, and fewer
// labels on the axis. The broad one names them once.
func TestANarrowFigureNamesTheRowsOfEachPanel(t *testing.T) {
	row := Style{Name: "minheap", Structure: "minheap", Color: Hex("2f80ed")}
	label := func(float64) string { return "label" }
	marks := []Marks{Series{Style: Style{Color: row.Color}, Marks: []Mark{{X: 1}, {X: 1e9}}}}
	panel := &Panel{Title: "panel", YLabel: "structures", Rows: []Style{row}, Marks: marks}
	f := &Figure{
		Title: strings.Repeat("a long title ", 5), Height: 100, Panels: []*Panel{panel, panel}, Columns: 2,
		X: Axis{Ticks: LogTicks{Label: label, Most: 9}},
	}
	for range 2 { // drawing changes nothing
		broad, narrow := string(f.SVG()), string(f.NarrowSVG())
		fail.UnlessSame(t, "names of the row in the broad figure", strings.Count(broad, ">minheap<"), 1)
		fail.UnlessSame(t, "names of the row in the narrow figure", strings.Count(narrow, ">minheap<"), 2)
		if strings.Count(broad, ">structures<") != 1 || strings.Count(narrow, ">structures<") != 2 {
			t.Error("a panel of the broad figure has the title of the axis to its left, or one of the narrow figure has none")
		}
		if n := strings.Count(narrow, ">label<"); n > 2*narrowTicks {
			t.Errorf("%d labels on the two axes of the narrow figure, want at most %d", n, 2*narrowTicks)
		}
		if !regexp.MustCompile(`viewBox="0 0 262\.5 `).MatchString(narrow) || strings.Contains(narrow, f.Title) {
			t.Errorf("the narrow figure is not as wide as it should be, or its title is on one line: %s", narrow[:200])
		}
	}
}

// A map says which steps it has and what is in its fields; a field without a value is blank. A narrow one has parts that together
// show each field once.
func TestAMapIsBlankWhereNothingWasMeasured(t *testing.T) {
	h := Heat{XLabel: "timers", Columns: []Style{{Name: "10"}, {Name: "100"}, {Name: "1k"}, {Name: "10k"}}, Rows: []HeatRow{{Name: "half",
		Fields: []Field{{Value: math.NaN()}, {Value: 1.07, Name: "quadheap", Title: "1.07 × quadheap", Cell: "churn 100"}, {Value: 1.08}, {Value: 1.09}}}}}
	f := h.Figure()
	svg, narrow := string(f.SVG()), string(f.NarrowSVG())
	for _, want := range []string{">1.07</text>", ">quadheap</text>", `<g data-cell="churn 100"><title>1.07 × quadheap</title>`, ">10k</text>", ">1.09</text>"} {
		if strings.Count(svg, want) != 1 || strings.Count(narrow, want) != 1 {
			t.Errorf("no %s in %s", want, svg)
		}
	}
	if n := strings.Count(narrow, ">half</text>"); n != 2 || strings.Count(narrow, ">timers</text>") != 2 {
		t.Errorf("the narrow map has %d parts, want 2", n)
	}
	fail.UnlessLacks(t, svg, "NaN", `class="rule-line"`) // the field without a value is blank
	if len(f.Legend) != 1 || f.Legend[0].Text != "1.1 ×" {
		t.Errorf("the legend is %+v, want the step of all values", f.Legend)
	}
}

func TestNamesAtTheEndsOfLinesKeepApart(t *testing.T) {
	for _, test := range []struct{ at, want []Length }{
		{[]Length{50, 20}, []Length{50, 20}},
		{[]Length{30, 30, 60}, []Length{25, 35, 60}},
		{[]Length{30, 38, 33}, []Length{23.666667, 43.666667, 33.666667}},
		{[]Length{0, 1}, []Length{5, 15}}, // not below the panel
	} {
		points := make([]vg.Point, len(test.at))
		for i, y := range test.at {
			points[i].Y = y
		}
		got := apart(points, 5, 10)
		if !slices.EqualFunc(got, test.want, func(a, b Length) bool { return a-b < 1e-4 && b-a < 1e-4 }) {
			t.Errorf("%v: %v, want %v", test.at, got, test.want)
		}
	}
}

func TestLogTicks(t *testing.T) {
	label := func(v float64) string { return fmt.Sprint(v) }
	for _, s := range []span{{1, 10}, {0.001, 1e9}, {40, 60}, {3, 700}, span{}.around(2, 2), span{5, 5}.around(1, 1)} {
		for limit := 3; limit < 12; limit++ {
			labels := 0
			for _, tick := range (LogTicks{label, limit}).Ticks(s.min, s.max) {
				if tick.Label != "" {
					labels++
				}
			}
			if labels > limit || labels == 0 {
				t.Errorf("%v: %d labels, at most %d were asked for", s, labels, limit)
			}
		}
	}
}

// No two contenders look the same, and no two structures of the catalog that share a hue share a marker. Neither the results nor later
// entries of the catalog change a style.
func TestLooks(t *testing.T) {
	t.Parallel()
	entries := catalog.All()
	all := Styles(entries, []answer.RowName{{Name: "foreign", Role: results.RoleStructure}, {Name: "strange-heap", Role: results.RoleStructure}, {Name: "null", Role: results.RoleFloor}})
	all["Go's own timers"] = BaselineStyle
	owner := make(map[[2]any]string)
	for name, l := range all {
		for _, key := range [][2]any{{l.Color, l.Marker}, {l.Family + "!", l.Marker}} {
			if other := owner[key]; other != "" && (key[0] == l.Color || l.Family != string(others)) {
				t.Errorf("%s and %s look alike: %v", name, other, key)
			}
			owner[key] = name
		}
	}
	for name, style := range Styles(entries[:7], nil) {
		if style.Color != all[name].Color || style.Marker != all[name].Marker {
			t.Errorf("%s looks different in a longer catalog", name)
		}
	}
}
