package analysis

import (
	"fmt"
	"math"
	"slices"

	"github.com/timerbench/timerbench/bench/cost"
	"github.com/timerbench/timerbench/bench/count"
	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/bench/stats"
	"github.com/timerbench/timerbench/internal/show"
)

// Why compares the times of structures with the counts of what they execute.
type Why struct {
	Costs UnitCosts // that fit the times of the run best
	Rows  []Counted // by cell in the order of Run.Cells, the fastest first
}

// UnitCosts are nanoseconds on this machine. A miss of a cache counts in addition to the misses of the smaller ones.
type UnitCosts struct{ Instruction, L1Miss, L2Miss, LLMiss, Mispredicted float64 }

// Counted is a structure in a cell, with its counts.
type Counted struct {
	count.Row
	Cell  *cost.Costs
	To    stats.Ratio // to the best of the cell
	NS    float64     // a unit
	Model float64     // what NS would be by the counts, the floor of the harness included

	floor float64
}

// Near is the largest ratio between a time and its model, in either direction, at which the two agree (chosen).
const Near = 1.25

// fewest is how many rows a model needs (chosen: four for each of its weights).
const fewest = 20

// Why finds the counts of the structures of the run. It is nil where there are too few for a model.
func (r *Run) Why() *Why {
	if !r.explained {
		r.why, r.explained = r.explain(), true
	}
	return r.why
}

func (r *Run) explain() *Why {
	w := &Why{}
	for _, c := range r.Cells {
		floor := c.Cost(c.Of(results.RoleFloor)).Center
		for _, s := range c.Ranked {
			i := slices.IndexFunc(r.Known.Counts.Rows, func(row count.Row) bool {
				return row.Structure == s.Structure && row.Workload == c.Workload && row.N == c.N && row.Unit == c.Unit && row.Reads > 0 // with its misses
			})
			if i >= 0 && c.Cost(s).Center > floor {
				w.Rows = append(w.Rows, Counted{
					Row: r.Known.Counts.Rows[i], Cell: c, To: c.ToBest(s), NS: c.Cost(s).Center, floor: floor,
				})
			}
		}
	}
	if len(w.Rows) < fewest {
		return nil
	}
	w.fit()
	return w
}

// weights are the counts that take time. Misses of the last level by the hundred units are those
// of the start of the program, and no structure is told from another by them.
func weights(r count.Row) [5]float64 {
	out := [5]float64{r.Instructions, r.L1Misses, r.L2Misses, r.LLMisses, r.Mispredicted}
	if r.LLMisses < 0.1 {
		out[3] = 0
	}
	return out
}

// fit finds the weights of the least squares of the relative errors. None is negative: each in turn is
// set to its best value for the given others, until nothing moves.
func (w *Why) fit() {
	var x [5]float64
	for range 2000 {
		for j := range x {
			var above, below float64
			for _, c := range w.Rows {
				a, rest := weights(c.Row), c.NS-c.floor
				for k := range x {
					if k != j {
						rest -= x[k] * a[k]
					}
				}
				above += a[j] / c.NS * rest / c.NS
				below += a[j] / c.NS * a[j] / c.NS
			}
			if below > 0 {
				x[j] = max(0, above/below)
			}
		}
	}
	w.Costs = UnitCosts{x[0], x[1], x[2], x[3], x[4]}
	for i := range w.Rows {
		c := &w.Rows[i]
		c.Model = c.floor
		for k, n := range weights(c.Row) {
			c.Model += x[k] * n
		}
	}
}

// Of returns the rows of a cell, the fastest first.
func (w *Why) Of(c *cost.Costs) []Counted {
	if w == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(w.Rows), func(row Counted) bool { return row.Cell != c })
}

// Agree reports whether the counts rank a structure relative to the best of its cell as the times do:
// behind the best where it is worse, or else within Near. The best itself agrees if the others do. known
// is false if the best is not counted.
func (w *Why) Agree(of Counted) (agree, known bool) {
	rows := w.Of(of.Cell)
	if len(rows) < 2 || rows[0].Structure != of.Cell.Ranked[0].Structure {
		return false, false
	}
	places := func(row Counted) bool {
		ratio := row.Model / rows[0].Model
		if row.To.Standing() == stats.Worse {
			return ratio > 1
		}
		return math.Max(ratio, 1/ratio) <= Near
	}
	if of.Structure == rows[0].Structure {
		return !slices.ContainsFunc(rows[1:], func(row Counted) bool { return !places(row) }), true
	}
	return places(of), true
}

// Reason is the count that separates two structures of a cell most.
type Reason struct {
	Structure string      `json:"structure"`
	Against   string      `json:"against"`
	Workload  string      `json:"workload"`
	N         int         `json:"n"`
	Unit      script.Unit `json:"unit"`
	Count     string      `json:"count"`       // such as "instructions"
	Value     float64     `json:"value"`       // of a unit of Structure
	Other     float64     `json:"other_value"` // of a unit of Against
}

// Sentence returns the reason in words.
func (r Reason) Sentence() string {
	return fmt.Sprintf("Why: in %s with %s, %s takes %s %s per %s, and %s %s.", r.Workload, timers(float64(r.N)), r.Structure,
		show.Figure(r.Value), r.Count, r.Unit, r.Against, show.Figure(r.Other))
}

// Between returns the count that separates two structures of a cell most in time. It is nil if one of them is not counted.
func (w *Why) Between(c *cost.Costs, name, against string) *Reason {
	rows := w.Of(c)
	find := func(name string) int {
		return slices.IndexFunc(rows, func(row Counted) bool { return row.Structure == name })
	}
	i, j := find(name), find(against)
	if i < 0 || j < 0 {
		return nil
	}
	a, b := rows[i], rows[j]
	var out *Reason
	most := -1.0
	for _, k := range []struct {
		what string
		x, y float64
		ns   float64
	}{
		{"instructions", a.Instructions, b.Instructions, w.Costs.Instruction},
		{"misses of 32 kB", a.L1Misses, b.L1Misses, w.Costs.L1Miss},
		{"misses of 1 MB", a.L2Misses, b.L2Misses, w.Costs.L2Miss},
		{"mispredicted", a.Mispredicted, b.Mispredicted, w.Costs.Mispredicted},
	} {
		if ns := math.Abs(k.x-k.y) * k.ns; ns > most {
			out, most = &Reason{name, against, c.Workload, c.N, c.Unit, k.what, k.x, k.y}, ns
		}
	}
	return out
}

// Off returns the ratio between the time and the model, 1 or more.
func (c Counted) Off() float64 { return math.Max(c.Model/c.NS, c.NS/c.Model) }

// Instructions returns the counts of instructions of a unit in a cell, by structure.
func (r *Run) Instructions(workload string, n int) map[string]float64 {
	out := make(map[string]float64)
	for _, row := range r.Known.Counts.Rows {
		if row.Workload == workload && row.N == n {
			out[row.Structure] = row.Instructions
		}
	}
	return out
}
