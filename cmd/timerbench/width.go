package main

import (
	"encoding/csv"
	"os"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"
)

// width returns the number of columns for texts and tables: what COLUMNS says, or those of the
// terminal, or 80.
func width() int {
	const least, usual = 40, 80
	if n, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && n > 0 {
		return max(n, least)
	}
	if n, _, err := term.GetSize(int(os.Stdout.Fd())); err == nil && n > 0 {
		return max(n, least)
	}
	return usual
}

// wrapped breaks the lines of a text that are too long.
func wrapped(s string) string {
	var out []string
	for line := range strings.SplitSeq(s, "\n") {
		for part := range strings.SplitSeq(text.WrapSoft(line, width()), "\n") {
			out = append(out, strings.TrimRight(part, " "))
		}
	}
	return strings.Join(out, "\n")
}

// filled joins the lines of each paragraph and breaks them anew. Indented lines stay as they are.
func filled(s string) string {
	paragraphs := strings.Split(s, "\n\n")
	for i, p := range paragraphs {
		if !strings.HasPrefix(p, " ") {
			paragraphs[i] = wrapped(strings.ReplaceAll(p, "\n", " "))
		}
	}
	return strings.Join(paragraphs, "\n\n")
}

// fitted renders a table within the width. It wraps the widest column first and breaks no word. Columns have the given configurations besides.
func fitted(t table.Writer, columns []table.ColumnConfig) string {
	t.SetColumnConfigs(columns)
	cells, err := csv.NewReader(strings.NewReader(t.RenderCSV())).ReadAll()
	if err != nil || len(cells) == 0 {
		return trimmed(t)
	}
	const padding = 2
	widths, least := make([]int, len(cells[0])), make([]int, len(cells[0]))
	over := -width() - 1 // spaces at the end are cut
	for i := range widths {
		for _, row := range cells {
			widths[i] = max(widths[i], utf8.RuneCountInString(row[i]))
			for _, word := range strings.Fields(row[i]) {
				least[i] = max(least[i], utf8.RuneCountInString(word))
			}
		}
		over += widths[i] + padding
	}
	given := slices.Clone(widths)
	for ; over > 0; over-- {
		at := -1
		for i := range widths {
			if widths[i] > least[i] && (at < 0 || widths[i] > widths[at]) {
				at = i
			}
		}
		if at < 0 {
			break
		}
		widths[at]--
	}
	for i := range widths {
		if widths[i] == given[i] {
			continue
		}
		at := slices.IndexFunc(columns, func(c table.ColumnConfig) bool { return c.Number == i+1 })
		if at < 0 {
			at = len(columns)
			columns = append(columns, table.ColumnConfig{Number: i + 1})
		}
		columns[at].WidthMax, columns[at].WidthMaxEnforcer = widths[i], text.WrapSoft
	}
	t.SetColumnConfigs(columns)
	return trimmed(t)
}

// trimmed renders a table without the spaces at the ends of its lines.
func trimmed(t table.Writer) string {
	lines := strings.Split(t.Render(), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n")
}

// folded breaks the lines of examples as a shell reads them.
func folded(s string) string {
	const indent, end = "      ", ` \`
	var out strings.Builder
	for line := range strings.SplitSeq(s, "\n") {
		for utf8.RuneCountInString(line) > width() {
			at := strings.LastIndexByte(line[:width()-len(end)+1], ' ')
			if at <= len(indent) {
				break
			}
			out.WriteString(line[:at] + end + "\n")
			line = indent + line[at+1:]
		}
		out.WriteString(line + "\n")
	}
	return strings.TrimSuffix(out.String(), "\n")
}

// helpWithin makes the help of a command and of those below fit the width.
func helpWithin(root *cobra.Command) {
	cobra.AddTemplateFunc("filled", filled)
	cobra.AddTemplateFunc("folded", folded)
	cobra.AddTemplateFunc("flagUsages", func(f *pflag.FlagSet) string { return f.FlagUsagesWrapped(width()) })
	root.SetHelpTemplate(strings.Replace(root.HelpTemplate(), "{{. | trim", "{{. | filled | trim", 1))
	usage := strings.ReplaceAll(root.UsageTemplate(), "{{.Example}}", "{{folded .Example}}")
	usage = strings.ReplaceAll(usage, ".LocalFlags.FlagUsages", "flagUsages .LocalFlags")
	root.SetUsageTemplate(strings.ReplaceAll(usage, ".InheritedFlags.FlagUsages", "flagUsages .InheritedFlags"))
}
