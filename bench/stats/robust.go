package stats

import (
	"math"
	"slices"
)

// median returns the median of values, which it sorts. There must be one at least.
func median(values []float64) float64 {
	slices.Sort(values)
	n := len(values)
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
	return median(pairs)
}

// mad returns the median distance of the points from c, scaled so that it estimates the
// standard deviation where the distribution is normal.
func mad(points []point, c float64) float64 {
	distances := make([]float64, len(points))
	for i, p := range points {
		distances[i] = math.Abs(p.log - c)
	}
	return 1.4826 * median(distances)
}

// estimate is a center and the variance of the means of the units around it.
type estimate struct {
	center   float64
	variance float64 // between the means of units
	units    int
	points   int
	level    Level
}

// clip is the distance from the center, in pooled standard deviations, up to which a
// point counts for the variance in full.
const clip = 4

// estimateOf estimates points, of which there must be one at least. A scale above 0
// limits what a single point adds to the variance.
func estimateOf(points []point, scale float64) estimate {
	grouped, level := outermost(points)
	e := estimate{center: center(points), units: len(grouped), points: len(points), level: level}
	means := make([]float64, len(grouped))
	var sum float64
	for i, unit := range grouped {
		for _, p := range unit {
			d := p.log - e.center
			if scale > 0 {
				d = max(-clip*scale, min(d, clip*scale))
			}
			means[i] += d / float64(len(unit))
		}
		sum += means[i]
	}
	if len(means) < 2 {
		return e
	}
	for _, m := range means {
		d := m - sum/float64(len(means))
		e.variance += d * d / float64(len(means)-1)
	}
	return e
}
