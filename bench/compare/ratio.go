package compare

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/timerbench/timerbench/bench/stats"
)

// Ratio is the cost of a structure in the new results divided by that in the old ones: the geometric mean of the ratios of common
// rounds, with a 95 % t interval. The units are rounds, or code layouts if there are several.
type Ratio struct {
	Center, Lo, Hi float64 // without an interval Lo is 0 and Hi is infinite
	Pairs          int     // common rounds
	SE, DF         float64 // standard error of log(Center), and its degrees of freedom; NaN and 0: not known
	P              float64 // two-sided probability of such a difference from 1 by chance; NaN: not known
}

// Bounded reports whether the interval is known.
func (r Ratio) Bounded() bool { return r.DF > 0 }

// Differs reports whether the interval excludes 1.
func (r Ratio) Differs() bool { return r.Bounded() && (r.Lo > 1 || r.Hi < 1) }

// paired returns the ratio of a to b. It has no Pairs without a common round.
func paired(a, b []stats.Sample) Ratio {
	byRound := stats.ByRound(b)
	byLayout := make(map[int][]float64)
	var all []float64
	for _, s := range a {
		if of := byRound[s.Round]; of > 0 && s.Value > 0 {
			log := math.Log(s.Value / of)
			all, byLayout[s.Layout] = append(all, log), append(byLayout[s.Layout], log)
		}
	}
	if len(all) == 0 {
		return Ratio{}
	}
	units := all
	if len(byLayout) > 1 {
		units = nil
		for _, layout := range slices.Sorted(maps.Keys(byLayout)) {
			units = append(units, stat.Mean(byLayout[layout], nil))
		}
	}
	r, n := Ratio{Pairs: len(all)}, float64(len(units))
	mean, variance := stat.MeanVariance(units, nil)
	return r.moved(mean, math.Sqrt(variance/n), n-1)
}

// moved returns the ratio with another logarithm, standard error and degrees of freedom.
func (r Ratio) moved(log, se, df float64) Ratio {
	r.Center, r.SE, r.DF = math.Exp(log), se, df
	if !(df > 0) {
		r.Lo, r.Hi, r.SE, r.P = 0, math.Inf(1), math.NaN(), math.NaN()
		return r
	}
	t := studentT(df)
	errors := t.Quantile((1 + stats.Confidence) / 2)
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

// studentT returns Student's t distribution with df degrees of freedom, which may be infinite.
func studentT(df float64) distuv.StudentsT { return distuv.StudentsT{Sigma: 1, Nu: min(df, 1e6)} }

// holm returns p values adjusted for their number. Calling all adjusted values of at most alpha significant has a family-wise error of
// alpha (Holm 1979). NaN values stay and do not count.
func holm(p []float64) []float64 {
	out := slices.Clone(p)
	var order []int
	for i, v := range p {
		if v == v {
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(p[a], p[b]) })
	highest := 0.0
	for rank, i := range order {
		highest = max(highest, min(1, p[i]*float64(len(order)-rank)))
		out[i] = highest
	}
	return out
}
