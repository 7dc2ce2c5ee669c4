package report

import (
	"slices"

	"github.com/timerbench/timerbench/report/internal/demo"
	"github.com/timerbench/timerbench/report/internal/draw"
	"github.com/timerbench/timerbench/report/internal/sketch"
	"github.com/timerbench/timerbench/structures/catalog"
)

// explain says how each structure works that the results have a row of.
func explain(v *view) section {
	s := section{
		title: "How does each structure work?",
		lead: "One drawing for each structure of this run, made from a live instance with a few timers: what each operation does to it, " +
			"and the work that it counts. Each drawing is what the next operation finds. Below it: where the structure wins and loses in this run, " +
			"what it costs, what it promises. " + drawingLimits,
	}
	verdicts := v.verdicts()
	for _, e := range v.explained() {
		s.tables = append(s.tables, table{
			title: e.Name + ": " + e.Summary,
			chart: explainChart(e, v.looks[e.Name]),
			body:  factTable(e.Name, facts(e, v.r, verdicts)),
		})
	}
	return s
}

// drawingLimits says what the drawings do not show.
const drawingLimits = "A dozen timers show how a structure works, not how fast it is: caches, batches and sweeps matter from thousands of timers on."

// explained returns the entries of the catalog that the results have a row of.
func (v *view) explained() []catalog.Entry {
	rows := v.present(func(who contender) bool { return true })
	return slices.DeleteFunc(slices.Clone(v.known.entries), func(e catalog.Entry) bool {
		return !slices.ContainsFunc(rows, func(who contender) bool { return who.name == e.Name })
	})
}

// explainChart draws a structure step by step. Nil: it does not show its shape.
func explainChart(e catalog.Entry, look draw.Look) *draw.Figure {
	steps := demo.Steps(e.New())
	if len(steps) == 0 {
		return nil
	}
	s, narrow := demo.Sketch(steps, sketch.Columns), demo.Sketch(steps, sketch.Narrow)
	return &draw.Figure{
		Name:  "explain-" + e.Name,
		Title: "How " + e.Name + " works",
		Subtitle: "A number is a deadline. 110→900: filed under tick 110, the timer was moved to 900 since. ·5·: five empty slots. " +
			"r and a thick edge: a red node.",
		Legend: draw.SketchLegend(look),
		Height: draw.SketchHeight(s),
		Panels: [][]*draw.Panel{{draw.SketchPanel(s, look)}},
		Narrow: &draw.Stack{Panels: []*draw.Panel{draw.SketchPanel(narrow, look)}, Height: draw.SketchHeight(narrow)},
	}
}

// factTable shows the facts of a structure in Markdown.
func factTable(name string, facts []fact) string {
	var rows [][]string
	for _, f := range facts {
		rows = append(rows, []string{f.name, literal(f.text)})
	}
	return markdownTable("ll", []string{"", literal(name)}, rows)
}
