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
	scale  float64             // robust standard deviation of single rounds
	levels [Layouts + 1]common // by the level of a comparison
}

// common is the variance that the comparisons of a level have in common.
type common struct {
	variance float64 // of the logarithms, between the means of units
	df       float64 // its weight in degrees of freedom; infinite: all variances are alike
	most     float64 // limit of the degrees of freedom of an estimate together with the prior
}

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

// pool sets the variances of estimates and returns what those of each level say together. The
// degrees of freedom are at most those of the number of independent contenders given.
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
	var of [Layouts + 1][]estimate
	for i := range all {
		all[i].spread(p.scale)
		if all[i].df() > 0 {
			of[all[i].level] = append(of[all[i].level], all[i])
		}
	}
	for level, estimates := range of {
		if len(estimates) > 1 {
			p.levels[level].fit(estimates, independent)
		}
	}
	return p
}

// leastDF is the least weight of what comparisons have in common (chosen; the simulations show that
// it is safe). Where each has two instances, their variances seem to have nothing in common by chance.
const leastDF = 2.0

// fit sets the variance and its weight by the moments of the logarithms of the variances
// (Smyth 2004, section 6.2).
func (p *common) fit(of []estimate, independent float64) {
	var variances, logs, trigammas []float64
	for _, e := range of {
		variances = append(variances, e.variance)
	}
	least := 1e-5 * Median(slices.Clone(variances)) // the logarithm of 0 would outweigh all else
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
	p.variance, p.df = math.Exp(mean), math.Inf(1)
	if spread -= stat.Mean(trigammas, nil); spread > 0 {
		half := max(trigammaInverse(spread), leastDF/2)
		p.df = 2 * half
		p.variance = math.Exp(mean + mathext.Digamma(half) - math.Log(half))
	}
	p.most = df * min(float64(len(of)), independent)
}

// moderate returns the variance of an estimate and its degrees of freedom, together with
// what the prior says (Smyth 2004, section 3).
func (p Prior) moderate(e *estimate) (variance, df float64) {
	own, of := e.df(), p.levels[e.level]
	switch {
	case of.df == 0:
		return e.variance, own
	case math.IsInf(of.df, 1):
		return of.variance, max(own, of.most)
	}
	return (of.df*of.variance + own*e.variance) / (of.df + own), max(own, min(of.df+own, of.most))
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
