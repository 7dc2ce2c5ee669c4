package stats

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat"
)

// Prior is what a group of comparisons says of the variance of any one of them. Its zero
// value says nothing.
type Prior struct {
	Level    Level   // the units between which it is the variance
	Variance float64 // of the logarithms, between the means of units
	DF       float64 // its weight in degrees of freedom; infinite: all variances are alike
	Most     float64 // limit of the degrees of freedom of an estimate together with the prior
	Scale    float64 // robust standard deviation of single rounds
}

// PoolRatios learns the variance of the ratio of two contenders from all pairs of them.
func PoolRatios(contenders [][]Sample) Prior { return newCell(contenders, Options{}).prior }

// PoolCenters learns the variance of the cost of a contender from all of them.
func PoolCenters(contenders [][]Sample) Prior {
	var all []estimate
	for _, c := range contenders {
		if points := logs(c); len(points) > 0 {
			all = append(all, estimateOf(points))
		}
	}
	return pool(all, math.Inf(1))
}

// pool sets the variances of estimates and returns what they say together. It learns from
// those of the commonest level. The degrees of freedom are at most those of the number of
// independent contenders given.
func pool(all []estimate, independent float64) Prior {
	var scales [Layouts + 1][]float64
	for _, e := range all {
		if e.df() > 0 {
			scales[e.level] = append(scales[e.level], e.scale)
		}
	}
	var p Prior
	for level := range scales {
		if len(scales[level]) > len(scales[p.Level]) {
			p.Level = Level(level)
		}
	}
	if len(scales[p.Level]) > 1 {
		p.Scale = median(scales[p.Level])
	}
	var of []estimate
	for i := range all {
		all[i].spread(p.Scale)
		if all[i].df() > 0 && all[i].level == p.Level {
			of = append(of, all[i])
		}
	}
	if len(of) > 1 {
		p.fit(of, independent)
	}
	return p
}

// fit sets the variance and its weight by the moments of the logarithms of the variances
// (Smyth 2004, section 6.2).
func (p *Prior) fit(of []estimate, independent float64) {
	var variances, logs, trigammas []float64
	for _, e := range of {
		variances = append(variances, e.variance)
	}
	least := 1e-5 * median(slices.Clone(variances)) // the logarithm of 0 would outweigh all else
	if least == 0 {
		return
	}
	df := 0.0
	for i, e := range of {
		half := e.df() / 2
		df += e.df() / float64(len(of))
		logs = append(logs, math.Log(max(variances[i], least))-mathext.Digamma(half)+math.Log(half))
		trigammas = append(trigammas, trigamma(half))
	}
	mean, spread := stat.MeanVariance(logs, nil)
	p.Variance, p.DF = math.Exp(mean), math.Inf(1)
	if spread -= stat.Mean(trigammas, nil); spread > 0 {
		half := trigammaInverse(spread)
		p.DF = 2 * half
		p.Variance = math.Exp(mean + mathext.Digamma(half) - math.Log(half))
	}
	p.Most = df * min(float64(len(of)), independent)
}

// moderate returns the variance of an estimate and its degrees of freedom, together with
// what the prior says (Smyth 2004, section 3).
func (p Prior) moderate(e *estimate) (variance, df float64) {
	own := e.df()
	switch {
	case p.DF == 0 || p.Level != e.level:
		return e.variance, own
	case math.IsInf(p.DF, 1):
		return p.Variance, max(own, p.Most)
	}
	return (p.DF*p.Variance + own*e.variance) / (p.DF + own), max(own, min(p.DF+own, p.Most))
}

// trigamma is the derivative of the digamma function.
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
