package stats

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// Median sorts values and returns their median, or NaN if there are none.
func Median(values []float64) float64 {
	slices.Sort(values)
	n := len(values)
	if n == 0 {
		return math.NaN()
	}
	return (values[(n-1)/2] + values[n/2]) / 2
}

// huber is the distance from the center, in robust standard deviations, beyond which the
// influence of a point stays constant. At 1 the estimate is 90 % as precise as the mean of a normal
// distribution.
const huber = 1.0

// center returns Huber's M-estimate of location (Huber 1964). scale is the robust standard
// deviation of a point. An outlier moves the estimate as far as a point at distance huber does.
func center(points []point, scale float64) float64 {
	values := make([]float64, len(points))
	for i, p := range points {
		values[i] = p.log
	}
	at, limit := Median(values), huber*scale
	for range 30 {
		sum, inside := 0.0, 0
		for _, v := range values {
			if d := v - at; math.Abs(d) <= limit {
				sum, inside = sum+d, inside+1
			} else {
				sum += math.Copysign(limit, d)
			}
		}
		step := sum / float64(max(inside, 1))
		if at += step; math.Abs(step) < 1e-12 {
			break
		}
	}
	return at
}

// ofFew corrects the median distance of 2 to 9 values, which is too small on average (Croux and
// Rousseeuw 1992), indexed by their number.
var ofFew = []float64{2: 1.196, 1.495, 1.363, 1.206, 1.200, 1.140, 1.129, 1.107}

// mad returns the median distance of the points from their median, scaled to estimate the standard
// deviation of a normal distribution.
func mad(points []point) float64 {
	values := make([]float64, len(points))
	for i, p := range points {
		values[i] = p.log
	}
	of := Median(values)
	for i, v := range values {
		values[i] = math.Abs(v - of)
	}
	n := len(points)
	correction := float64(n) / (float64(n) - 0.8)
	if n < len(ofFew) {
		correction = ofFew[n]
	}
	return 1.4826 * correction * Median(values)
}

// estimate is a center with the data for its variance.
type estimate struct {
	center float64
	units  [][]point // see units
	level  Level
	points int
	placed int     // instances
	scale  float64 // robust standard deviation of the points

	variance float64 // between the means of units
	steps    float64 // sum of the squared differences of successive means
}

// estimateOf groups at least one point into units. [estimate.locate] does the estimation.
func estimateOf(points []point) estimate {
	e := estimate{points: len(points), placed: instances(points), scale: mad(points)}
	e.units, e.level = units(points)
	return e
}

// locate sets the center and the variance. It uses the larger of two scales: the estimate's own
// scale may be 0 by chance, and the pooled scale may be too small for a noisy contender.
//
// The variance is the variance between units of the estimator's pseudo-values. The pseudo-value of
// a point is its distance from the center, at most the limit, divided by the share of the points
// within the limit.
func (e *estimate) locate(scale float64) {
	scale = max(scale, e.scale)
	points := slices.Concat(e.units...)
	e.center = center(points, scale)
	limit, inside := huber*scale, 0
	for _, p := range points {
		if math.Abs(p.log-e.center) <= limit {
			inside++
		}
	}
	if inside == 0 {
		limit, inside = math.Inf(1), len(points)
	}
	beyond := float64(len(points)-inside) / float64(inside)
	means := make([]float64, len(e.units))
	for i, unit := range e.units {
		for _, p := range unit {
			means[i] += max(-limit, min(p.log-e.center, limit)) / float64(len(unit))
		}
		means[i] *= (1 + beyond/float64(len(points))) * float64(len(points)) / float64(inside)
	}
	if len(means) > 1 {
		e.variance = stat.Variance(means, nil)
	}
	e.steps = 0
	for i, m := range means[1:] {
		e.steps += (m - means[i]) * (m - means[i])
	}
}

func (e *estimate) df() float64 { return float64(len(e.units) - 1) }
