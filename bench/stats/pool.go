package stats

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat"
)

// Prior describes the common variance of a group of figures. The zero value describes none.
type Prior struct {
	scale    float64 // robust standard deviation of single rounds
	variance float64 // of the logarithms, between the means of units
	df       float64 // weight of the variance in degrees of freedom
	serial   float64 // lag-1 autocorrelation of units
}

// PoolCenters returns the common variance of the costs of the contenders of a cell. A change of the
// machine changes all costs of a cell alike, so the contenders count as one.
func PoolCenters(contenders [][]Sample) Prior {
	var all []estimate
	for _, c := range contenders {
		if points := logs(c); len(points) > 0 {
			all = append(all, estimateOf(points))
		}
	}
	return pool(all, 1)
}

// Pair holds the samples of two contenders that were measured in the same rounds.
type Pair struct{ A, B []Sample }

// PoolPairs returns the common variance of the ratios of pairs from different cells, such as
// A/A comparisons.
func PoolPairs(pairs []Pair) Prior {
	var all []estimate
	for _, p := range pairs {
		if d := differences(logs(p.A), logs(p.B)); len(d) > 0 {
			all = append(all, estimateOf(d))
		}
	}
	return pool(all, float64(len(all)))
}

// pool sets the variances of estimates and returns their common variance. independent is the number
// of independent contenders, which limits the degrees of freedom.
func pool(all []estimate, independent float64) Prior {
	var scales []float64
	for _, e := range all {
		if e.df() > 0 {
			scales = append(scales, e.scale)
		}
	}
	var p Prior
	if len(scales) > 1 {
		p.scale = Median(scales)
	}
	var of []estimate
	for i := range all {
		all[i].locate(p.scale)
		if all[i].df() > 0 {
			of = append(of, all[i])
		}
	}
	if len(of) > 1 {
		p.fit(of, independent)
	}
	p.serial = serialOf(all)
	return p
}

// perDF limits the weight of a common variance: its degrees of freedom are at most those of all
// independent figures, divided by perDF. A few variances often look alike by chance (chosen).
const perDF = 4

// fit sets the variance and its weight by the moments of the logarithms of the variances
// (Smyth 2004, section 6.2).
func (p *Prior) fit(of []estimate, independent float64) {
	var variances, logs, trigammas []float64
	for _, e := range of {
		variances = append(variances, e.variance)
	}
	least := 1e-5 * Median(slices.Clone(variances)) // avoids the logarithm of 0
	if least == 0 {
		return
	}
	df := 0.0
	for _, e := range of {
		half := e.df() / 2
		df += e.df() / float64(len(of))
		logs = append(logs, math.Log(max(e.variance, least))-mathext.Digamma(half)+math.Log(half))
		trigammas = append(trigammas, trigamma(half))
	}
	mean, spread := stat.MeanVariance(logs, nil)
	p.df = df * min(float64(len(of)), independent) / perDF
	p.variance = math.Exp(mean)
	if spread -= stat.Mean(trigammas, nil); spread > 0 {
		p.df = min(2*trigammaInverse(spread), p.df)
		p.variance = math.Exp(mean + mathext.Digamma(p.df/2) - math.Log(p.df/2))
	}
}

// moderate returns the variance of an estimate, drawn towards the prior, and its degrees of freedom
// (Smyth 2004, section 3). A variance above that of the prior is not reduced: whoever is noisier than
// its neighbors keeps its own noise.
func (p Prior) moderate(e *estimate) (variance, df float64) {
	own := e.df()
	if p.df == 0 || own == 0 {
		return e.variance, own
	}
	return max(e.variance, (p.df*p.variance+own*e.variance)/(p.df+own)), p.df + own
}

func trigamma(x float64) float64 { return mathext.Zeta(2, x) }

// trigammaInverse solves trigamma(x) = y for y above 0 by bisection of the logarithm.
func trigammaInverse(y float64) float64 {
	lo, hi := math.Log(1e-4), math.Log(1e7)
	for range 60 {
		if mid := (lo + hi) / 2; trigamma(math.Exp(mid)) > y {
			lo = mid
		} else {
			hi = mid
		}
	}
	return math.Exp(lo)
}
