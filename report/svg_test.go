package report

import (
	"regexp"
	"slices"
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
	v := newView(large().results(), testKnowledge(twenty))
	style := draw.Style()
	for _, f := range charts(v.sections()) {
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
			if i := slices.IndexFunc(v.known.structures, func(s structure) bool { return s.name == name }); i >= 0 && family != string(v.known.structures[i].family) {
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
