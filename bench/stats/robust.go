package stats

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// Median returns the median of values, which it sorts. That of none is NaN.
func Median(values []float64) float64 {
	slices.Sort(values)
	n := len(values)
	if n == 0 {
		return math.NaN()
	}
	return (values[(n-1)/2] + values[n/2]) / 2
}

// center returns the Hodges-Lehmann estimate: the median of the means of all pairs of
// points, each with itself included. One point in four may be arbitrarily wrong, and it
// is nearly as precise as the mean where none is.
func center(points []point) float64 {
	pairs := make([]float64, 0, len(points)*(len(points)+1)/2)
	for i, p := range points {
		for _, q := range points[i:] {
			pairs = append(pairs, (p.log+q.log)/2)
		}
	}
	return Median(pairs)
}

// mad returns the median distance of the points from c, scaled so that it estimates the
// standard deviation where the distribution is normal.
func mad(points []point, c float64) float64 {
	distances := make([]float64, len(points))
	for i, p := range points {
		distances[i] = math.Abs(p.log - c)
	}
	return 1.4826 * Median(distances)
}

// estimate is a center and what is needed for its variance.
type estimate struct {
	center float64
	units  [][]point // of the outermost level of which there are two or more
	level  Level
	points int
	scale  float64 // robust standard deviation of the points

	variance float64 // between the means of units, set by spread
}

// estimateOf estimates points, of which there must be one at least.
func estimateOf(points []point) estimate {
	e := estimate{center: center(points), points: len(points)}
	e.units, e.level = outermost(points)
	e.scale = mad(points, e.center)
	return e
}

// clip is the distance from the center, in robust standard deviations, up to which a
// point counts for the variance in full.
const clip = 4

// spread sets the variance. A pooled scale above 0 limits what a single point adds to it.
// The own scale of an estimate may be 0 by chance; the pooled one may be too small for
// a contender that is noisier than the others. So the larger one counts.
func (e *estimate) spread(scale float64) {
	limit := clip * max(scale, e.scale)
	if scale == 0 {
		limit = math.Inf(1)
	}
	means := make([]float64, len(e.units))
	for i, unit := range e.units {
		for _, p := range unit {
			means[i] += max(-limit, min(p.log-e.center, limit)) / float64(len(unit))
		}
	}
	if len(means) > 1 {
		e.variance = stat.Variance(means, nil)
	}
}

// df is the number of degrees of freedom of the variance.
func (e *estimate) df() float64 { return float64(len(e.units) - 1) }
