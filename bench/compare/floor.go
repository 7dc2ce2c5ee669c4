package compare

import (
	"math"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/stats"
)

// noiseFloors returns the noise floors of all cells, as log ratios: the larger one of both
// results. A cell without a control has none. One control says little, since it has few
// instances: its variance is learnt from all among as many timers, by the power of ten.
func noiseFloors(runs ...*results.Run) map[cellKey]float64 {
	found, byDecade := make(map[cellKey][]stats.Pair), make(map[int][]stats.Pair)
	decade := func(of cellKey) int { return int(math.Log10(float64(max(of.n, 1)))) }
	for _, r := range runs {
		for _, c := range r.Cells {
			if a, ok := controlOf(c); ok {
				at := keyOf(c)
				found[at] = append(found[at], a)
				byDecade[decade(at)] = append(byDecade[decade(at)], a)
			}
		}
	}
	floors := make(map[cellKey]float64)
	for at, list := range found {
		for _, a := range list {
			floors[at] = max(floors[at], floor(a, byDecade[decade(at)]))
		}
	}
	return floors
}

// controlOf returns the A/A comparison of a cell. Of several, as in merged results, it
// is that with the most rounds.
func controlOf(c results.Cell) (best stats.Pair, ok bool) {
	for _, row := range c.Rows {
		if row.Role != results.RoleControl {
			continue
		}
		for _, of := range c.Rows {
			if of.Role == results.RoleStructure && of.Structure == row.Of {
				a := stats.Pair{A: results.Samples(of.Cost), B: results.Samples(row.Cost)}
				if inCommon(a.A, a.B) > inCommon(best.A, best.B) {
					best, ok = a, true
				}
			}
		}
	}
	return best, ok
}

// floorShare is the share of A/A comparisons that differ by less than the noise floor.
const floorShare = 0.99

// floor returns the noise floor of a cell: the 99th percentile of |log ratio| that a comparison
// of a contender with a second instance of itself gives at the precision of these samples. The
// precision is that of its rounds, or that of which the ratios of all controls of its kind
// differ from 1, if that is worse: what differs between instances is not seen in the rounds of
// one. It is 0 if nothing is known.
func floor(control stats.Pair, kind []stats.Pair) float64 {
	o := stats.Options{Prior: stats.PoolPairs(kind)}
	r, ok := stats.Paired(control.A, control.B, o)
	if !ok || !r.Bounded() {
		return 0
	}
	squares := 0.0
	for _, other := range kind {
		of, _ := stats.Paired(other.A, other.B, o)
		if of.Pairs > 0 {
			squares += math.Pow(math.Log(of.Center), 2) / float64(len(kind))
		}
	}
	return max(r.SE, math.Sqrt(squares)) * stats.StudentT(max(r.DF, float64(len(kind)))).Quantile(1-(1-floorShare)/2)
}
