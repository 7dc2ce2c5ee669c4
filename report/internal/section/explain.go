package section

import (
	"slices"

	"github.com/timerbench/timerbench/report/internal/analysis"
	"github.com/timerbench/timerbench/report/internal/demo"
	"github.com/timerbench/timerbench/report/internal/draw"
	"github.com/timerbench/timerbench/report/internal/sketch"
	"github.com/timerbench/timerbench/structures/catalog"
)

// explain says how each structure works that the results have a row of.
func explain(v *View) Section {
	s := Section{
		Title: "How does each structure work?",
		Lead: "One drawing for each structure of this run, made from a live instance with a few timers: what each " +
			"operation does to it, and the work that it counts. Each drawing is what the next operation finds. " +
			"Below it: where the structure wins and loses in this run, what it costs, what it promises. " +
			DrawingLimits,
	}
	for _, e := range v.Known.Entries {
		is := func(who analysis.Contender) bool { return who.Name == e.Name }
		if e.New != nil && slices.ContainsFunc(v.Contenders, is) {
			s.Tables = append(s.Tables, Table{
				Title: e.Name + ": " + e.Summary,
				Chart: Drawing(e, v.Looks[e.Name]),
				Body:  FactTable(e.Name, Facts(e, v.Run)),
			})
		}
	}
	return s
}

// DrawingLimits says what the drawings do not show.
const DrawingLimits = "A dozen timers show how a structure works, not how fast it is: " +
	"caches, batches and sweeps matter from thousands of timers on."

// Drawing draws a structure step by step. Nil: it does not show its shape.
func Drawing(e catalog.Entry, look draw.Look) *draw.Figure {
	steps := demo.Steps(e.New())
	if len(steps) == 0 {
		return nil
	}
	s, narrow := demo.Sketch(steps, sketch.Columns), demo.Sketch(steps, sketch.Narrow)
	return &draw.Figure{
		Name:  "explain-" + e.Name,
		Title: "How " + e.Name + " works",
		Subtitle: "A number is a deadline. 110→900: filed under tick 110, the timer was moved to 900 since. " +
			"·5·: five empty slots. r and a thick edge: a red node.",
		Legend: draw.SketchLegend(look),
		Height: draw.SketchHeight(s),
		Panels: [][]*draw.Panel{{draw.SketchPanel(s, look)}},
		Narrow: &draw.Stack{
			Panels: []*draw.Panel{draw.SketchPanel(narrow, look)}, Height: draw.SketchHeight(narrow),
		},
	}
}

// FactTable shows the facts of a structure in Markdown.
func FactTable(name string, facts []Fact) string {
	t := newTable("ll", "", name)
	for _, f := range facts {
		t.add(markup(f.Name), f.Text)
	}
	return t.Markdown()
}
