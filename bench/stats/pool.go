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
func PoolRatios(contenders [][]Sample) Prior {
	return poolPairs(logsOf(contenders))
}

// PoolCenters learns the variance of the cost of a contender from all of them.
func PoolCenters(contenders [][]Sample) Prior { return poolPoints(logsOf(contenders), 0) }

func logsOf(contenders [][]Sample) [][]point {
	out := make([][]point, len(contenders))
	for i, c := range contenders {
		out[i] = logs(c)
	}
	return out
}

func poolPairs(contenders [][]point) Prior {
	var pairs [][]point
	for i, a := range contenders {
		for _, b := range contenders[:i] {
			pairs = append(pairs, differences(a, b))
		}
	}
	return poolPoints(pairs, len(contenders))
}

// poolPoints pools the groups of the commonest level. If the groups are pairs, contenders is the
// number of contenders among which they were formed, otherwise 0.
func poolPoints(groups [][]point, contenders int) Prior {
	var byLevel [Layouts + 1][]estimate
	var scales [Layouts + 1][]float64
	scale := func(points []point) float64 { return mad(points, center(points)) }
	for _, points := range groups {
		if len(points) < 2 {
			continue
		}
		_, level := outermost(points)
		scales[level] = append(scales[level], scale(points))
	}
	best := Rounds
	for level := range scales {
		if len(scales[level]) > len(scales[best]) {
			best = Level(level)
		}
	}
	if len(scales[best]) < 2 {
		return Prior{}
	}
	p := Prior{Level: best, Scale: median(scales[best])}
	for _, points := range groups {
		if len(points) < 2 {
			continue
		}
		if e := estimateOf(points, p.Scale); e.level == best {
			byLevel[best] = append(byLevel[best], e)
		}
	}
	p.fit(byLevel[best], contenders)
	return p
}

// fit sets the variance and its weight by the moments of the logarithms of the variances
// (Smyth 2004, section 6.2).
func (p *Prior) fit(of []estimate, contenders int) {
	variances := make([]float64, len(of))
	for i, e := range of {
		variances[i] = e.variance
	}
	least := 1e-5 * median(slices.Clone(variances)) // the logarithm of 0 would outweigh all else
	var e, trigammas, df []float64
	for i, v := range variances {
		d := float64(of[i].units - 1)
		df = append(df, d)
		if v = max(v, least); v == 0 {
			return
		}
		e = append(e, math.Log(v)-mathext.Digamma(d/2)+math.Log(d/2))
		trigammas = append(trigammas, trigamma(d/2))
	}
	mean, spread := stat.MeanVariance(e, nil)
	p.Variance, p.DF = math.Exp(mean), math.Inf(1)
	if spread -= stat.Mean(trigammas, nil); spread > 0 {
		p.DF = 2 * trigammaInverse(spread)
		p.Variance = math.Exp(mean + mathext.Digamma(p.DF/2) - math.Log(p.DF/2))
	}
	p.Most = stat.Mean(df, nil) * float64(len(of))
	if contenders > 0 {
		p.Most = stat.Mean(df, nil) * float64(contenders-1) // pairs share contenders
	}
}

// moderate returns a variance and its degrees of freedom, together with what the prior says.
func (p Prior) moderate(e estimate) (variance, df float64) {
	own := float64(e.units - 1)
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
