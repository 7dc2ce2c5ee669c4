package show

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// Table is a table of texts.
type Table struct {
	// Align holds l or r for each column. Its last letter holds for all further columns.
	// Empty: the first one is on the left, the others on the right.
	Align  string
	Header []string // empty: none
	Rows   [][]string
}

// Add adds a row.
func (t *Table) Add(cells ...string) { t.Rows = append(t.Rows, cells) }

// Wide returns the table for a terminal, as wide as it gets.
func (t Table) Wide() string { return t.terminal(t.widths()) }

// Terminal returns the table for a terminal, within its Width. The widest column is wrapped
// first. No word is broken, and no number is separated from its unit.
func (t Table) Terminal() string {
	const padding = 2
	rows := t.Rows
	t.Rows = nil
	for _, cells := range rows {
		cells = slices.Clone(cells)
		for i := range cells {
			cells[i] = bound(cells[i])
		}
		t.Add(cells...)
	}
	widths, least := t.widths(), make([]int, t.columns())
	for _, cells := range t.lines() {
		for i, cell := range cells {
			for word := range strings.FieldsSeq(cell) {
				least[i] = max(least[i], utf8.RuneCountInString(word))
			}
		}
	}
	over := -Width() - 1 // spaces at the ends are cut
	for _, w := range widths {
		over += w + padding
	}
	for ; over > 0; over-- {
		widest := -1
		for i, w := range widths {
			if w > least[i] && (widest < 0 || w > widths[widest]) {
				widest = i
			}
		}
		if widest < 0 {
			break // it cannot be narrower
		}
		widths[widest]--
	}
	return unbound(t.terminal(widths))
}

// terminal renders the table with columns of these widths at most.
func (t Table) terminal(widths []int) string {
	w := t.writer(widths)
	style := table.StyleLight
	style.Options = table.OptionsNoBordersAndSeparators
	w.SetStyle(style)
	lines := strings.Split(w.Render(), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n")
}

// Markdown returns the table in Markdown, with a line break behind it. It is empty without rows.
func (t Table) Markdown() string {
	if len(t.Rows) == 0 {
		return ""
	}
	w := t.writer(make([]int, t.columns()))
	w.Style().Format.Header = text.FormatDefault
	return w.RenderMarkdown() + "\n"
}

func (t Table) writer(widths []int) table.Writer {
	w := table.NewWriter()
	if len(t.Header) > 0 {
		w.AppendHeader(row(t.Header))
	}
	for _, cells := range t.Rows {
		w.AppendRow(row(cells))
	}
	align := t.Align
	if align == "" {
		align = "lr"
	}
	var columns []table.ColumnConfig
	for i, most := range widths {
		side := text.AlignRight
		if align[min(i, len(align)-1)] == 'l' {
			side = text.AlignLeft
		}
		columns = append(columns, table.ColumnConfig{
			Number: i + 1, Align: side, AlignHeader: side, WidthMax: most, WidthMaxEnforcer: text.WrapSoft,
		})
	}
	w.SetColumnConfigs(columns)
	return w
}

// lines are all rows, with the header.
func (t Table) lines() [][]string { return append([][]string{t.Header}, t.Rows...) }

// columns returns the number of columns.
func (t Table) columns() int {
	return len(slices.MaxFunc(t.lines(), func(a, b []string) int { return len(a) - len(b) }))
}

// widths returns the width of each column.
func (t Table) widths() []int {
	widths := make([]int, t.columns())
	for _, cells := range t.lines() {
		for i, cell := range cells {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	return widths
}

func row(cells []string) table.Row {
	out := make(table.Row, len(cells))
	for i, c := range cells {
		out[i] = c
	}
	return out
}
