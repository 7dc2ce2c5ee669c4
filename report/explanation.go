package report

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/internal/show"
	"github.com/timerbench/timerbench/report/answer"
	"github.com/timerbench/timerbench/report/draw"
	"github.com/timerbench/timerbench/report/section"
	"github.com/timerbench/timerbench/report/sketch"
	"github.com/timerbench/timerbench/structures/entry"
)

// Explanation is the page about one structure.
type Explanation struct {
	entry entry.Entry
	facts *show.Table
	style draw.Style
}

// Explain makes the page about a structure. The results r show where it wins and loses.
func Explain(e entry.Entry, r *results.Run, structures []entry.Entry) *Explanation {
	who := answer.RowName{Name: e.Name, Role: results.RoleStructure}
	return &Explanation{e, section.Facts(e, answer.Of(r, structures)), draw.Styles(structures, []answer.RowName{who})[e.Name]}
}

const (
	drawingIntro = "The structure after each operation, drawn from a live instance. " + section.DrawingLimits
	noDrawing    = "This structure has no snapshot, so there is no drawing."
)

// Text returns the page as text of at most 80 columns, unless a name is longer.
func (x *Explanation) Text() string {
	var b strings.Builder
	b.WriteString(x.entry.Name + "\n\n")
	widest := 0
	for _, f := range x.facts.Rows {
		widest = max(widest, utf8.RuneCountInString(f.Cells[0].Text))
	}
	for _, f := range x.facts.Rows {
		name := f.Cells[0].Text
		for _, line := range wrap(f.Cells[1].Text, sketch.Columns-widest-2) {
			fmt.Fprintf(&b, "%-*s  %s\n", widest, name, line)
			name = ""
		}
	}
	b.WriteByte('\n')
	steps := sketch.Steps(x.entry.New())
	if len(steps) == 0 {
		b.WriteString(noDrawing + "\n")
		return b.String()
	}
	b.WriteString(strings.Join(wrap(drawingIntro, sketch.Columns), "\n") + "\n" + sketch.Legend + "\n\n")
	b.WriteString(sketch.Drawing(steps, sketch.Columns).String())
	return b.String()
}

func wrap(text string, columns int) []string {
	return show.Lines(text, func(line string) bool { return utf8.RuneCountInString(line) <= columns })
}

// HTML returns the page as one self-contained file.
func (x *Explanation) HTML() ([]byte, error) {
	p := &page{Title: x.entry.Name, Front: section.Section{
		Lead:   show.Para(noDrawing),
		Tables: []section.Table{{Body: show.Tables(x.facts), Main: true}},
	}}
	if f := section.Drawing(x.entry, x.style); f != nil {
		p.Front.Lead, p.Front.Charts = show.Para(drawingIntro), []*draw.Figure{f}
	}
	return p.html()
}
