package analysis

import (
	"math"
	"slices"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/stats"
)

// leastControls is the least number of A/A comparisons in a group of like cells (chosen). A group with fewer takes the
// noise from all cells of the run.
const leastControls = 3

// likeCells groups cells of like size and cost: the noise of a cell among a million timers, where each step waits
// for memory, says little of one among ten.
func likeCells(cells []*Cell) [][]*Cell {
	type key struct{ size, cost int }
	of := make(map[key]int)
	var out [][]*Cell
	for _, c := range cells {
		var values []float64
		for _, row := range c.Rows {
			if row.Role == results.RoleStructure {
				for _, s := range row.Samples {
					values = append(values, s.Value)
				}
			}
		}
		decade := func(v float64) int { return int(math.Floor(math.Log10(max(v, 1)))) }
		k := key{decade(float64(c.N)), decade(stats.Median(values))}
		at, ok := of[k]
		if !ok {
			at = len(out)
			of[k], out = at, append(out, nil)
		}
		out[at] = append(out[at], c)
	}
	return out
}

// compare compares the structures of each of the like cells. The cells share the variance of a ratio whose true value is
// 1, and the variance of a cost.
func (r *Run) compare(alike []*Cell) {
	pairs := controlPairs(alike)
	if len(pairs) < leastControls {
		pairs = controlPairs(r.Cells)
	}
	controls := stats.PoolPairs(pairs)
	var costs [][][]stats.Sample
	for _, c := range alike {
		costs = append(costs, c.samples())
	}
	centers := stats.PoolCenters(costs...)
	for i, c := range alike {
		o := c.Options
		o.Prior = controls
		c.pairs, c.centers = stats.NewCell(costs[i], o), centers
		c.Options.Prior = c.pairs.Prior()
		c.pairs.Settle(c.places(func(string) bool { return true }), c.places(func(name string) bool { return !r.IsCoarse(name) }))
		c.setScale(r)
		c.Ranked = c.Among(func(string) bool { return true })
	}
}

// samples returns the samples of the structures, in the order of c.names, and then of the controls.
func (c *Cell) samples() [][]stats.Sample {
	var out [][]stats.Sample
	for _, name := range c.names {
		out = append(out, c.Row(name).Samples)
	}
	for _, row := range c.controls {
		out = append(out, row.Samples)
	}
	return out
}

// controlPairs returns the A/A comparisons of cells.
func controlPairs(cells []*Cell) []stats.Pair {
	var out []stats.Pair
	for _, c := range cells {
		for _, row := range c.controls {
			if of := c.Row(row.Of); of.HasCost() {
				out = append(out, stats.Pair{A: row.Samples, B: of.Samples})
			}
		}
	}
	return slices.Clip(out)
}
