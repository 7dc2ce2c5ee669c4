package report

import (
	"fmt"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/stats"
	"github.com/timerbench/timerbench/internal/show"
)

// control is an A/A comparison: a second instance of a structure and its ratio to the
// first.
type control struct {
	cell  results.Cell
	row   results.Row
	ratio stats.Ratio
}

func (v *view) controls() []control {
	var out []control
	for _, w := range v.workloads() {
		for _, c := range v.cells(w) {
			a := v.analysis(c)
			for _, row := range c.Rows {
				of, ok := rowOf(c, row.Of)
				if row.Role != results.RoleControl || !ok {
					continue
				}
				narrow := a.cell.Options
				narrow.Noise = 1 // it is what they are to show
				if r, _ := stats.Paired(costSamples(row), costSamples(of), narrow); r.Pairs > 0 {
					out = append(out, control{c, row, r})
				}
			}
		}
	}
	return out
}

func (v *view) controlLead() string {
	differ, all := 0, 0
	for _, c := range v.controls() {
		if c.ratio.Bounded() {
			all++
		}
		if c.ratio.Differs() {
			differ++
		}
	}
	return fmt.Sprintf("**The control** is a second instance of a structure, measured like any other row. Its ratio to the structure that it repeats, "+
		"paired by round, should be 1. Of %d such A/A comparisons, %d came out different; by chance alone, about %s should. "+
		"If more do, the intervals of all ratios are widened until they do not: here by a factor of %s.",
		all, differ, show.Figure(float64(all)*(1-confidence)), show.Times(v.ranking().Noise))
}

// controlTable shows each A/A control against the structure that it repeats.
func (v *view) controlTable() string {
	var rows [][]string
	for _, c := range v.controls() {
		ci, verdict := "–", "–"
		if c.ratio.Bounded() {
			ci, verdict = ratio3(c.ratio.Lo)+" to "+ratio3(c.ratio.Hi), "no difference"
		}
		if c.ratio.Differs() {
			verdict = "differs"
		}
		rows = append(rows, []string{literal(c.cell.Workload), show.Short(float64(c.cell.N)), literal(c.row.Structure), ratio3(c.ratio.Center), ci, verdict})
	}
	return markdownTable("lrlrrl", []string{"Workload", "N", "Control", "Control / structure", "95 % CI", "Verdict"}, rows)
}

func ratio3(v float64) string { return fmt.Sprintf("%.3f", v) }
