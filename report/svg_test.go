package report

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/timerbench/timerbench/report/internal/draw"
)

var (
	svgGroup = regexp.MustCompile(`<g data-structure="([^"]*)"(?: data-family="([^"]*)")?><title>([^<]*)</title>`)
	svgClass = regexp.MustCompile(`class="([^"]*)"`)
)

// A page finds the marks of a structure by what their groups say, and gives what is not data
// the colours of its style sheet.
func TestSVGNamesStructuresAndTones(t *testing.T) {
	t.Parallel()
	v := viewOf(large().results(), testKnowledge(twenty))
	style := draw.Style()
	for _, f := range figures(v) {
		svg := string(f.SVG())
		if !strings.Contains(svg, `class="paper" fill="#ffffff"`) {
			t.Errorf("%s: the background is no paper", f.Name)
		}
		for _, m := range svgClass.FindAllStringSubmatch(svg, -1) {
			for class := range strings.FieldsSeq(m[1]) {
				if !strings.Contains(style, "svg ."+class+" ") {
					t.Errorf("%s: the style sheet has no class %s", f.Name, class)
				}
			}
		}
		var found []string
		for _, m := range svgGroup.FindAllStringSubmatch(svg, -1) {
			name, family, title := m[1], m[2], m[3]
			found = append(found, name)
			if e, ok := v.Entry(name); ok && family != string(e.Family) {
				t.Errorf("%s: the family of %s is %q", f.Name, name, family)
			}
			if !strings.HasPrefix(title, name) {
				t.Errorf("%s: a group of %s has the title %q", f.Name, name, title)
			}
		}
		for _, k := range f.Legend {
			if k.Look.Structure == "" {
				continue
			}
			n := 0
			for _, name := range found {
				if name == k.Look.Structure {
					n++
				}
			}
			if n < 2 {
				t.Errorf("%s: %d groups of %s, which is in the legend", f.Name, n, k.Text)
			}
		}
	}
}

// What a chart does not show of its series, the SVG holds for a page to show, and the picture does not.
func TestTheOtherCurvesAreThereOnDemand(t *testing.T) {
	t.Parallel()
	v := viewOf(large().results(), testKnowledge(twenty))
	f := chartsNamed(t, v, "scale")[0]
	structures := 0
	for _, k := range f.Legend {
		if k.Look.Family != "" {
			structures++
		}
	}
	if structures < 6 || structures > 8 {
		t.Errorf("%d structures in the legend", structures)
	}
	onDemand := regexp.MustCompile(`<g data-structure="([^"]*)"[^>]* class="more" display="none">`)
	hidden := make(map[string]bool)
	for _, m := range onDemand.FindAllStringSubmatch(string(f.SVG()), -1) {
		hidden[m[1]] = true
	}
	for _, who := range v.Measured(v.Cells...) {
		is := func(k draw.Key) bool { return k.Look.Structure == who.Name }
		if shown := slices.ContainsFunc(f.Legend, is); shown == hidden[who.Name] {
			t.Errorf("%s is in the legend: %v, and hidden: %v", who.Name, shown, shown)
		}
	}
	for _, s := range []string{"svg .more { display: none; }", "svg .more.pin { display: inline; }"} {
		if !strings.Contains(draw.Style(), s) {
			t.Errorf("the style sheet lacks %s", s)
		}
	}
}

// Text is at least 9 pixels high where a chart is 820 pixels wide.
func TestTextsAreLargeEnough(t *testing.T) {
	t.Parallel()
	size := regexp.MustCompile(`font-size="([^"]*)"`)
	for _, f := range figures(viewOf(compact(), testKnowledge(twenty))) {
		for _, m := range size.FindAllStringSubmatch(string(f.SVG()), -1) {
			if points, err := strconv.ParseFloat(m[1], 64); err != nil || points*820/draw.Width.Points() < 9 {
				t.Errorf("%s: a text of %s points", f.Name, m[1])
			}
		}
	}
}
