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

// Explain says how a structure works, what it costs, and where it wins and loses in the results r. The text has at most 80 columns, unless a
// name is longer.
func Explain(e entry.Entry, r *results.Run, structures []entry.Entry) string {
	var b strings.Builder
	b.WriteString(e.Name + "\n\n")
	facts, widest := section.Facts(e, answer.Of(r, structures)), 0
	for _, f := range facts.Rows {
		widest = max(widest, utf8.RuneCountInString(f.Cells[0].Text))
	}
	for _, f := range facts.Rows {
		name := f.Cells[0].Text
		for _, line := range wrap(f.Cells[1].Text, sketch.Columns-widest-2) {
			fmt.Fprintf(&b, "%-*s  %s\n", widest, name, line)
			name = ""
		}
	}
	lead, drawing := "This structure has no snapshot, so there is no drawing.", ""
	if steps := sketch.Steps(e.New()); len(steps) > 0 {
		lead = "The structure after each operation, drawn from a live instance. A dozen timers show how a structure works, not how fast it is: " +
			"caches, batches and sweeps matter with thousands of timers."
		drawing = sketch.Legend + "\n\n" + sketch.Drawing(steps).String()
	}
	return b.String() + "\n" + strings.Join(wrap(lead, sketch.Columns), "\n") + "\n" + drawing
}

func wrap(text string, columns int) []string {
	return show.Lines(text, func(line string) bool { return utf8.RuneCountInString(line) <= columns })
}
