package compare

import (
	"math"
	"slices"

	"github.com/timerbench/timerbench/bench/stats"
)

func judge(pairs []*pair, session bool, o Options, repeats Repeats) {
	for _, p := range pairs {
		p.measured = paired(p.new, p.old)
	}
	var p []float64
	for _, pair := range pairs {
		pair.row.Ratio, pair.row.Adjusted = pair.measured, pair.measured
		if !session {
			others := pair.others(pairs)
			between := betweenRuns(others)
			pair.row.Ratio = between.widen(pair.measured, 0, 0)
			log, of := pair.shiftOf(others)
			pair.row.Adjusted = between.widen(pair.measured, log, of)
		}
		if pair.judged() {
			p = append(p, max(pair.row.Ratio.P, pair.row.Adjusted.P))
		}
	}
	p = holm(p)
	for _, pair := range pairs {
		if !pair.judged() {
			continue
		}
		least := max(math.Log1p(o.MinEffect), pair.floor)
		if !session {
			least = max(least, repeats.floorOf(pair.of))
		}
		pair.row.Least = math.Expm1(least)
		pair.row.P, p = p[0], p[1:]
		pair.row.Verdict = pair.row.verdict(least, o.Alpha)
	}
}

// verdict returns the verdict on the row. least is a log ratio.
func (r *Compared) verdict(least, alpha float64) Verdict {
	a, b := math.Log(r.Ratio.Center), math.Log(r.Adjusted.Center)
	switch {
	case math.IsNaN(r.P):
		return Unknown
	case r.P > alpha:
	case min(a, b) > least:
		return Slower
	case max(a, b) < -least:
		return Faster
	}
	return Same
}

// fewestOthers is the smallest number of other contenders that shows the state of the
// machine (chosen: the median of fewer depends on a single one).
const fewestOthers = 3

// others returns the pairs of other structures whose ratio has a standard error.
func (p *pair) others(pairs []*pair) []*pair {
	var out []*pair
	for _, q := range pairs {
		if q.of != p.of && !math.IsNaN(q.measured.SE) {
			out = append(out, q)
		}
	}
	return out
}

// shiftOf returns the median log ratio of the others and their number. It uses the others of the same cell, or of all
// cells if the cell has too few. If all cells together have too few, it returns 0, 0.
func (p *pair) shiftOf(others []*pair) (log float64, of int) {
	cell := slices.DeleteFunc(slices.Clone(others), func(q *pair) bool { return q.cell != p.cell })
	switch {
	case len(cell) >= fewestOthers:
		return shift(cell), len(cell)
	case len(others) >= fewestOthers:
		return shift(others), len(others)
	}
	return 0, 0
}

func shift(pairs []*pair) float64 {
	logs := make([]float64, len(pairs))
	for i, p := range pairs {
		logs[i] = math.Log(p.measured.Center)
	}
	return stats.MedianOf(logs)
}

type spread struct {
	all   float64 // variance of log ratios around the median of their group
	extra float64 // the part of the variance that the errors of the ratios do not explain
	df    float64 // degrees of freedom; 0: nothing is known
}

// medianVariance is k times the variance of the median of k normal values.
const medianVariance = math.Pi / 2

// betweenRuns estimates the spread from the distance of each pair from the median of the rest of its cell. Some pairs
// may really have changed, so distances are limited to three standard deviations.
func betweenRuns(pairs []*pair) spread {
	groups := make(map[int][]*pair) // by cell
	for _, p := range pairs {
		groups[p.cell] = append(groups[p.cell], p)
	}
	var distances, errors []float64
	free := 0
	for _, g := range groups {
		if len(g) < fewestOthers {
			continue
		}
		free += len(g) - 1
		for i, p := range g {
			rest := slices.Concat(g[:i], g[i+1:])
			d := math.Log(p.measured.Center) - shift(rest)
			distances = append(distances, math.Abs(d)/math.Sqrt(1+medianVariance/float64(len(rest))))
			errors = append(errors, p.measured.SE*p.measured.SE)
		}
	}
	if len(distances) == 0 {
		return spread{}
	}
	// For normal values: the standard deviation in median distances, and the share of the
	// variance that remains if distances are limited to three standard deviations.
	const fromMedian, limit, left = 1.4826, 3, 0.995
	most := limit * fromMedian * stats.MedianOf(distances)
	variance := 0.0
	for _, d := range distances {
		d = min(d, most)
		variance += d * d / (left * float64(len(distances)))
	}
	// The limit and the shared medians cost degrees of freedom (found by simulation, see the tests).
	const known = 0.6
	return spread{variance, max(0, variance-stats.MedianOf(errors)), max(1, known*float64(free))}
}

// widen divides a ratio by exp(shift) and adds the spread to its error. The shift is a
// median of the given number of pairs.
func (s spread) widen(r Ratio, shift float64, pairs int) Ratio {
	if math.IsNaN(r.SE) {
		return r
	}
	variance := r.SE * r.SE
	byDF := variance * variance / r.DF // sum of squared variances, each divided by its degrees of freedom
	variance += s.extra
	if s.extra > 0 {
		byDF += s.all * s.all / s.df
	}
	if pairs > 0 {
		variance += medianVariance * s.all / float64(pairs)
	}
	df := r.DF
	if byDF > 0 {
		df = max(1, variance*variance/byDF) // Satterthwaite's approximation
	}
	return r.moved(math.Log(r.Center)-shift, math.Sqrt(variance), df)
}
