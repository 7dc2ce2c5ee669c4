package report

import (
	"slices"
	"strings"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/stats"
	"github.com/timerbench/timerbench/report/advice"
	"github.com/timerbench/timerbench/report/internal/draw"
)

const pageTitle = "Timer structures compared"

// page is the content of a report, block by block, apart from how it is written
// out, as Markdown or as HTML.
type page struct {
	title    string
	made     string                    // when and on what, in Markdown; empty: not known
	first    *advice.Answer            // it stands at the top; nil: none
	data     func() (*pageData, error) // for the script; nil: the page has none
	chapters []chapter
}

// chapter is what stands under one heading. The first one has no title: it stands
// above the others.
type chapter struct {
	title  string
	screen bool // it is not printed
	blocks []block
}

// block is a chart or a text, or both folded together.
type block struct {
	chart   *draw.Figure
	text    string // Markdown
	summary string // plain; of a text that unfolds on a click
	wide    bool   // the text may be wider than the page
	open    bool   // it is unfolded at first
	screen  bool   // it is not printed

	downloads func() ([]download, error) // files that are part of the HTML; nil: none

	markdownOnly bool // for pages without controls or files
	htmlOnly     bool
}

// page puts sections one below the other, after the answers and what a reader must know first.
func (v *view) page(sections []section) *page {
	p := &page{title: pageTitle, made: v.made(), chapters: []chapter{{}}}
	v.answers(p)
	for _, w := range slices.Concat(v.warnings(), v.gaps(sections)) {
		p.text(w)
	}
	for _, s := range sections {
		p.section(s)
	}
	v.downloads(p)
	return p
}

// section adds a chapter, unless it would be empty.
func (p *page) section(s section) {
	if len(s.charts) == 0 && len(s.tables) == 0 {
		return
	}
	printed := len(s.charts) > 0 || slices.ContainsFunc(s.tables, func(t table) bool { return t.main })
	p.chapters = append(p.chapters, chapter{title: s.title, screen: !printed})
	p.text(s.lead)
	for _, f := range s.charts {
		p.add(block{chart: f})
	}
	p.text(s.caption)
	for _, t := range s.tables {
		if t.lead != "" {
			p.add(block{text: t.lead, screen: true})
		}
		p.add(block{chart: t.chart, text: t.body, summary: t.title, wide: !strings.HasPrefix(t.body, "- "), screen: !t.main})
	}
}

// text adds a paragraph, unless it is empty.
func (p *page) text(markdown string) {
	if markdown != "" {
		p.add(block{text: markdown})
	}
}

func (p *page) add(b block) {
	last := &p.chapters[len(p.chapters)-1]
	b.text = strings.TrimRight(b.text, "\n")
	last.blocks = append(last.blocks, b)
}

// warnings are what a reader must know before all else.
func (v *view) warnings() []string {
	var out []string
	if !v.r.Complete {
		out = append(out, "> **This run was interrupted.** What is here was measured and proved in full; the rest is missing.")
	}
	for _, f := range v.r.Failures {
		out = append(out, "> **"+literal(f.Structure)+" broke its contract** on "+literal(f.Where)+", and has no figures there: "+literal(f.Reason)+".")
	}
	if v.anyCost(func(s stat) bool { return !s.bounded() }) {
		out = append(out, "> **Too few trials for intervals.** A 95 % confidence interval needs at least two trials. "+
			"Where there were fewer, no difference on this page is proved and no tie is named.")
	}
	if v.anyCost(func(s stat) bool { return s.bounded() && s.level == stats.Rounds }) {
		out = append(out, "> **One instance of each structure.** How cost varies with the placement in memory is not known from these results, "+
			"and not in their intervals: another run may differ by more.")
	}
	return out
}

// anyCost reports whether is holds for the cost of some row. Controls do not count: they begin
// a pass later than the structures.
func (v *view) anyCost(is func(stat) bool) bool {
	return slices.ContainsFunc(v.r.Cells, func(c results.Cell) bool {
		return slices.ContainsFunc(c.Rows, func(r results.Row) bool {
			s := v.cost(c, r)
			return r.Role != results.RoleControl && s.ok() && is(s)
		})
	})
}
