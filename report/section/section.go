// Package section makes the sections of a report. Each section is a question with charts, tables and
// text. It does not know the formats of the page.
package section

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/bench/stats"
	"github.com/timerbench/timerbench/internal/show"
	"github.com/timerbench/timerbench/report/answer"
	"github.com/timerbench/timerbench/report/draw"
)

// list is all sections in order. A section without charts and tables is omitted.
var list = []func(*View) Section{
	latency, // these are open
	idle,
	scale,
	goTimers,
	memory,
	longestCalls,
	questions, // and these closed
	lateness,
	intrusive,
	otherLanguages,
	inNumbers,
	harness,
	validity,
	reproduce,
	origin,
}

// Section is one question of a report with its answer.
type Section struct {
	Title  string         // the question, also for charts without a title
	Absent string         // the name of the section in the list of omissions; empty: not listed
	Lead   show.Text      // above the charts
	Charts []*draw.Figure // nil: no data
	Tables []Table
	Open   bool // unfolded at first
}

// Table is a table or a text of a section.
type Table struct {
	Lead  show.Text // above it
	Title string    // unfolds the table at a click; empty: it does not fold
	Body  show.Text // empty: the table is left out, and its lead too
	Main  bool      // on paper too, like the charts
}

// View is the results with the styles of the contenders.
type View struct {
	*answer.Run
	Styles map[string]draw.Style // by name
}

// NewView returns the view of results.
func NewView(r *answer.Run) *View {
	return &View{r, draw.Styles(r.Known.Entries, r.Contenders)}
}

// All makes all sections.
func All(v *View) []Section {
	var out []Section
	for _, f := range list {
		s := f(v)
		s.Charts = slices.DeleteFunc(s.Charts, func(f *draw.Figure) bool { return f == nil })
		s.Tables = slices.DeleteFunc(s.Tables, func(t Table) bool { return len(t.Body) == 0 })
		for _, f := range s.Charts {
			f.Title = cmp.Or(f.Title, s.Title)
		}
		out = append(out, s)
	}
	return out
}

// Empty reports whether there is nothing to show.
func (s Section) Empty() bool { return len(s.Charts) == 0 && len(s.Tables) == 0 }

// Printed reports whether the section has anything to print.
func (s Section) Printed() bool {
	return len(s.Charts) > 0 || slices.ContainsFunc(s.Tables, func(t Table) bool { return t.Main })
}

// Wide reports whether the body may be wider than the page: tables and listings may.
func (t Table) Wide() bool {
	return slices.ContainsFunc(t.Body, func(b show.Block) bool { return b.Table != nil || b.Listing != "" })
}

// Figures returns the charts of sections, in order.
func Figures(sections []Section) []*draw.Figure {
	var out []*draw.Figure
	for _, s := range sections {
		out = append(out, s.Charts...)
	}
	return out
}

// longestID is the length in bytes at which an ID is cut (chosen).
const longestID = 100

// IDs returns a function that makes unique IDs from titles, for anchors. An ID has lower-case letters, digits and single
// dashes, like the anchors of GitHub.
func IDs() func(title string) string {
	taken := make(map[string]bool)
	return func(title string) string {
		base := strings.Join(strings.FieldsFunc(strings.ToLower(title), func(r rune) bool {
			return r == utf8.RuneError || !unicode.IsLetter(r) && !unicode.IsDigit(r)
		}), "-")
		base = strings.ToValidUTF8(base[:min(len(base), longestID)], "") // no half of a letter
		id := base
		for n := 2; taken[id]; n++ {
			id = fmt.Sprintf("%s-%d", base, n)
		}
		taken[id] = true
		return id
	}
}

// newTable returns a table without rows. align has l or r for each column; its last letter holds for all
// further columns.
func newTable(align string, header ...string) *show.Table {
	return &show.Table{Align: align, Header: header}
}

// pivot makes a table with a row for each contender with a value, and a column for each header. A contender that is no structure is
// in italics with its role.
func pivot(rows []answer.RowName, header []string, value func(who answer.RowName, column int) any) *show.Table {
	t := newTable("lr", append([]string{"Structure"}, header...)...)
	for _, who := range rows {
		name, found := show.Name(who.Name), false
		switch who.Role {
		case results.RoleFloor, results.RoleControl, results.RoleExternal:
			name = name.In(show.Italic).With(string(who.Role))
		}
		line := []any{name}
		for column := range header {
			v := value(who, column)
			line, found = append(line, v), found || v != nil
		}
		if found {
			t.Add(line...)
		}
	}
	return t
}

// addUnit adds a row about a cell of the results. The row begins with the workload, the unit of the cost unless it is the
// lifecycle of a timer, and the size.
func addUnit(t *show.Table, c *stats.Costs, cells ...any) {
	name := show.Words(c.Workload).With(show.Joined("; ", show.When(c.Unit != script.PerLifecycle, "per "+string(c.Unit)), c.Unsteady()))
	t.Add(append([]any{name, size(c.N)}, cells...)...).Cell = cellName(c)
}

func size(n int) show.Cell { return show.Number(float64(n), short(n)) }

func percent(share float64) show.Cell { return show.Number(share, show.Percent(share)) }

func short(n int) string { return show.Short(float64(n)) }

func sized(workload string, n int) string { return fmt.Sprintf("%s, N = %s", workload, short(n)) }

// cellName names a cell in attributes of charts and tables.
func cellName(c *stats.Costs) string { return c.Workload + " " + short(c.N) }

// unless is a value, or nil where it is zero.
func unless[T comparable](v T) any {
	if v == *new(T) {
		return nil
	}
	return v
}

// mapped returns what of returns for each element.
func mapped[T, U any](list []T, of func(T) U) []U {
	var out []U
	for _, x := range list {
		out = append(out, of(x))
	}
	return out
}

// distinct returns the different values in ascending order.
func distinct[T cmp.Ordered](values []T) []T {
	return slices.Compact(slices.Sorted(slices.Values(values)))
}
