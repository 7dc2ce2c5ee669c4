// Package section holds what a report answers: each section is a question with its charts and
// tables, and stands in a file of its own. It does not know how a page is written out.
package section

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/timerbench/timerbench/internal/show"
	"github.com/timerbench/timerbench/report/internal/analysis"
	"github.com/timerbench/timerbench/report/internal/draw"
	"github.com/timerbench/timerbench/report/internal/styles"
)

// list has what a report answers, in order. A section without charts and tables is left out.
var list = []func(*View) Section{
	answer,
	why,
	scale,
	rank,
	forest,
	grid,
	latency,
	longestCalls,
	idle,
	lateness,
	memory,
	collector,
	liveTimers,
	otherLanguages,
	inNumbers,
	explain,
	harness,
	validity,
	reproduce,
	origin,
}

// Section is one question that a report answers.
type Section struct {
	Title   string         // the question: it heads the section, and its charts that have no title
	Absent  string         // what the page names as left out if the section is; empty: nothing
	Lead    show.Text      // above the charts
	Charts  []*draw.Figure // nil: no data
	Caption show.Text      // below the charts
	Tables  []Table
	Open    bool // unfolded at first
}

// Table is a table of a section, or another text.
type Table struct {
	Lead  show.Text    // above it
	Title string       // it unfolds at a click on this; empty: it is open
	Chart *draw.Figure // above the body, folded with it; nil: none
	Body  show.Text    // empty: the table is left out, and its lead too
	Main  bool         // it is printed, as the charts are
	Open  bool         // it is unfolded at first
}

// View is the results and how contenders look on charts.
type View struct {
	*analysis.Run
	Styles map[string]draw.Style // by name
}

// NewView returns the view of results.
func NewView(r *analysis.Run) *View {
	return &View{r, styles.Of(r.Known.Entries, r.Contenders)}
}

// All makes all sections. The names of charts become those of files, so that none is a path and none
// stands for two charts: they hold names of workloads, which come from files themselves.
func All(v *View) []Section {
	name := IDs()
	var out []Section
	for _, f := range list {
		s := f(v)
		s.Charts = slices.DeleteFunc(s.Charts, func(f *draw.Figure) bool { return f == nil })
		s.Tables = slices.DeleteFunc(s.Tables, func(t Table) bool { return len(t.Body) == 0 })
		for _, f := range s.Figures() {
			f.Name = name(f.Name)
			if f.Title == "" {
				f.Title, f.Headed = s.Title, true
			}
		}
		out = append(out, s)
	}
	return out
}

// Empty reports whether there is nothing to show.
func (s Section) Empty() bool { return len(s.Charts) == 0 && len(s.Tables) == 0 }

// Printed reports whether the section stands on paper, too.
func (s Section) Printed() bool {
	return len(s.Charts) > 0 || slices.ContainsFunc(s.Tables, func(t Table) bool { return t.Main })
}

// Wide reports whether the body may be wider than the page: tables and listings may.
func (t Table) Wide() bool {
	return slices.ContainsFunc(t.Body, func(b show.Block) bool { return b.Kind == show.Values || b.Kind == show.Listing })
}

// Figures returns the charts of a section, those of its tables last.
func (s Section) Figures() []*draw.Figure {
	out := slices.Clone(s.Charts)
	for _, t := range s.Tables {
		if t.Chart != nil {
			out = append(out, t.Chart)
		}
	}
	return out
}

// Figures returns the charts of sections, in order.
func Figures(sections []Section) []*draw.Figure {
	var out []*draw.Figure
	for _, s := range sections {
		out = append(out, s.Figures()...)
	}
	return out
}

func (v *View) stylesOf(rows []analysis.Contender) []draw.Style {
	out := make([]draw.Style, len(rows))
	for i, c := range rows {
		out[i] = v.Styles[c.Name]
	}
	return out
}

// keys is a legend of contenders.
func (v *View) keys(rows []analysis.Contender) []draw.Key {
	var out []draw.Key
	for _, l := range v.stylesOf(rows) {
		out = append(out, draw.Key{Text: l.Name, Style: l, Line: true, Radius: 3})
	}
	return out
}

// longestID is the length in bytes up to which an ID follows its title: with a
// suffix it must remain a valid file name.
const longestID = 100

// IDs returns a function that makes an ID from a title, each ID once: for anchors,
// as GitHub makes those of headings, and for the names of files. An ID holds only
// lower-case letters, digits and single dashes, whatever the title holds.
func IDs() func(title string) string {
	taken := make(map[string]bool)
	return func(title string) string {
		base := strings.Join(strings.FieldsFunc(strings.ToLower(title), func(r rune) bool {
			return r == utf8.RuneError || !unicode.IsLetter(r) && !unicode.IsDigit(r)
		}), "-")
		base = cut(base, longestID)
		id := base
		for n := 2; taken[id]; n++ {
			id = fmt.Sprintf("%s-%d", base, n)
		}
		taken[id] = true
		return id
	}
}

// cut shortens s to at most so many bytes, between two letters.
func cut(s string, most int) string {
	if len(s) <= most {
		return s
	}
	for !utf8.RuneStart(s[most]) {
		most--
	}
	return s[:most]
}
