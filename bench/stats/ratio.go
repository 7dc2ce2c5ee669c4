package stats

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Interval is an estimate with its confidence interval. If the interval is not known, Lo is 0
// and Hi is infinite.
type Interval struct {
	Center, Lo, Hi float64
	Level          Level // the outermost level of variation that the interval covers
	Units          int   // number of units of that level
	DF             float64
}

// Bounded reports whether the interval is known.
func (i Interval) Bounded() bool { return i.Lo > 0 && !math.IsInf(i.Hi, 1) }

// Ratio is the cost of one contender divided by the cost of another, over their common rounds.
type Ratio struct {
	Interval
	Pairs int     // common rounds
	SE    float64 // standard error of log(Center); NaN: not known
	P     float64 // two-sided probability of such a difference from 1 by chance; NaN: not known
	Worse bool    // the contender is certainly not the best of a question, see Pairs.RatiosTo

	serial float64 // lag-1 autocorrelation of the rounds
	far    bool    // see farBehind
}

// Differs reports whether the interval excludes 1.
func (r Ratio) Differs() bool { return r.Bounded() && (r.Lo > 1 || r.Hi < 1) }

// Paired returns the ratio of a to b, matched by round, with the interval of a single
// comparison. ok is false if a and b share no round.
func Paired(a, b []Sample, o Options) (r Ratio, ok bool) {
	d := differences(logs(a), logs(b))
	if len(d) == 0 {
		return Ratio{}, false
	}
	e := estimateOf(d)
	e.locate(o.Prior.scale)
	return e.ratio(o), true
}

// Center returns the cost of a contender: Huber's estimate over the logarithms. If
// Options.BetweenRuns is set, the interval covers other runs of the same program on the same
// machine. ok is false without samples.
func Center(a []Sample, o Options) (i Interval, ok bool) {
	points := logs(a)
	if len(points) == 0 {
		return Interval{}, false
	}
	e := estimateOf(points)
	e.locate(o.Prior.scale)
	i = e.ratio(o).Interval
	if o.BetweenRuns > 0 && i.Bounded() {
		between := o.BetweenRuns * distuv.UnitNormal.Quantile((1+DefaultConfidence)/2)
		i.Lo = i.Center * math.Exp(-math.Hypot(math.Log(i.Center/i.Lo), between))
		i.Hi = i.Center * math.Exp(math.Hypot(math.Log(i.Hi/i.Center), between))
	}
	return i, true
}

// Recentered returns the ratio with another center. The interval keeps its width on the
// logarithmic scale. P becomes NaN unless the center is unchanged.
func (r Ratio) Recentered(center float64) Ratio {
	by := center / r.Center
	r.Center, r.Lo, r.Hi = center, r.Lo*by, r.Hi*by
	if by != 1 {
		r.P = math.NaN()
	}
	return r
}

// Moved returns the ratio with another logarithm, standard error and degrees of freedom.
func (r Ratio) Moved(log, se, df float64) Ratio {
	r.Center, r.SE, r.DF = math.Exp(log), se, df
	return r.bounded()
}

// floorDF is the freedom of the floor of instances, which was measured once (chosen).
const floorDF = 20

// ratio returns the ratio with the interval of a single comparison.
func (e *estimate) ratio(o Options) Ratio {
	variance, df := o.Prior.moderate(e)
	rho := o.Prior.serial
	rounds := variance / effective(len(e.units), rho)
	df *= (1 - rho*rho) / (1 + rho*rho)
	r := Ratio{Interval: Interval{Center: math.Exp(e.center), Level: e.level, Units: len(e.units)}, Pairs: e.points, serial: rho}
	floor := o.Floor * o.Floor / float64(max(e.placed, 1))
	if r.DF = df; df > 0 && floor > 0 {
		r.DF = Freedom([]float64{rounds, floor}, []float64{df, floorDF})
	}
	r.SE = math.Sqrt(rounds + floor)
	return r.bounded()
}

// Freedom returns the degrees of freedom of a sum of estimated variances (Satterthwaite).
func Freedom(variances, dfs []float64) float64 {
	var sum, squares float64
	for i, v := range variances {
		sum += v
		squares += v * v / dfs[i]
	}
	if squares == 0 {
		return dfs[0]
	}
	return sum * sum / squares
}

// bounded sets the interval and P by the center, SE and DF. They are not known if DF is 0.
func (r Ratio) bounded() Ratio {
	if !(r.DF > 0) {
		r.Lo, r.Hi, r.SE, r.P = 0, math.Inf(1), math.NaN(), math.NaN()
		return r
	}
	t := StudentT(r.DF)
	errors := t.Quantile((1 + DefaultConfidence) / 2)
	r.Lo, r.Hi = r.Center*math.Exp(-errors*r.SE), r.Center*math.Exp(errors*r.SE)
	switch {
	case r.Center == 1:
		r.P = 1
	case r.SE == 0:
		r.P = 0
	default:
		r.P = 2 * t.CDF(-math.Abs(math.Log(r.Center))/r.SE)
	}
	return r
}

// StudentT returns Student's t distribution with df degrees of freedom, which may be infinite.
func StudentT(df float64) distuv.StudentsT {
	return distuv.StudentsT{Sigma: 1, Nu: min(df, 1e6)}
}
