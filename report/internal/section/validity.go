package section

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/timerbench/timerbench/bench/stats"
	"github.com/timerbench/timerbench/internal/show"
	"github.com/timerbench/timerbench/report/internal/draw"
	"github.com/timerbench/timerbench/report/internal/looks"
)

func validity(v *View) Section {
	s := Section{Title: "What threatens the validity?"}
	if len(v.Measured(v.Cells...)) == 0 {
		return s
	}
	machine := "One machine"
	if cpu := v.Environment.CPU; cpu != "" {
		machine += ", " + Literal(cpu)
	}
	layouts := "The program was linked once, and no interval holds what another order of its " +
		"functions would change."
	if n := v.Parameters.Layouts; n > 1 {
		layouts = fmt.Sprintf("The run was repeated in %d layouts of the program, and intervals hold what varies "+
			"between them.", n)
	}
	threats := []string{
		"**" + machine + ".** Ratios differ between processors, above all between sizes of their caches. Other " +
			"programs on the machine slow down what misses the cache more than what does not.",
		"**The code layout.** " + layouts + " Layout alone moves costs of a few nanoseconds by several percent.",
		"**One process.** All structures share a heap and a processor. What one leaves in the caches " +
			"another one finds; each block is preceded by one that is not timed.",
		"**Values of 8 bytes, one goroutine, a virtual clock.** Locks, larger values and waiting for a " +
			"real clock come on top. They are the same for all structures.",
		"**The collector is off** while the clock runs. What garbage a structure makes, and what its " +
			"pointers cost a collection, is shown apart where it was measured.",
		"**Rare work is sampled.** What happens once in millions of calls, such as a large cascade, " +
			"falls into few rounds or none.",
		"**Models of programs** have the parameters that were published. Your program has others: " +
			"record it, and replay the trace.",
		"**Many comparisons.** The fastest of a cell was chosen from the same data, so its lead is " +
			"exaggerated where others are close. The set of the best accounts for that, a single ratio " +
			"does not.",
	}
	out := 0
	for _, c := range v.Cells {
		if len(c.LeftOut) > 0 {
			out++
		}
	}
	if out > 0 {
		threats = append(threats, fmt.Sprintf("**Left out.** Cells of many timers that leave structures out, because "+
			"they took a multiple of the best's time among fewer: %d. Who is left out is not compared there.", out))
	}
	if missing := v.NotMeasured; len(missing) > 0 {
		threats = append(threats, fmt.Sprintf("**Not measured.** The time of the run did not suffice for %s: %s.",
			show.Count(len(missing), "step"), strings.Join(missing, "; ")))
	}
	s.Tables = []Table{{Body: "- " + strings.Join(threats, "\n- ") + "\n"}}
	return s
}

func (v *View) driftLead() string {
	all := v.Drifts()
	found := 0
	for _, d := range all {
		if d.Found() {
			found++
		}
	}
	return fmt.Sprintf("**Drift.** In %d of %d cells the cost rose or fell steadily in the course of the rounds (rank "+
		"correlation, p < 0.05); by chance alone, at most about %s should. Fewer than five instances cannot show it. "+
		"Comparisons are paired by round, so a drift that all structures share is not in them.",
		found, len(all), show.Figure(float64(len(all))*(1-stats.DefaultConfidence)))
}

func (v *View) driftTable() string {
	t := newTable("lrrr", "Workload", "N", "Kendall's rank correlation", "p")
	for _, d := range v.Drifts() {
		if d.Found() {
			t.add(d.Workload, size(d.N), fmt.Sprintf("%.2f", d.Tau), d.P)
		}
	}
	if len(t.Rows) == 0 {
		return "No cell.\n"
	}
	return t.Markdown()
}

// driftChart shows the cost of each cell round by round. Nil: no cell has rounds enough.
func (v *View) driftChart() *draw.Figure {
	const fewest = 3 // rounds of a cell that is shown
	steady := draw.Look{Color: draw.Pale(draw.Faded, 0.65)}
	trend := draw.Look{Color: looks.Baseline.Color}
	var calm, found []draw.Marks
	for _, d := range v.Drifts() {
		if len(d.Means) < fewest {
			continue
		}
		means := slices.SortedFunc(slices.Values(d.Means), func(a, b stats.Sample) int { return a.Round - b.Round })
		rounds := float64(len(means))
		mean := 0.0
		for _, s := range means {
			mean += math.Log(s.Value) / rounds
		}
		s := draw.Series{Look: steady, Joined: true}
		if d.Found() {
			s.Look = trend
		}
		s.Look.Name = cellTitle(d.Cell)
		for i, of := range means {
			s.Marks = append(s.Marks, draw.Mark{X: float64(i+1) / rounds, Y: of.Value / math.Exp(mean)})
		}
		if d.Found() {
			found = append(found, s)
		} else {
			calm = append(calm, s)
		}
	}
	if len(calm)+len(found) == 0 {
		return nil
	}
	return &draw.Figure{
		Name:  "drift",
		Title: "Did the machine change during the run?",
		Subtitle: "What it says: the cost in each cell from its first round to its last, as the " +
			"geometric mean of the structures with the most rounds. A level line is a steady machine.",
		Caption: "What it does not say: which structure is faster. Comparisons are paired by round, so " +
			"what all structures share does not count. The vertical axis is logarithmic.",
		Legend: []draw.Key{
			{Text: "no trend", Look: steady, Line: true},
			{Text: "rose or fell steadily (p < 0.05)", Look: trend, Line: true},
		},
		X: draw.Axis{Ticks: draw.TicksAt([]float64{0, 0.25, 0.5, 0.75, 1}, show.Percent), Linear: true},
		Y: draw.Axis{Low: 1.05, High: 1.05, Ticks: draw.TicksAt(
			[]float64{0.25, 0.5, 0.7, 0.8, 0.9, 1, 1.1, 1.25, 1.5, 2, 4}, show.Figure)},
		Height: 220,
		Panels: []*draw.Panel{{
			XLabel: "rounds of the cell, in their order", YLabel: "cost / its mean in the cell",
			Marks: append(calm, found...),
		}},
	}
}
