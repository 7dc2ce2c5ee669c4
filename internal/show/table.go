package show

import (
	"encoding/csv"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// Table is a table of values. It is made once, and written by [Table.Terminal], [Table.Markdown], [Table.HTML] or [Table.CSV].
type Table struct {
	Title string // for [Table.Text]

	// Align holds l or r for each column. Its last letter holds for all further columns.
	// Empty: the first one is on the left, the others on the right.
	Align  string
	Header []string // empty: none
	Rows   []*Row
}

// Row is one row of a table.
type Row struct {
	Cells     []Cell
	Structure string // that the row is about, for HTML: the one that its first cell names; empty: none
	Cell      string // cell of the results that the row is about, for HTML; empty: none
}

// Cell is one value of a table. Make it with [Number], [Name] or [Words], or let [Table.Add] make it.
type Cell struct {
	Span
	Value     float64 // the number that the text shows, by which HTML sorts; NaN: none
	Note      string  // follows the text in brackets; empty: none
	Structure string  // that the text names, for HTML; empty: none
}

// Number is a value with its text.
func Number(value float64, text string) Cell { return Cell{Value: value, Span: Span{Text: text}} }

// Words is a cell without a number.
func Words(text string) Cell { return Number(math.NaN(), text) }

// Name is the name of a structure.
func Name(structure string) Cell {
	c := Words(structure)
	c.Structure = structure
	return c
}

// With returns the cell with a note.
func (c Cell) With(note string) Cell {
	c.Note = note
	return c
}

// In returns the cell in another face.
func (c Cell) In(f Face) Cell {
	c.Face = f
	return c
}

// String returns the text and the note of the cell.
func (c Cell) String() string { return c.write(func(s Span) string { return s.Text }) }

// write writes the text, and the note in brackets.
func (c Cell) write(span func(Span) string) string {
	out := span(c.Span)
	if c.Note != "" {
		out += " (" + span(Span{Text: c.Note}) + ")"
	}
	return out
}

func (c Cell) markdown() string { return c.write(Span.markdown) }

// plain is the cell in a terminal, with each number bound to its unit.
func (c Cell) plain() string { return bound(Safe(c.String())) }

// Add adds a row and returns it. A cell is a [Cell], a string, a whole number, which is written by [Grouped], a
// float64, which is written by [Figure], or nil, which is not known. Add panics on any other type.
func (t *Table) Add(cells ...any) *Row {
	row := &Row{Cells: make([]Cell, len(cells))}
	for i, c := range cells {
		switch c := c.(type) {
		case nil:
			row.Cells[i] = Words(Unknown)
		case Cell:
			row.Cells[i] = c
		case string:
			row.Cells[i] = Words(c)
		case int:
			row.Cells[i] = Number(float64(c), Grouped(c))
		case int64:
			row.Cells[i] = Number(float64(c), Grouped(c))
		case uint64:
			row.Cells[i] = Number(float64(c), Grouped(c))
		case float64:
			row.Cells[i] = Number(c, Figure(c))
		default:
			panic(fmt.Sprintf("show: a cell of type %T", c))
		}
	}
	if len(row.Cells) > 0 {
		row.Structure = row.Cells[0].Structure
	}
	t.Rows = append(t.Rows, row)
	return row
}

// CSV returns the table as comma-separated values, the header first. A cell with a number is that number, in full.
func (t Table) CSV() string {
	var b strings.Builder
	w := csv.NewWriter(&b)
	lines := [][]string{t.Header}
	for _, row := range t.Rows {
		var line []string
		for _, c := range row.Cells {
			text := c.Text
			if !math.IsNaN(c.Value) {
				text = strconv.FormatFloat(c.Value, 'f', -1, 64)
			} else if text == Unknown {
				text = ""
			}
			line = append(line, text)
		}
		lines = append(lines, line)
	}
	_ = w.WriteAll(lines) // into memory
	return b.String()
}

// Text returns the table with its title, for a terminal or in Markdown.
func (t Table) Text(markdown bool) string {
	if markdown {
		return Para(Strong(t.Title)).Markdown() + "\n" + t.Markdown()
	}
	return t.Title + "\n" + t.Terminal()
}

// Wide returns the table for a terminal, as wide as it gets.
func (t Table) Wide() string { return t.terminal(t.largest(utf8.RuneCountInString)) }

// Terminal returns the table for a terminal, within its Width. The widest column is wrapped
// first. No word is broken, and no number is separated from its unit.
func (t Table) Terminal() string {
	const padding = 2
	widths, least := t.largest(utf8.RuneCountInString), t.largest(func(cell string) (longest int) {
		for word := range strings.FieldsSeq(cell) {
			longest = max(longest, utf8.RuneCountInString(word))
		}
		return longest
	})
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
	return t.terminal(widths)
}

// terminal renders the table with columns of these widths at most.
func (t Table) terminal(widths []int) string {
	w := t.writer(Cell.plain, widths)
	style := table.StyleLight
	style.Options = table.OptionsNoBordersAndSeparators
	w.SetStyle(style)
	lines := strings.Split(w.Render(), "\n")
	for i := range lines {
		lines[i] = unbound(strings.TrimRight(lines[i], " "))
	}
	return strings.Join(lines, "\n")
}

// Markdown returns the table in Markdown, with a line break behind it. It is empty without rows.
func (t Table) Markdown() string {
	if len(t.Rows) == 0 {
		return ""
	}
	w := t.writer(Cell.markdown, t.largest(func(string) int { return 0 }))
	w.Style().Format.Header = text.FormatDefault
	return w.RenderMarkdown() + "\n"
}

// HTML returns the table as well-formed HTML. Cells carry what a script needs: data-value is the
// number of a cell, data-structure and data-cell say what a row, a column or a cell is about. Cells
// on the left have the class l. It is empty without rows.
func (t Table) HTML() string {
	if len(t.Rows) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("<table>")
	if len(t.Header) > 0 {
		b.WriteString("<thead><tr>")
		for i, name := range t.Header {
			fmt.Fprintf(&b, "<th%s>%s</th>", t.class(i), escaped(name))
		}
		b.WriteString("</tr></thead>\n")
	}
	b.WriteString("<tbody>\n")
	for _, row := range t.Rows {
		fmt.Fprintf(&b, "<tr%s%s>", data("structure", row.Structure), data("cell", row.Cell))
		for i, c := range row.Cells {
			value := ""
			if !math.IsNaN(c.Value) && !math.IsInf(c.Value, 0) {
				value = strconv.FormatFloat(c.Value, 'g', 6, 64)
			}
			fmt.Fprintf(&b, "<td%s%s%s>%s</td>", t.class(i), data("value", value), data("structure", c.Structure), c.write(Span.html))
		}
		b.WriteString("</tr>\n")
	}
	b.WriteString("</tbody></table>\n")
	return b.String()
}

func (t Table) class(column int) string {
	if t.left(column) {
		return ` class="l"`
	}
	return ""
}

func data(name, value string) string {
	if value == "" {
		return ""
	}
	return fmt.Sprintf(` data-%s="%s"`, name, escaped(value))
}

func (t Table) writer(write func(Cell) string, widths []int) table.Writer {
	w := table.NewWriter()
	if len(t.Header) > 0 {
		header := make(table.Row, len(t.Header))
		for i, name := range t.Header {
			header[i] = write(Words(name))
		}
		w.AppendHeader(header)
	}
	for _, row := range t.Rows {
		cells := make(table.Row, len(row.Cells))
		for i, c := range row.Cells {
			cells[i] = write(c)
		}
		w.AppendRow(cells)
	}
	var columns []table.ColumnConfig
	for i, most := range widths {
		side := text.AlignRight
		if t.left(i) {
			side = text.AlignLeft
		}
		columns = append(columns, table.ColumnConfig{
			Number: i + 1, Align: side, AlignHeader: side, WidthMax: most, WidthMaxEnforcer: text.WrapSoft,
		})
	}
	w.SetColumnConfigs(columns)
	return w
}

// left reports whether a column stands on the left.
func (t Table) left(column int) bool {
	align := t.Align
	if align == "" {
		align = "lr"
	}
	return align[min(column, len(align)-1)] == 'l'
}

// largest returns the largest size of the texts of each column.
func (t Table) largest(size func(text string) int) []int {
	var out []int
	add := func(column int, text string) {
		if column == len(out) {
			out = append(out, 0)
		}
		out[column] = max(out[column], size(text))
	}
	for i, name := range t.Header {
		add(i, name)
	}
	for _, row := range t.Rows {
		for i, c := range row.Cells {
			add(i, c.plain())
		}
	}
	return out
}
