package section

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/bench/stats"
	"github.com/timerbench/timerbench/internal/show"
	"github.com/timerbench/timerbench/report/internal/analysis"
)

// table is a table in Markdown, made row by row.
type table struct{ show.Table }

// newTable returns a table without rows. Align holds l or r for each column; its last letter holds
// for all further columns.
func newTable(align string, header ...string) *table {
	t := &table{show.Table{Align: align}}
	for _, h := range header {
		t.Header = append(t.Header, Literal(h))
	}
	return t
}

// pivot is a table with a row for each contender that has a value, and a column for each header.
func pivot(align string, rows []analysis.Contender, header []string, value func(who analysis.Contender, column int) any) string {
	t := newTable(align, append([]string{"Structure"}, header...)...)
	for _, who := range rows {
		line, found := []any{label(who, false)}, false
		for column := range header {
			v := value(who, column)
			line, found = append(line, v), found || v != nil
		}
		if found {
			t.add(line...)
		}
	}
	return t.Markdown()
}

// markup is a text that is Markdown already.
type markup string

// size is a number of timers.
type size int

// add adds a row. Strings are shown as they are, and numbers as package show writes them; nil is not
// known.
func (t *table) add(cells ...any) {
	row := make([]string, len(cells))
	for i, c := range cells {
		switch c := c.(type) {
		case nil:
			row[i] = show.Unknown
		case markup:
			row[i] = string(c)
		case string:
			row[i] = Literal(c)
		case size:
			row[i] = short(int(c))
		case int:
			row[i] = show.Grouped(c)
		case int64:
			row[i] = show.Grouped(c)
		case uint64:
			row[i] = show.Grouped(c)
		case float64:
			row[i] = show.Figure(c)
		default:
			panic(fmt.Sprintf("section: a cell of type %T", c))
		}
	}
	t.Rows = append(t.Rows, row)
}

// special matches what Markdown takes for more than text within a line.
var special = regexp.MustCompile("[\\\\`*_\\[\\]<>~]|&[#\\w]")

// Literal makes Markdown show a text as it is: the name of a structure or anything else that is not
// this package's own words.
func Literal(s string) string { return special.ReplaceAllString(OneLine(s), `\$0`) }

// OneLine turns what would break a line into spaces.
func OneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, s)
}

func fenced(language, text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + language + "\n" + strings.TrimSuffix(text, "\n") + "\n" + fence
}

func boldIf(is bool, s string) markup {
	if is {
		return markup("**" + s + "**")
	}
	return markup(s)
}

// label is the name of a contender in a table: the best in bold, and what is no structure in italics
// with its role.
func label(who analysis.Contender, best bool) markup {
	name := Literal(who.Name)
	switch who.Role {
	case results.RoleFloor, results.RoleControl, results.RoleBaseline, results.RoleExternal:
		return markup("_" + name + "_ (" + string(who.Role) + ")")
	}
	return boldIf(best, name)
}

func short(n int) string { return show.Short(float64(n)) }

func shortList(numbers []int) string {
	var out []string
	for _, n := range numbers {
		out = append(out, short(n))
	}
	return show.And(out)
}

func sized(workload string, n int) string { return fmt.Sprintf("%s, N = %s", workload, short(n)) }

// perUnit says what the cost of a cell is counted per, where that is not the lifecycle of a timer.
func perUnit(c *analysis.Cell) string {
	if c.Unit == script.PerLifecycle {
		return ""
	}
	return fmt.Sprintf(" (per %s)", c.Unit)
}

// cellTitle names a cell, and its unit if that is not the lifecycle.
func cellTitle(c *analysis.Cell) string { return sized(c.Workload, c.N) + perUnit(c) }

// cellName names a cell in attributes of charts.
func cellName(c *analysis.Cell) string { return c.Workload + " " + short(c.N) }

func times(r stats.Ratio) string {
	if r.Pairs == 0 {
		return show.Unknown
	}
	return show.Times(r.Center)
}

func interval(s analysis.Stat) markup {
	if !s.Bounded() {
		return show.Unknown
	}
	return markup(show.Figure(s.Lo) + " to " + show.Figure(s.Hi))
}

func withInterval(s analysis.Stat) string {
	if !s.Bounded() {
		return show.Figure(s.Center)
	}
	return fmt.Sprintf("%s (%s)", show.Figure(s.Center), interval(s))
}

// unless is a text, or nil where it is empty.
func unless(s string) any {
	if s == "" {
		return nil
	}
	return s
}
