package stats

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Interval is an estimate with its confidence interval. Without an interval Lo is 0 and
// Hi is infinite.
type Interval struct {
	Center, Lo, Hi float64
	Level          Level // the outermost variation in the interval
	Units          int   // number of units of that level
	DF             float64
}

// Bounded reports whether there is an interval.
func (i Interval) Bounded() bool { return i.Lo > 0 && !math.IsInf(i.Hi, 1) }

// Ratio is the cost of one contender divided by that of another, in the rounds that both
// have.
type Ratio struct {
	Interval
	Pairs int     // rounds
	SE    float64 // standard error of log(Center); NaN: not known
	P     float64 // of so large a difference from 1 by chance, two-sided; NaN: not known
}

// Differs reports whether the interval lies on one side of 1.
func (r Ratio) Differs() bool { return r.Bounded() && (r.Lo > 1 || r.Hi < 1) }

// Paired returns the ratio of a to b, matched by round, with the interval of this one
// comparison at one look. ok is false if they have no round in common.
func Paired(a, b []Sample, o Options) (r Ratio, ok bool) {
	return pairedPoints(logs(a), logs(b), o)
}

func pairedPoints(a, b []point, o Options) (Ratio, bool) {
	d := differences(a, b)
	if len(d) == 0 {
		return Ratio{}, false
	}
	e := estimateOf(d, o.Prior.Scale)
	r := Ratio{Pairs: len(d), SE: math.NaN(), P: math.NaN()}
	var se float64
	if r.Interval, se = e.interval(o); !r.Bounded() {
		return r, true
	}
	r.SE = se
	switch {
	case e.center == 0:
		r.P = 1
	case se == 0:
		r.P = 0
	default:
		r.P = 2 * studentT(r.DF).CDF(-math.Abs(e.center)/se)
	}
	return r, true
}

// Center returns the cost of a contender: the Hodges-Lehmann estimate of the logarithms.
// Its interval is for another run of the same program on the same machine. ok is false
// without samples.
func Center(a []Sample, o Options) (i Interval, ok bool) {
	points := logs(a)
	if len(points) == 0 {
		return Interval{}, false
	}
	i, _ = estimateOf(points, o.Prior.Scale).interval(o)
	return i, true
}

// interval returns the interval of an estimate, and the standard error of its logarithm.
func (e estimate) interval(o Options) (Interval, float64) {
	i := Interval{Center: math.Exp(e.center), Hi: math.Inf(1), Level: e.level, Units: e.units}
	variance, df := o.Prior.moderate(e)
	if i.DF = df; df <= 0 {
		return i, math.NaN()
	}
	se := math.Sqrt(variance / float64(e.units))
	half := se * studentT(df).Quantile((1+o.confidence())/2)
	i.Lo, i.Hi = math.Exp(e.center-half), math.Exp(e.center+half)
	return i, se
}

func studentT(df float64) distuv.StudentsT {
	return distuv.StudentsT{Sigma: 1, Nu: min(df, 1e6)}
}

// floorShare is the share of A/A comparisons that differ by less than the noise floor.
const floorShare = 0.99

// Floor returns the noise floor of a cell: the 99th percentile of |log ratio| that a
// comparison of a contender with a second instance of itself gives at the precision of
// these samples. It is what the observed ratio and its standard error imply together.
// It is 0 if nothing is known.
func Floor(a, control []Sample, o Options) float64 {
	r, ok := Paired(a, control, o)
	if !ok || !r.Bounded() {
		return 0
	}
	c := math.Abs(math.Log(r.Center))
	if r.SE == 0 {
		return c
	}
	t := studentT(r.DF)
	lo, hi := 0.0, c+r.SE*t.Quantile(1-(1-floorShare)/2)
	for range 60 {
		if mid := (lo + hi) / 2; t.CDF((mid-c)/r.SE)-t.CDF((-mid-c)/r.SE) < floorShare {
			lo = mid
		} else {
			hi = mid
		}
	}
	return hi
}
