package report

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/internal/show"
	"github.com/timerbench/timerbench/report/answer"
	"github.com/timerbench/timerbench/report/section"
	"github.com/timerbench/timerbench/report/sketch"
	"github.com/timerbench/timerbench/structures/entry"
)

// Explanation is the page about one structure.
type Explanation struct {
	entry   entry.Entry
	facts   *show.Table
	drawing string // with its legend; empty: the structure has no snapshot
}

// Explain makes the page about a structure. The results r show where it wins and loses.
func Explain(e entry.Entry, r *results.Run, structures []entry.Entry) *Explanation {
	x := &Explanation{entry: e, facts: section.Facts(e, answer.Of(r, structures))}
	if steps := sketch.Steps(e.New()); len(steps) > 0 {
		x.drawing = sketch.Legend + "\n\n" + sketch.Drawing(steps).String()
	}
	return x
}

// lead introduces the drawing, or says that there is none.
func (x *Explanation) lead() string {
	if x.drawing == "" {
		return "This structure has no snapshot, so there is no drawing."
	}
	return "The structure after each operation, drawn from a live instance. A dozen timers show how a structure works, not how fast it is: " +
		"caches, batches and sweeps matter with thousands of timers."
}

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
	b.WriteString("\n" + strings.Join(wrap(x.lead(), sketch.Columns), "\n") + "\n" + x.drawing)
	return b.String()
}

func wrap(text string, columns int) []string {
	return show.Lines(text, func(line string) bool { return utf8.RuneCountInString(line) <= columns })
}

// HTML returns the page as one self-contained file, with the drawing of Text.
func (x *Explanation) HTML() ([]byte, error) {
	p := &page{Title: x.entry.Name, Front: section.Section{Lead: show.Para(x.lead()), Tables: []section.Table{{Body: show.Tables(x.facts), Main: true}}}}
	if x.drawing != "" {
		p.Front.Lead = append(p.Front.Lead, show.Program("text", x.drawing)...)
	}
	return p.html()
}
