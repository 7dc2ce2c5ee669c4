package show

import (
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

// Terminal returns the table with lines between the columns.
func (t Table) Terminal() string {
	w := t.writer()
	style := table.StyleLight
	style.Options = table.OptionsNoBordersAndSeparators
	style.Format.Header = text.FormatDefault
	style.Options.SeparateColumns = len(t.Header) > 0
	w.SetStyle(style)
	return w.Render()
}

// Markdown returns the table in Markdown, with a line break behind it. It is empty without rows.
func (t Table) Markdown() string {
	if len(t.Rows) == 0 {
		return ""
	}
	w := t.writer()
	w.Style().Format.Header = text.FormatDefault
	return w.RenderMarkdown() + "\n"
}

func (t Table) writer() table.Writer {
	w := table.NewWriter()
	if len(t.Header) > 0 {
		w.AppendHeader(line(t.Header))
	}
	for _, cells := range t.Rows {
		w.AppendRow(line(cells))
	}
	align := t.Align
	if align == "" {
		align = "lr"
	}
	var columns []table.ColumnConfig
	for i := range t.columns() {
		side := text.AlignRight
		if align[min(i, len(align)-1)] == 'l' {
			side = text.AlignLeft
		}
		columns = append(columns, table.ColumnConfig{Number: i + 1, Align: side, AlignHeader: side})
	}
	w.SetColumnConfigs(columns)
	return w
}

// columns returns the number of columns.
func (t Table) columns() int {
	n := len(t.Header)
	for _, cells := range t.Rows {
		n = max(n, len(cells))
	}
	return n
}

func line(cells []string) table.Row {
	out := make(table.Row, len(cells))
	for i, c := range cells {
		out[i] = c
	}
	return out
}
