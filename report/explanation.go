package report

import (
	"fmt"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/internal/show"
	"github.com/timerbench/timerbench/report/answer"
	"github.com/timerbench/timerbench/report/section"
	"github.com/timerbench/timerbench/report/sketch"
	"github.com/timerbench/timerbench/structures/entry"
)

// Explain says how a structure works, what it costs, and where it wins and loses in the results r. The text is as wide as the terminal, except
// for the drawing and for long names.
func Explain(e entry.Entry, r *results.Run, structures []entry.Entry) string {
	facts := show.Table{Align: "ll", Rows: section.Facts(e, answer.Of(r, structures)).Rows}
	lead, drawing := "This structure has no snapshot, so there is no drawing.", ""
	if steps := sketch.Steps(e.New()); len(steps) > 0 {
		lead = "The structure after each operation, drawn from a live instance. A dozen timers show how a structure works, not how fast it is: " +
			"caches, batches and sweeps matter with thousands of timers."
		drawing = sketch.Legend + "\n\n" + sketch.Drawing(steps).String()
	}
	return fmt.Sprintf("%s\n\n%s\n\n%s\n%s", e.Name, facts.Terminal(), show.Wrapped(lead), drawing)
}
