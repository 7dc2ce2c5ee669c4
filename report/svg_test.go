package report

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/timerbench/timerbench/report/draw"
)

var (
	svgTexts = regexp.MustCompile(`<text ([^>]*)>([^<]*)<`)
	svgGroup = regexp.MustCompile(`<g data-structure="([^"]*)"(?: data-family="([^"]*)")?[^>]*><title>([^<]*)</title>`)
	svgClass = regexp.MustCompile(`class="([^"]*)"`)
	svgSize  = regexp.MustCompile(`font-size="([^"]*)"`)
)

// checkSVG wants a picture with a subtitle and a caption. A page finds the marks of a
// structure by what their groups say, and gives what is not data the colours of its style sheet.
func checkSVG(t *testing.T, dir string, f *draw.Figure) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, Charts, f.Name+".svg"))
	if err != nil {
		t.Fatal(err)
	}
	svg := string(data)
	if !strings.HasSuffix(f.Subtitle, ".") || !strings.HasSuffix(strings.TrimSpace(f.Caption), ".") {
		t.Errorf("%s: %q, %q", f.Name, f.Subtitle, f.Caption)
	}
	for _, m := range svgTexts.FindAllStringSubmatch(svg, -1) {
		if utf8.RuneCountInString(m[2]) > 10 && !strings.Contains(m[1], "textLength=") {
			t.Errorf("%s: the text %q has no width", f.Name, m[2])
		}
		size := svgSize.FindStringSubmatch(m[1])
		if points, err := strconv.ParseFloat(size[1], 64); err != nil || points*820/draw.Width.Points() < 9 {
			t.Errorf("%s: a text of %s points: it is too small where the chart is 820 pixels wide", f.Name, size[1])
		}
		// Text on a field keeps its colour on a dark page, as the field does. All other text follows it.
		number, follows := strings.Trim(m[2], "0123456789.") == "", strings.Contains(m[1], "class=")
		if f.Name == "overview" && number == follows {
			t.Errorf("%q follows the page: %v", m[2], follows)
		}
	}
	for _, bad := range []string{"NaN", "Inf", " id=", " style=", ">max<"} {
		if strings.Contains(svg, bad) {
			t.Errorf("%s holds %s", f.Name, bad)
		}
	}
	if !strings.Contains(svg, `class="paper" fill="#ffffff"`) {
		t.Errorf("%s: the background is no paper", f.Name)
	}
	for _, m := range svgClass.FindAllStringSubmatch(svg, -1) {
		for class := range strings.FieldsSeq(m[1]) {
			if !strings.Contains(draw.CSS(), "svg ."+class+" ") {
				t.Errorf("%s: the style sheet has no class %s", f.Name, class)
			}
		}
	}
	found := make(map[string]int)
	for _, m := range svgGroup.FindAllStringSubmatch(svg, -1) {
		name, title := m[1], m[3]
		found[name]++
		if i := slices.IndexFunc(f.Legend, func(k draw.Key) bool { return k.Style.Structure == name }); i >= 0 && m[2] != f.Legend[i].Style.Family {
			t.Errorf("%s: the family of %s is %q", f.Name, name, m[2])
		}
		if !strings.HasPrefix(title, name) {
			t.Errorf("%s: a group of %s has the title %q", f.Name, name, title)
		}
	}
	for _, k := range f.Legend {
		if !strings.Contains(svg, ">"+strings.NewReplacer("<", "&lt;", "'", "&#39;").Replace(k.Text)+"<") {
			t.Errorf("%s lacks the key %q", f.Name, k.Text)
		}
		if s := k.Style.Structure; s != "" && found[s] < 2 && !strings.HasPrefix(f.Name, "live-") {
			t.Errorf("%s: %d groups of %s, which is in the legend", f.Name, found[s], k.Text)
		}
	}
}
