package answer

import (
	"math"
	"slices"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/stats"
)

// Checked sums up the A/A comparisons of a run, which test its intervals.
type Checked struct {
	Controls int     // A/A comparisons with an interval
	Differ   int     // comparisons whose interval does not hold 1
	P        float64 // probability of at least Differ differences by chance
}

// Fails reports whether more controls differ than chance allows: the intervals of the run are too narrow.
func (c Checked) Fails() bool { return c.P < 0.01 }

// Checked checks the intervals of the run by its controls.
func (r *Run) Checked() Checked {
	var out Checked
	for _, c := range r.Cells {
		for _, row := range c.Controls {
			ratio := c.Control(row)
			if ratio.Bounded() {
				out.Controls++
			}
			if ratio.Differs() {
				out.Differ++
			}
		}
	}
	out.P = stats.ByChance(out.Differ, out.Controls)
	return out
}

// roundMeans is the cost of a cell round by round, in the order of the rounds: the geometric mean
// of the structures that took part in the most rounds.
func roundMeans(c *stats.Costs) []stats.Sample {
	most := 0
	for _, row := range c.Rows {
		if row.Role == results.RoleStructure {
			most = max(most, len(c.Samples(row)))
		}
	}
	var out []stats.Sample
	n := 0.0
	for _, row := range c.Rows {
		if row.Role != results.RoleStructure || len(c.Samples(row)) < most {
			continue
		}
		n++
		for _, s := range c.Samples(row) {
			i := slices.IndexFunc(out, func(o stats.Sample) bool { return o.Round == s.Round })
			if i < 0 {
				i = len(out)
				out = append(out, s)
				out[i].Value = 0
			}
			out[i].Value += math.Log(s.Value)
		}
	}
	for i := range out {
		out[i].Value = math.Exp(out[i].Value / n)
	}
	return out
}

// Drifts returns the number of cells whose cost rose or fell steadily over the rounds, and the number of cells with two
// rounds or more.
func (r *Run) Drifts() (found, all int) {
	for _, c := range r.Cells {
		if means := roundMeans(c); len(means) > 1 {
			all++
			if _, p := stats.Drift(means); p < 1-stats.DefaultConfidence {
				found++
			}
		}
	}
	return found, all
}
