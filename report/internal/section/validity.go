package section

import (
	"fmt"
	"strings"

	"github.com/timerbench/timerbench/bench/stats"
	"github.com/timerbench/timerbench/internal/show"
)

func validity(v *View) Section {
	s := Section{Title: "What threatens the validity?"}
	if len(v.Measured(v.Cells...)) == 0 {
		return s
	}
	machine := "One machine"
	if cpu := v.Environment.CPU; cpu != "" {
		machine += ", " + cpu
	}
	layouts := "The program was linked once, and no interval holds what another order of its " +
		"functions would change."
	if n := v.Parameters.Layouts; n > 1 {
		layouts = fmt.Sprintf("The run was repeated in %d layouts of the program, and intervals hold what varies "+
			"between them.", n)
	}
	threats := [][]show.Span{
		show.Line(show.Strong(machine+"."), " Ratios differ between processors, above all between sizes of their caches. Other "+
			"programs on the machine slow down what misses the cache more than what does not."),
		show.Line(show.Strong("The code layout."), " "+layouts+" Layout alone moves costs of a few nanoseconds by several percent."),
		show.Line(show.Strong("One process."), " All structures share a heap and a processor. What one leaves in the caches "+
			"another one finds; each block is preceded by one that is not timed."),
		show.Line(show.Strong("Values of 8 bytes, one goroutine, a virtual clock."), " Locks, larger values and waiting for a "+
			"real clock come on top. They are the same for all structures."),
		show.Line(show.Strong("The collector is off"), " while the clock runs. What garbage a structure makes, and what its "+
			"pointers cost a collection, is shown apart where it was measured."),
		show.Line(show.Strong("Rare work is sampled."), " What happens once in millions of calls, such as a large cascade, "+
			"falls into few rounds or none."),
		show.Line(show.Strong("Models of programs"), " have the parameters that were published. Your program has others: "+
			"record it, and replay the trace."),
		show.Line(show.Strong("Many comparisons."), " The fastest of a cell was chosen from the same data, so its lead is "+
			"exaggerated where others are close. The set of the best accounts for that, a single ratio "+
			"does not."),
	}
	out := 0
	for _, c := range v.Cells {
		if len(c.LeftOut) > 0 {
			out++
		}
	}
	if out > 0 {
		threats = append(threats, show.Line(show.Strong("Left out."), fmt.Sprintf(" Cells of many timers that leave structures out, because "+
			"they took a multiple of the best's time among fewer: %d. Who is left out is not compared there.", out)))
	}
	if missing := v.NotMeasured; len(missing) > 0 {
		threats = append(threats, show.Line(show.Strong("Not measured."), fmt.Sprintf(" The time of the run did not suffice for %s: %s.",
			show.Count(len(missing), "step"), strings.Join(missing, "; "))))
	}
	s.Tables = []Table{{Body: show.Bullets(threats...)}}
	return s
}

func (v *View) driftLead() show.Text {
	all := v.Drifts()
	found := 0
	for _, d := range all {
		if d.Found() {
			found++
		}
	}
	return show.Para(show.Strong("Drift."), fmt.Sprintf(" In %d of %d cells the cost rose or fell steadily in the course of the rounds (rank "+
		"correlation, p < 0.05); by chance alone, at most about %s should. Fewer than five instances cannot show it. "+
		"Comparisons are paired by round, so a drift that all structures share is not in them.",
		found, len(all), show.Figure(float64(len(all))*(1-stats.DefaultConfidence))))
}

func (v *View) driftTable() show.Text {
	t := newTable("lrrr", "Workload", "N", "Kendall's rank correlation", "p")
	for _, d := range v.Drifts() {
		if d.Found() {
			addCell(t, d.Cell, decimals(d.Tau, 2), d.P)
		}
	}
	if len(t.Rows) == 0 {
		return show.Para("No cell.")
	}
	return show.Tables(t)
}
