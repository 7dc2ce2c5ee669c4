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
}

// Differs reports whether the interval excludes 1.
func (r Ratio) Differs() bool { return r.Bounded() && (r.Lo > 1 || r.Hi < 1) }

// Paired returns the ratio of a to b, matched by round, with the interval of a single
// comparison at one look. ok is false if a and b share no round.
func Paired(a, b []Sample, o Options) (r Ratio, ok bool) {
	d := differences(logs(a), logs(b))
	if len(d) == 0 {
		return Ratio{}, false
	}
	e := estimateOf(d)
	e.locate(o.Prior.scale)
	return e.error(o.Prior).ratio(o), true
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
	i = e.error(o.Prior).ratio(o).Interval
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

// Moved returns the ratio with another logarithm, standard error and degrees of freedom, and
// with the interval of a single comparison.
func (r Ratio) Moved(log, se, df float64) Ratio {
	return uncertain{log, se, df, r.Level, r.Units, r.Pairs}.ratio(Options{})
}

// uncertain is a log ratio and its standard error.
type uncertain struct {
	log, se, df float64 // df is 0 if the error is not known
	level       Level
	units       int
	rounds      int
}

func (e *estimate) error(p Prior) uncertain {
	if variance, df, ok := p.lone(e); ok {
		return uncertain{e.center, math.Sqrt(variance), df, Instances, 1, e.points}
	}
	variance, df := p.moderate(e)
	return uncertain{e.center, math.Sqrt(variance / effective(len(e.units), p.serial)), df, e.level, len(e.units), e.points}
}

func (u uncertain) ratio(o Options) Ratio {
	if u.df <= 0 {
		return u.within(0, o)
	}
	return u.within(StudentT(u.df).Quantile((1+DefaultConfidence)/2), o)
}

// within returns the ratio with an interval of the given number of standard errors on either side.
func (u uncertain) within(errors float64, o Options) Ratio {
	r := Ratio{Interval: Interval{Center: math.Exp(u.log), Hi: math.Inf(1), Level: u.level, Units: u.units}, Pairs: u.rounds, SE: math.NaN(), P: math.NaN()}
	if u.rounds == 0 {
		r.Center = 0
	}
	if u.df <= 0 {
		return r
	}
	r.DF, r.SE = u.df, u.se
	r.Lo, r.Hi = math.Exp(u.log-errors*r.SE), math.Exp(u.log+errors*r.SE)
	switch {
	case u.log == 0:
		r.P = 1
	case r.SE == 0:
		r.P = 0
	default:
		r.P = 2 * StudentT(u.df).CDF(-math.Abs(u.log)/r.SE)
	}
	return r
}

// StudentT returns Student's t distribution with df degrees of freedom, which may be infinite.
func StudentT(df float64) distuv.StudentsT {
	return distuv.StudentsT{Sigma: 1, Nu: min(df, 1e6)}
}
