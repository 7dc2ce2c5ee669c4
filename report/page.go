package report

import (
	"fmt"
	"html"
	"regexp"
	"strings"
	"unicode"
)

const pageTitle = "Timer structures compared"

// page is the content of a report, block by block, apart from how it is written
// out: as Markdown here, as HTML in html.go.
type page struct{ chapters []chapter }

// chapter is what stands under one heading. The first one has no title: it stands above the others.
type chapter struct {
	title  string
	blocks []block
}

// block is a figure or a text.
type block struct {
	figure  *figure
	text    string // Markdown
	summary string // plain; of a text that unfolds on a click
	wide    bool   // the text may be wider than the page
}

func (p *page) heading(title string) { p.chapters = append(p.chapters, chapter{title: title}) }

func (p *page) add(b block) {
	last := &p.chapters[len(p.chapters)-1]
	b.text = strings.TrimRight(b.text, "\n")
	last.blocks = append(last.blocks, b)
}

// line adds a paragraph.
func (p *page) line(text string) { p.add(block{text: text}) }

// linef is line with a format.
func (p *page) linef(format string, args ...any) { p.line(fmt.Sprintf(format, args...)) }

func (p *page) table(text string) { p.add(block{text: text, wide: true}) }

func (p *page) picture(f *figure) { p.add(block{figure: f}) }

// folded adds a text that unfolds on a click, unless it is empty.
func (p *page) folded(summary, text string) {
	if text != "" {
		p.add(block{text: text, summary: summary, wide: true})
	}
}

// markdown writes the page as Markdown. It shows charts as PNGs, which look the
// same everywhere, and links the SVGs.
func (p *page) markdown() string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n\n", args...) }
	line("# %s", pageTitle)
	for _, chapter := range p.chapters {
		if chapter.title != "" {
			line("## %s", chapter.title)
		}
		for _, block := range chapter.blocks {
			switch f := block.figure; {
			case f != nil:
				line("[![%s](%s.png)](%s.svg)", literal(f.alt()), f.name, f.name)
			case block.summary != "":
				line("<details><summary>%s</summary>", html.EscapeString(oneLine(block.summary)))
				line("%s", block.text)
				line("</details>")
			default:
				line("%s", block.text)
			}
		}
	}
	return b.String()
}

// alt is what a figure shows, in words.
func (f *figure) alt() string { return f.title + " " + f.subtitle }

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

// fenced shows a file as it is.
func fenced(language, text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + language + "\n" + strings.TrimSuffix(text, "\n") + "\n" + fence
}
