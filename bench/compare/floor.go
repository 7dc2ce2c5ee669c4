package compare

import (
	"math"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/stats"
)

// cellOp is what has a noise floor of its own.
type cellOp struct {
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
func noiseFloors(runs ...*results.Run) map[cellOp]float64 {
	found := make(map[cellOp][]control)
	byOp := make(map[string][][]stats.Sample)
	for _, r := range runs {
		for _, c := range r.Cells {
			for _, op := range opsOf(c) {
				if a, ok := controlOf(c, op); ok {
					at := cellOp{keyOf(c), op}
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
	floors := make(map[cellOp]float64)
	for at, list := range found {
		for _, a := range list {
			floors[at] = max(floors[at], floor(a.of, a.again, stats.Options{Prior: priors[at.op]}))
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

// floorShare is the share of A/A comparisons that differ by less than the noise floor.
const floorShare = 0.99

// floor returns the noise floor of a cell: the 99th percentile of |log ratio| that a
// comparison of a contender with a second instance of itself gives at the precision of
// these samples. It is what the observed ratio and its standard error imply together.
// It is 0 if nothing is known.
func floor(a, control []stats.Sample, o stats.Options) float64 {
	r, ok := stats.Paired(a, control, o)
	if !ok || !r.Bounded() {
		return 0
	}
	c := math.Abs(math.Log(r.Center))
	if r.SE == 0 {
		return c
	}
	t := stats.StudentT(r.DF)
	lo, hi := 0.0, c+r.SE*t.Quantile(1-(1-floorShare)/2)
	for range 60 {
		if mid := (lo + hi) / 2; t.CDF((mid-c)/r.SE)-t.CDF((-mid-c)/r.SE) < floorShare {
			lo = mid
		} else {
			hi = mid
		}
	}
	return hi
}
