package report

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/workload"
	"github.com/timerbench/timerbench/internal/fail"
	"github.com/timerbench/timerbench/internal/show"
	"github.com/timerbench/timerbench/report/draw"
	"github.com/timerbench/timerbench/report/section"
)

// rendered is what a reader of a page finds in it.
type rendered struct {
	elements map[string]int
	texts    map[string][]string // of elements that hold any themselves or below, by name
	svg      map[string][]string // texts of the chart with an id
	ids      []string
	links    []string

	policy string
}

// readHTML reads a page and the parts that its script adds, all of which must be well-formed, and fails where it would fetch
// anything, run or style anything but what its policy names, or point at nothing.
func readHTML(t *testing.T, page []byte) rendered {
	t.Helper()
	r := rendered{elements: make(map[string]int), texts: make(map[string][]string), svg: make(map[string][]string)}
	type open struct {
		name, figure string
		text         strings.Builder
	}
	stack := []*open{{}}
	read := func(figure string, html []byte) {
		stack[0].figure = figure
		d := xml.NewDecoder(bytes.NewReader(html))
		for {
			token, err := d.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("not well-formed: %v", err)
			}
			top := stack[len(stack)-1]
			switch token := token.(type) {
			case xml.StartElement:
				next := &open{name: token.Name.Local, figure: top.figure}
				r.elements[next.name]++
				for _, a := range token.Attr {
					switch name := a.Name.Local; {
					case name == "id":
						r.ids = append(r.ids, a.Value)
						if next.name == "figure" {
							next.figure = a.Value
						}
					case name == "href":
						r.links = append(r.links, a.Value)
					case name == "content" && strings.HasPrefix(a.Value, "default-src"):
						r.policy = a.Value
					case name == "src", name == "srcset", name == "data", name == "action", name == "style", strings.HasPrefix(name, "on"),
						strings.Contains(a.Value, "url("), strings.Contains(a.Value, "javascript:"):
						t.Errorf("<%s %s=%q>", next.name, name, a.Value)
					}
				}
				stack = append(stack, next)
			case xml.CharData:
				for _, o := range stack {
					o.text.Write(token)
				}
			case xml.EndElement:
				stack = stack[:len(stack)-1]
				r.texts[top.name] = append(r.texts[top.name], top.text.String())
				if top.name == "text" {
					r.svg[top.figure] = append(r.svg[top.figure], top.text.String())
				}
			case xml.Comment:
				t.Errorf("a comment, as stands for what was left out: %s", token)
			}
		}
	}
	read("", page)
	if bytes.Contains(page, []byte(`id="data"`)) {
		later := readData(t, page).Later
		for id, part := range later {
			figure, _ := strings.CutSuffix(id, "-narrow")
			read(figure, []byte("<part>"+part+"</part>"))
		}
		for id := range later {
			if !slices.Contains(r.ids, id) {
				t.Errorf("a part of the page for an element %s, which is not there", id)
			}
		}
	}
	for _, name := range []string{"link", "iframe", "object", "embed", "img", "image", "base", "form", "use", "foreignObject"} {
		if r.elements[name] > 0 {
			t.Errorf("%d times <%s>", r.elements[name], name)
		}
	}
	fail.UnlessLacks(t, strings.Join(r.texts["style"], ""), "url(", "@import") // it fetches nothing
	want := "default-src 'none'; base-uri 'none'; form-action 'none'; style-src"
	for _, text := range r.texts["style"] {
		want += " " + sha256Source(text)
	}
	if r.elements["script"] > 0 { // the data and the script
		want += "; script-src " + sha256Source("//<![CDATA["+strings.TrimPrefix(r.texts["script"][1], "//")+"]]>")
	}
	if r.policy != want || len(r.texts["style"]) != 1 || len(r.texts["script"]) != 0 && len(r.texts["script"]) != 2 {
		t.Errorf("%d styles and %d scripts, with the policy\n%s, want\n%s", len(r.texts["style"]), len(r.texts["script"]), r.policy, want)
	}
	slices.Sort(r.ids)
	if n := len(slices.Compact(slices.Clone(r.ids))); n != len(r.ids) {
		t.Errorf("%d ids, %d different ones: %q", len(r.ids), n, r.ids)
	}
	for _, link := range r.links {
		if id, ok := strings.CutPrefix(link, "#"); !ok || !slices.Contains(r.ids, id) {
			t.Errorf("a link to %q", link)
		}
	}
	return r
}

// sha256Source is how a policy names a text.
func sha256Source(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

func htmlOf(t *testing.T, v *section.View) []byte {
	t.Helper()
	html, err := newPage(v, section.All(v), verdict).html()
	fail.If(t, err)
	return html
}

// Names come from files. Whatever they hold, they are shown as they are.
func TestNamesAreNoMarkup(t *testing.T) {
	t.Parallel()
	names := []string{
		`<script>alert(1)</script>`, `a|b`, `*bold*`, `_it_ and ~~gone~~`, "`code`", `[link](http://example.com/)`,
		`&lt;b&gt;`, `back\slash\`, `"quoted" 'too'`, `<http://example.com/>`,
	}
	r := compact()
	renamed := make(map[string]string)
	for i, old := range append(slices.Clone(six), "foreign", "hold", "kafka-purgatory") {
		renamed[old] = names[i]
	}
	to := func(s *string) {
		if name, ok := renamed[*s]; ok {
			*s = name
		}
	}
	for i := range r.Cells {
		to(&r.Cells[i].Workload)
		for j := range r.Cells[i].Rows {
			to(&r.Cells[i].Rows[j].Structure)
			to(&r.Cells[i].Rows[j].Of)
		}
	}
	hold := renamed["hold"]
	scenario := "name = \"x\"\n```\n<b>&amp;</b>\n"
	r.Parameters.Scenarios = map[string]string{hold: scenario}
	recording := results.Recording{File: "a_b_c.trace", Description: "a *shop* on `Friday`"}
	r.Parameters.Traces = map[string]results.Recording{hold: recording}
	r.Environment.CPU = names[0]
	known := testKnowledge(six)
	known.Workload = func(name string) (workload.Workload, bool) {
		return workload.Workload{Name: name, Summary: names[0], Source: names[5]}, true
	}

	got := readHTML(t, htmlOf(t, viewOf(r, known)))
	if got.elements["b"] > 0 || got.elements["del"] > 0 || got.elements["br"] > 0 {
		t.Error("a name became markup")
	}
	for _, name := range renamed {
		if !slices.Contains(got.texts["td"], name) {
			t.Errorf("no cell says %s", name)
		}
	}
	for _, want := range []string{names[0], names[5], recording.File, recording.Description} {
		if !slices.Contains(got.texts["td"], want) {
			t.Errorf("no cell says %s", want)
		}
	}
	if !slices.Contains(got.texts["pre"], scenario) {
		t.Errorf("the scenario file is shown as %q", got.texts["pre"])
	}
	if !slices.ContainsFunc(got.texts["summary"], func(s string) bool { return strings.HasPrefix(s, hold+": ") }) {
		t.Errorf("no table about %s", hold)
	}
}

// readData returns the data in a page, as its script reads them.
func readData(t *testing.T, html []byte) (out struct {
	Form  struct{ Answers []json.RawMessage }
	Later map[string]string
},
) {
	t.Helper()
	block := regexp.MustCompile(`(?s)<script type="text/plain" id="data">(.*?)</script>`).FindSubmatch(html)
	if block == nil {
		t.Fatal("no data in the page")
	}
	data, err := base64.StdEncoding.DecodeString(string(block[1]))
	fail.If(t, err)
	z, err := gzip.NewReader(bytes.NewReader(data))
	fail.If(t, err)
	fail.If(t, json.NewDecoder(z).Decode(&out))
	return out
}

// IDs that the script looks for are its own, whatever the titles are.
func TestTitlesDoNotTakeTheIDsOfThePage(t *testing.T) {
	t.Parallel()
	p := newPage(viewOf(compact(), testKnowledge(six)), nil, verdict)
	for _, own := range ownID.FindAllStringSubmatch(pageSource, -1) {
		id := own[1]
		p.Sections = append(p.Sections, section.Section{Title: id, Tables: []section.Table{{Title: id, Body: show.Para("text")}}})
	}
	html, err := p.html()
	fail.If(t, err)
	got := readHTML(t, html) // fails if an ID stands twice
	for _, id := range regexp.MustCompile(`\$\("([a-z-]+)"\)`).FindAllStringSubmatch(pageScript, -1) {
		if !slices.Contains(got.ids, id[1]) {
			t.Errorf("the script looks for %s, which is not there", id[1])
		}
	}
}

// The script is small and needs nothing else.
func TestTheScriptIsSmall(t *testing.T) {
	t.Parallel()
	const most = 30_000
	if n := len(pageScript); n > most {
		t.Errorf("%d bytes, at most %d are allowed", n, most)
	}
	fail.UnlessLacks(t, pageScript, "fetch(", "XMLHttpRequest", "innerHTML", "eval(", "import(", "]]>", "</script")
}

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
	svg := fail.Read(t, filepath.Join(dir, Charts, f.Name+".svg"))
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
	}
	fail.UnlessLacks(t, svg, "NaN", "Inf", " id=", " style=", ">max<")
	fail.Unless(t, svg, `class="paper" fill="#ffffff"`)
	for _, m := range svgClass.FindAllStringSubmatch(svg, -1) {
		for class := range strings.FieldsSeq(m[1]) {
			fail.Unless(t, draw.CSS(), "svg ."+class+" ")
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
		fail.Unless(t, svg, ">"+strings.NewReplacer("<", "&lt;", "'", "&#39;").Replace(k.Text)+"<")
		if s := k.Style.Structure; s != "" && found[s] < 2 && !strings.HasPrefix(f.Name, "live-") {
			t.Errorf("%s: %d groups of %s, which is in the legend", f.Name, found[s], k.Text)
		}
	}
}
