package report

import (
	"fmt"
	"html"
	"regexp"
	"strings"
	"unicode"

	"github.com/timerbench/timerbench/internal/show"
)

// markdown writes the page as Markdown. It shows charts as PNGs, which look the
// same everywhere, and links the SVGs.
func (p *page) markdown() string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n\n", args...) }
	line("# %s", p.title)
	if p.made != "" {
		line("%s", p.made)
	}
	for _, chapter := range p.chapters {
		if chapter.title != "" {
			line("## %s", chapter.title)
		}
		for _, block := range chapter.blocks {
			if block.htmlOnly {
				continue
			}
			if block.summary != "" {
				line("<details%s><summary>%s</summary>", map[bool]string{true: " open"}[block.open], html.EscapeString(oneLine(block.summary)))
			}
			if f := block.chart; f != nil {
				line("[![%s](%s.png)](%s.svg)", literal(f.Alt()), f.Name, f.Name)
			}
			if block.text != "" {
				line("%s", block.text)
			}
			if block.summary != "" {
				line("</details>")
			}
		}
	}
	return b.String()
}

// markdownTable makes a table. Align holds l or r for each column; its last letter
// holds for all further columns.
func markdownTable(align string, header []string, rows [][]string) string {
	return show.Table{Align: align, Header: header, Rows: rows}.Markdown()
}

// markup matches what Markdown takes for more than text within a line.
var markup = regexp.MustCompile("[\\\\`*_\\[\\]<>~]|&[#\\w]")

// literal makes Markdown show a text as it is: the name of a structure or
// anything else that is not this package's own words.
func literal(s string) string {
	return markup.ReplaceAllString(oneLine(s), `\$0`)
}

// oneLine turns what would break a line into spaces.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, s)
}

// fenced puts a text into a code block.
func fenced(language, text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + language + "\n" + strings.TrimSuffix(text, "\n") + "\n" + fence
}
