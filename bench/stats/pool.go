package stats

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat"
)

// Prior describes the common variance of a group of comparisons. The zero value describes
// none.
type Prior struct {
	of     []estimate          // the comparisons
	scale  float64             // robust standard deviation of single rounds
	levels [Layouts + 1]common // by the level of a comparison
	serial float64             // lag-1 autocorrelation of units
}

// common is the common variance of the comparisons of a level.
type common struct {
	variance float64 // of the logarithms, between the means of units
	high     float64 // variance that few comparisons exceed
	df       float64 // weight of the variance in degrees of freedom
	most     float64 // limit of the degrees of freedom of an estimate together with the prior
}

// PoolCenters returns the common variance of the costs of contenders in the given cells. A change
// of the machine changes all costs of a cell alike, so the contenders of a cell count as one.
func PoolCenters(cells ...[][]Sample) Prior {
	var all []estimate
	for _, contenders := range cells {
		for _, c := range contenders {
			if points := logs(c); len(points) > 0 {
				all = append(all, estimateOf(points))
			}
		}
	}
	return pool(all, float64(len(cells)))
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
	p := pool(all, float64(len(all)))
	p.of = all
	return p
}

// pool sets the variances of estimates and returns their common variance at each level. independent
// is the number of independent contenders, which limits the degrees of freedom.
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
		all[i].locate(p.scale)
		if all[i].df() > 0 {
			of[all[i].level] = append(of[all[i].level], all[i])
		}
	}
	for level, estimates := range of {
		if len(estimates) > 1 {
			p.levels[level].fit(estimates, independent)
		}
	}
	p.serial = serialOf(all, independent)
	return p
}

// leastDF is the minimum weight of a common variance in degrees of freedom, and fewDF is the weight
// that few comparisons may always have. Comparisons of two instances each often seem to have
// nothing in common by chance. Both values are chosen; the simulations show that they are safe.
const leastDF, fewDF = 2.5, 2.0

// perDF limits the weight of a common variance: its degrees of freedom are at most those of all
// independent comparisons, divided by perDF. A few variances often look alike by chance. The value
// is chosen: without a limit intervals miss in 8 % of the cases if variances are unequal.
const perDF = 4

// fewExceed is the share of comparisons whose variance is at most common.high (chosen).
const fewExceed = 0.9

// fit sets the variance and its weight by the moments of the logarithms of the variances
// (Smyth 2004, section 6.2).
func (p *common) fit(of []estimate, independent float64) {
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
	slices.Sort(variances)
	p.high = variances[int(fewExceed*float64(len(variances)))]
	mean, spread := stat.MeanVariance(logs, nil)
	p.most = df * min(float64(len(of)), independent)
	most := max(fewDF, p.most/perDF)
	p.variance, p.df = math.Exp(mean), most
	if spread -= stat.Mean(trigammas, nil); spread > 0 {
		p.df = min(max(2*trigammaInverse(spread), leastDF), most)
		p.variance = math.Exp(mean + mathext.Digamma(p.df/2) - math.Log(p.df/2))
	}
}

// moderate returns the variance of an estimate, drawn towards the prior, and its degrees of
// freedom (Smyth 2004, section 3).
func (p Prior) moderate(e *estimate) (variance, df float64) {
	own, of := e.df(), p.levels[e.level]
	if of.df == 0 {
		return e.variance, own
	}
	return (of.df*of.variance + own*e.variance) / (of.df + own), max(own, min(of.df+own, of.most))
}

// lone returns the variance of an estimate with a single instance, if other comparisons have
// several. The rounds of one instance do not show the variation between instances, so the estimate
// gets a variance that few comparisons exceed. A single round may be disturbed as a whole.
func (p Prior) lone(e *estimate) (variance, df float64, ok bool) {
	of := p.levels[Instances]
	if e.level != Rounds || len(e.units) < 2 || of.df == 0 {
		return 0, 0, false
	}
	return max(of.high, e.variance/float64(len(e.units))), of.most, true
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
