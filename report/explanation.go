package report

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/report/internal/demo"
	"github.com/timerbench/timerbench/report/internal/draw"
	"github.com/timerbench/timerbench/report/internal/sketch"
	"github.com/timerbench/timerbench/structures/catalog"
)

// Explanation is the page of one structure.
type Explanation struct {
	entry catalog.Entry
	facts []fact
	look  draw.Look
}

// Explain makes the page of a structure. r are results that say where it wins and loses;
// nil: there are none, and the page says so.
func Explain(e catalog.Entry, r *results.Run) *Explanation {
	x := &Explanation{entry: e}
	var verdicts []Verdict
	if r != nil {
		verdicts = Verdicts(r)
	}
	x.facts = facts(e, r, verdicts)
	x.look = looks(catalogStructures(), []contender{{e.Name, results.RoleStructure, ""}})[e.Name]
	return x
}

// Text returns the page as text of at most 80 columns, unless a name is longer.
func (x *Explanation) Text() string {
	var b strings.Builder
	b.WriteString(x.entry.Name + "\n\n")
	widest := 0
	for _, f := range x.facts {
		widest = max(widest, utf8.RuneCountInString(f.name))
	}
	for _, f := range x.facts {
		name := f.name
		for line := range strings.Lines(text.WrapSoft(f.text, sketch.Columns-widest-2)) {
			fmt.Fprintf(&b, "%-*s  %s\n", widest, name, strings.TrimSpace(line))
			name = ""
		}
	}
	b.WriteByte('\n')
	steps := demo.Steps(x.entry.New())
	if len(steps) == 0 {
		b.WriteString(noDrawing + "\n")
		return b.String()
	}
	for line := range strings.Lines(text.WrapSoft(drawingIntro+drawingLimits, sketch.Columns)) {
		b.WriteString(strings.TrimSpace(line) + "\n")
	}
	b.WriteString(demo.Legend + "\n\n")
	b.WriteString(demo.Sketch(steps, sketch.Columns).String())
	return b.String()
}

// drawingIntro says what the drawings show.
const drawingIntro = "What each operation does to it, drawn from a live instance. Each drawing is what the next operation finds. "

const noDrawing = "It does not show its shape, so there is no drawing of it."

// HTML returns the page as one file that needs no other.
func (x *Explanation) HTML() ([]byte, error) {
	p := &page{title: x.entry.Name, chapters: []chapter{{}}}
	f := explainChart(x.entry, x.look)
	if f == nil {
		p.text(noDrawing)
	} else {
		p.text(drawingIntro + drawingLimits)
		p.add(block{chart: f})
	}
	p.add(block{text: factTable(x.entry.Name, x.facts), wide: true})
	return p.html()
}

// SVG returns the drawing alone. It fails if the structure does not show its shape.
func (x *Explanation) SVG() ([]byte, error) {
	f := explainChart(x.entry, x.look)
	if f == nil {
		return nil, errors.New("report: " + x.entry.Name + " does not show its shape: there is nothing to draw")
	}
	return f.SVG(), nil
}
