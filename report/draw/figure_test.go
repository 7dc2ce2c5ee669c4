package draw

import (
	"regexp"
	"strings"
	"testing"
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

// A wide table is cut into parts that together show each field once.
func TestAStackedTableShowsEachColumnOnce(t *testing.T) {
	h := Heat{Rows: []Style{{Name: "row", Color: Ink}}, Titles: []string{""}}
	h.Value, h.Bold = make([][]float64, 1), make([][]bool, 1)
	for range 25 {
		h.Columns = append(h.Columns, Style{Name: "column"})
		h.Value[0], h.Bold[0] = append(h.Value[0], 1), append(h.Bold[0], false)
	}
	h.Groups = []Group{{[]string{"first"}, 0}, {[]string{"second"}, 11}, {[]string{"third"}, 20}}
	for i := range h.Columns {
		h.Value[0][i], h.Bold[0][i] = float64(i), i%3 == 0
	}
	f := h.Figure()
	at := 0
	for _, p := range f.Narrow { // each field is as it was
		part := p.Marks[0].(heatFields)
		for i, v := range part.Value[0] {
			if v != float64(at) || part.Bold[0][i] != h.Bold[0][at] || len(part.Bold[0]) != len(part.Columns) {
				t.Errorf("field %d of the table is %g, bold %t, in its part", at, v, part.Bold[0][i])
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
