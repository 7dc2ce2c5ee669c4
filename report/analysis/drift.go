package analysis

import (
	"math"
	"slices"

	"github.com/timerbench/timerbench/bench/cost"
	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/stats"
)

// Control is an A/A comparison: a second instance of a structure and its ratio to the first.
type Control struct {
	*cost.Costs
	Row   *results.Row
	Ratio stats.Ratio
}

// Controls returns the A/A comparisons of all cells.
func (r *Run) Controls() []Control {
	var out []Control
	for _, c := range r.Cells {
		for _, row := range c.Controls() {
			if ratio := c.Control(row); ratio.Pairs > 0 {
				out = append(out, Control{c, row, ratio})
			}
		}
	}
	return out
}

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
	for _, c := range r.Controls() {
		if c.Ratio.Bounded() {
			out.Controls++
		}
		if c.Ratio.Differs() {
			out.Differ++
		}
	}
	out.P = stats.ByChance(out.Differ, out.Controls)
	return out
}

// roundMeans is the cost of a cell round by round, in the order of the rounds: the geometric mean
// of the structures that took part in the most rounds.
func roundMeans(c *cost.Costs) []stats.Sample {
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

// Drift is a cell and the rank correlation of its cost with the round.
type Drift struct {
	*cost.Costs
	Means  []stats.Sample // see roundMeans
	Tau, P float64
}

// Found reports whether the cost rose or fell steadily.
func (d Drift) Found() bool { return d.P < 1-stats.DefaultConfidence }

// Drifts returns the drift of each cell with two rounds or more.
func (r *Run) Drifts() []Drift {
	var out []Drift
	for _, c := range r.Cells {
		if d := (Drift{Costs: c, Means: roundMeans(c)}); len(d.Means) > 1 {
			d.Tau, d.P = stats.Drift(d.Means)
			out = append(out, d)
		}
	}
	return out
}
