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
	"github.com/timerbench/timerbench/report/answer"
	"github.com/timerbench/timerbench/structures/catalog"
	"github.com/timerbench/timerbench/structures/entry"
)

// A narrow figure has its panels one below the other, each with the names of its rows, and fewer
// labels on the axis. The broad one names them once.
func TestANarrowFigureNamesTheRowsOfEachPanel(t *testing.T) {
	row := Style{Name: "minheap", Structure: "minheap", Color: Hex("2f80ed")}
	label := func(float64) string { return "label" }
	marks := []Marks{Series{Style: Style{Color: row.Color}, Rows: true, Marks: []Mark{{X: 1}, {X: 1e9}}}}
	panel := &Panel{Title: "panel", Rows: []Style{row}, Marks: marks}
	f := &Figure{
		Title: strings.Repeat("a long title ", 5), Height: 100, Panels: []*Panel{panel, panel}, Columns: 2,
		X: Axis{Ticks: LogTicks{Label: label, Most: 9}},
	}
	for range 2 { // drawing changes nothing
		broad, narrow := string(f.SVG()), string(f.NarrowSVG())
		if n := strings.Count(broad, ">minheap<"); n != 1 {
			t.Errorf("the broad figure names the row %d times, want 1", n)
		}
		if n := strings.Count(narrow, ">minheap<"); n != 2 {
			t.Errorf("the narrow figure names the row %d times, want 2", n)
		}
		if n := strings.Count(narrow, ">label<"); n > 2*narrowTicks {
			t.Errorf("%d labels on the two axes of the narrow figure, want at most %d", n, 2*narrowTicks)
		}
		if !regexp.MustCompile(`viewBox="0 0 262\.5 `).MatchString(narrow) || strings.Contains(narrow, f.Title) {
			t.Errorf("the narrow figure is not as wide as it should be, or its title is on one line: %s", narrow[:200])
		}
	}
}

// Marks of each kind name their contender, over a logarithmic axis or along rows of a linear one.
func TestMarksOfEachKindAreDrawn(t *testing.T) {
	style := Style{Name: "minheap", Structure: "minheap", Color: Hex("2f80ed"), Marker: Square, Dashes: []Length{3, 2}}
	line := Series{Style: style, Radius: 2, Joined: true, Thick: true, Marks: []Mark{{X: 1, Y: 10, Lo: 5, Hi: 20, Title: "10 ns"}, {X: 100, Y: 30, Lo: 20, Hi: 90}}}
	label := func(v float64) string { return "label" }
	over := &Figure{Height: 100, X: Axis{Ticks: TicksAt([]int{1, 100}, label), High: 2}, Y: Axis{Ticks: LogTicks{label, 5}},
		Panels: []*Panel{{Marks: []Marks{line, Ends{{style, 100, 30}}}}}, Legend: []Key{style.Key()}}
	bars := &Figure{Height: 100, X: Axis{Ticks: LinearTicks(label), Linear: true},
		Panels: []*Panel{{Rows: []Style{style}, Marks: []Marks{Bar{Style: style, Title: "60 B", Label: "60 B", Parts: []Part{{40, style.Color}, {20, Pale(Faded, 0.5)}}}}}}}
	for want, f := range map[string]*Figure{"<title>minheap: 10 ns</title>": over, "<title>minheap: 60 B</title>": bars} {
		if svg := string(f.SVG()); !strings.Contains(svg, want) || !strings.Contains(svg, ">minheap</text>") || !strings.Contains(svg, ">label</text>") {
			t.Errorf("no %q, name or label in %s", want, svg)
		}
		if png, err := f.PNG(DPI); err != nil || len(png) == 0 {
			t.Errorf("%d bytes, %v", len(png), err)
		}
	}
}

// A wide table is cut into parts that together show each field once.
func TestAStackedTableShowsEachColumnOnce(t *testing.T) {
	h := Heat{Rows: []HeatRow{{Style: Style{Name: "row", Color: Ink}}}}
	for i := range 25 {
		h.Columns = append(h.Columns, Style{Name: "column"})
		h.Rows[0].Fields = append(h.Rows[0].Fields, Field{Value: float64(i), Bold: i%3 == 0})
	}
	h.Groups = []Group{{[]string{"first"}, 0}, {[]string{"second"}, 11}, {[]string{"third"}, 20}}
	f := h.Figure()
	at := 0
	for _, p := range f.Narrow { // each field is as it was
		part := p.Marks[0].(Heat)
		for _, field := range part.Rows[0].Fields {
			if field != h.Rows[0].Fields[at] || len(part.Rows[0].Fields) != len(part.Columns) {
				t.Errorf("field %d of the table is %+v in its part", at, field)
			}
			at++
		}
	}
	if at != len(h.Columns) {
		t.Errorf("%d of %d fields are in a part", at, len(h.Columns))
	}
	svg := string(f.NarrowSVG())
	for text, want := range map[string]int{"column": 25, "7.0": 1, "24": 1, "row": len(f.Narrow), "third": 1} {
		if n := strings.Count(svg, ">"+text+"</text>"); n != want {
			t.Errorf("%q stands there %d times, want %d", text, n, want)
		}
	}
}

// A level table says which steps it has and what is in its fields; a field without a value is blank.
func TestALevelTableIsBlankWhereNothingWasMeasured(t *testing.T) {
	h := Heat{Level: true, XLabel: "timers", Columns: []Style{{Name: "10"}, {Name: "100"}}, Rows: []HeatRow{{Style: Style{Name: "half"},
		Fields: []Field{{Value: math.NaN()}, {Value: 1.07, Name: "quadheap", Title: "1.07 × quadheap", Cell: "churn 100"}}}}}
	f := h.Figure()
	svg := string(f.SVG())
	for _, want := range []string{">1.07</text>", ">quadheap</text>", `<g data-cell="churn 100"><title>1.07 × quadheap</title>`, ">timers</text>", ">half</text>"} {
		if !strings.Contains(svg, want) {
			t.Errorf("no %s in %s", want, svg)
		}
	}
	if strings.Contains(svg, "NaN") || strings.Contains(svg, `class="shade"`) || strings.Contains(svg, `class="rule-line"`) {
		t.Error("the field without a value is not blank")
	}
	if len(f.Legend) != 1 || f.Legend[0].Text != "1.1 ×" {
		t.Errorf("the legend is %+v, want the step of the only value", f.Legend)
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

func TestLooks(t *testing.T) {
	t.Parallel()
	var entries []entry.Entry
	for _, family := range []entry.Family{entry.Heaps, entry.Wheels, entry.Trees, entry.Lists} {
		for n := range 6 {
			entries = append(entries, entry.Entry{Name: fmt.Sprint(family, n), Family: family})
		}
	}
	rows := []answer.RowName{
		{Name: "foreign", Role: results.RoleStructure},
		{Name: "strange-heap", Role: results.RoleStructure},
		{Name: "heaps1-control", Role: results.RoleControl, Of: "heaps1"},
		{Name: "null", Role: results.RoleFloor},
	}
	all := Styles(entries, rows)
	all["Go's own timers"] = BaselineStyle
	type pair struct {
		color  any
		marker Marker
	}
	owner := make(map[pair]string)
	for name, l := range all {
		p := pair{l.Color, l.Marker}
		if other, taken := owner[p]; taken {
			t.Errorf("%s and %s look the same", name, other)
		}
		owner[p] = name
	}
	if c, q := all["heaps1-control"], all["heaps1"]; c.Color != q.Color || c.Marker != q.Marker.AsHollow() || len(c.Dashes) == 0 {
		t.Error("a control has the hue of its structure, hollow and dashed")
	}
	// Neither the results nor later entries of the catalog change a style.
	for name, style := range Styles(entries[:7], nil) {
		if style.Color != all[name].Color || style.Marker != all[name].Marker {
			t.Errorf("%s looks different in a longer catalog", name)
		}
	}
	if alone := Styles(entries, rows[:1]); alone["foreign"].Color != all["foreign"].Color {
		t.Error("an unknown structure looks different beside others")
	}
}

// No two structures of the catalog that share a hue share a marker, and hues are few enough to
// be told apart by everybody.
func TestMembersOfAFamilyHaveMarkersOfTheirOwn(t *testing.T) {
	t.Parallel()
	owner := make(map[any]string)
	for name, l := range Styles(catalog.All(), nil) {
		key := [2]any{l.Family, l.Marker}
		if other := owner[key]; other != "" {
			t.Errorf("%s and %s are of one family and have one marker", name, other)
		}
		owner[key] = name
	}
}
