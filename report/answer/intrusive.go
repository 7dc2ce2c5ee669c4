package answer

import (
	"cmp"
	"slices"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/stats"
)

// Intrusive compares the structures whose timers are fields of the caller's structs with a structure by ID, over cells with
// weights. It ranks those that were measured in all of the cells that have one, the lowest time first.
func Intrusive(cells []*stats.Costs, weights []float64, to string) []Ranked {
	type sum struct {
		ratios  []stats.Ratio
		weights []float64
	}
	found, most := make(map[string]sum), 0
	for i, c := range cells {
		for _, row := range c.Rows {
			if of := c.Ratio(row, c.Row(to)); row.Role == results.RoleIntrusive && of.Pairs > 0 {
				s := found[row.Structure]
				found[row.Structure] = sum{append(s.ratios, of), append(s.weights, weights[i])}
				most = max(most, len(s.ratios)+1)
			}
		}
	}
	var out []Ranked
	for name, s := range found {
		if r := stats.Average(s.ratios, s.weights); len(s.ratios) == most {
			out = append(out, Ranked{Structure: name, Times: r.Interval})
		}
	}
	slices.SortFunc(out, func(x, y Ranked) int {
		return cmp.Or(cmp.Compare(x.Times.Center, y.Times.Center), cmp.Compare(x.Structure, y.Structure))
	})
	return out
}

// intrusive returns the intrusive structures as multiples of the named one.
func (r ranking) intrusive(named string) []Ranked {
	var cells []*stats.Costs
	var weights []float64
	for _, w := range r.near {
		cells, weights = append(cells, w.Costs), append(weights, w.weight)
	}
	return Intrusive(cells, weights, named)
}
