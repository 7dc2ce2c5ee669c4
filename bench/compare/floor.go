package compare

import (
	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/stats"
)

// place is what has a noise floor of its own.
type place struct {
	cell cellKey
	op   string
}

// control is an A/A comparison: two instances of one structure in one cell.
type control struct {
	of, again []stats.Sample
}

// noiseFloors returns the noise floors of all cells, as log ratios: the larger one of
// both results. A cell without a control has none. The variance of an A/A ratio is
// learnt from all of the same kind, since one alone has few instances.
func noiseFloors(runs ...*results.Run) map[place]float64 {
	found := make(map[place][]control)
	byOp := make(map[string][][]stats.Sample)
	for _, r := range runs {
		for _, c := range r.Cells {
			for _, op := range opsOf(c) {
				if a, ok := controlOf(c, op); ok {
					at := place{keyOf(c), op}
					found[at] = append(found[at], a)
					byOp[op] = append(byOp[op], ratios(a.of, a.again))
				}
			}
		}
	}
	priors := make(map[string]stats.Prior)
	for op, all := range byOp {
		priors[op] = stats.PoolCenters(all)
	}
	floors := make(map[place]float64)
	for at, list := range found {
		for _, a := range list {
			floors[at] = max(floors[at], stats.Floor(a.of, a.again, stats.Options{Prior: priors[at.op]}))
		}
	}
	return floors
}

// controlOf returns the A/A comparison of a cell. Of several, as in merged results, it
// is that with the most rounds.
func controlOf(c results.Cell, op string) (best control, ok bool) {
	for _, row := range c.Rows {
		if row.Role != results.RoleControl {
			continue
		}
		for _, of := range c.Rows {
			if of.Role == results.RoleStructure && of.Structure == row.Of {
				a := control{samples(of, c.Unit, op), samples(row, c.Unit, op)}
				if len(ratios(a.of, a.again)) > len(ratios(best.of, best.again)) {
					best, ok = a, true
				}
			}
		}
	}
	return best, ok
}
