package report

import (
	"slices"

	"github.com/timerbench/timerbench/report/internal/draw"
)

// sections lists what a report answers, in order. It drives the page, in both of
// its forms, and the charts. Each section stands in a file of its own; one
// without charts and tables is left out.
var sections = []func(*view) section{
	answer, scale, breakEven, forest, grid, latency, longestCalls, idle, lateness, memory, collector, liveTimers, inNumbers, explain, harness, validity, reproduce, origin,
}

// section is one question that a report answers.
type section struct {
	title   string         // the question: it heads the section, and its charts that have no title
	absent  string         // what the page names as left out where there is no chart; empty: nothing
	lead    string         // Markdown above the charts
	charts  []*draw.Figure // nil: no data
	caption string         // Markdown below the charts
	tables  []table
}

// table is a table of a section, or another text.
type table struct {
	lead  string       // Markdown above it
	title string       // it unfolds at a click on this; empty: it is open
	chart *draw.Figure // above the body, folded with it; nil: none
	body  string       // Markdown; empty: it is left out, and what stands above it
	main  bool         // it is printed, as the charts are
}

// sections makes all sections. The names of charts become those of files, so that
// none is a path and none stands for two charts: they hold names of workloads,
// which come from files themselves.
func (v *view) sections() []section {
	name := ids()
	var out []section
	for _, f := range sections {
		s := f(v)
		s.charts = slices.DeleteFunc(s.charts, func(f *draw.Figure) bool { return f == nil })
		s.tables = slices.DeleteFunc(s.tables, func(t table) bool { return t.body == "" })
		for _, f := range s.figures() {
			f.Name = name(f.Name)
			if f.Title == "" {
				f.Title = s.title
			}
		}
		out = append(out, s)
	}
	return out
}

// figures returns the charts of a section, those of its tables last.
func (s section) figures() []*draw.Figure {
	out := slices.Clone(s.charts)
	for _, t := range s.tables {
		if t.chart != nil {
			out = append(out, t.chart)
		}
	}
	return out
}

// charts returns the charts of sections, in order.
func charts(sections []section) []*draw.Figure {
	var out []*draw.Figure
	for _, s := range sections {
		out = append(out, s.figures()...)
	}
	return out
}
