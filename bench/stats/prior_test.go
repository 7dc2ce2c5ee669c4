package stats

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Variances that are alike count fully up to the number of independent contenders. Otherwise, their spread tells how much
// the common variance is worth (Smyth 2004: variances divided by the common one follow an F distribution).
func TestTheWeightOfACommonVariance(t *testing.T) {
	t.Parallel()
	fit := func(independent float64, variances ...float64) (p Prior) {
		var of []estimate
		for _, v := range variances {
			of = append(of, estimate{units: make([][]point, 12), variance: v})
		}
		p.fit(of, independent)
		return p
	}
	if all, one := fit(8, 2, 2, 2, 2), fit(1, 2, 2, 2, 2); math.Abs(all.df-11) > 1e-9 || math.Abs(one.df-11./4) > 1e-9 {
		t.Errorf("four alike count %v, of one contender %v, want 11 and a quarter of it", all.df, one.df)
	}
	var spread []float64
	for i := range 400 {
		spread = append(spread, 3*distuv.F{D1: 11, D2: 6}.Quantile((float64(i)+0.5)/400))
	}
	if p := fit(400, spread...); math.Abs(p.df/6-1) > 0.1 || math.Abs(p.variance/3-1) > 0.03 {
		t.Errorf("unlike ones have the variance %v with weight %v, want 3 and 6", p.variance, p.df)
	}
}

// cosines are logarithms of ten contenders that are unrelated and equally noisy.
func cosines() (out [][]Sample) {
	for i := range 10 {
		out = append(out, nil)
		for round := range 12 {
			angle := 2*math.Pi*float64((i/2+1)*round)/12 + math.Pi/2*float64(i%2) + 0.1
			out[i] = append(out[i], Sample{Round: round, Value: math.Exp(0.1 * math.Cos(angle))})
		}
	}
	return out
}

// The pairs of ten contenders are no more independent than nine are.
func TestPairsOfACellAreNotIndependent(t *testing.T) {
	t.Parallel()
	c := NewPairs(cosines(), Options{})
	if p := c.Options.Prior; math.Abs(p.df-11*9/4.) > 1e-9 {
		t.Errorf("the weight of the common variance is %v, want %v", p.df, 11*9/4.)
	}
	if r, inverse := c.Ratio(2, 1), c.Ratio(1, 2); r.Lo >= r.Hi || math.Abs(r.Lo*inverse.Hi-1) > 1e-9 || math.Abs(r.Hi*inverse.Lo-1) > 1e-9 {
		t.Errorf("%+v, and the other way round %+v", r, inverse)
	}
}

// A contender whose noise is 0 by chance has the scale of the others.
func TestTheScaleIsCommon(t *testing.T) {
	t.Parallel()
	all := []estimate{estimateOf(logs(cosines()[0])), estimateOf(logs(cosines()[1]))}
	still := make([]point, 12)
	still[11].log = 1
	if all = append(all, estimateOf(still)); pool(all, 2).scale == 0 || all[2].center == 0 {
		t.Errorf("%+v", all[2])
	}
}

// In short series both the autocorrelation and the variance seem too small. The corrections undo most of it.
func TestShortSeriesAreCorrected(t *testing.T) {
	t.Parallel()
	const n, rho, series = 12, 0.5, 20_000
	rng := rand.New(rand.NewPCG(1941, n))
	var all []estimate
	var means []float64
	errors := 0.0
	for range series {
		e := estimate{units: make([][]point, n)}
		var values []float64
		v := rng.NormFloat64()
		for i := range n {
			if i > 0 {
				next := rho*v + math.Sqrt(1-rho*rho)*rng.NormFloat64()
				v, e.steps = next, e.steps+(next-v)*(next-v)
			}
			values = append(values, v)
		}
		e.variance = stat.Variance(values, nil)
		errors += e.variance / effective(n, rho) / series
		all, means = append(all, e), append(means, stat.Mean(values, nil))
	}
	if got := serialOf(all); math.Abs(got-rho) > 0.1 {
		t.Errorf("the autocorrelation is %v, want %v", got, rho)
	}
	if want := stat.Variance(means, nil); math.Abs(errors/want-1) > 0.04 {
		t.Errorf("the means vary by %v, estimated as %v", want, errors)
	}
}

func TestHowManyRoundsTell(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		rounds int
		serial float64
		want   bool
	}{{5, 0, false}, {6, 0, true}, {23, 0.3, true}, {23, 0.31, false}, {24, 0.4, true}, {24, 0.41, false}} {
		if got := (Ratio{Pairs: test.rounds, serial: test.serial}).Moved(0, 0.1, 5).tells(); got != test.want {
			t.Errorf("%+v: %t", test, got)
		}
	}
}

// A printed interval that holds 1 agrees with no difference, unless the contender is far behind.
func TestAgreeing(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		worse, far bool
		lo         float64
		want       bool
	}{{true, false, 1.1, true}, {true, false, 0.9, false}, {true, true, 0.9, true}, {false, false, 1.1, false}} {
		r := Ratio{Interval: Interval{Center: 1.2, Lo: test.lo, Hi: 1.3}, Worse: test.worse, far: test.far}
		if got := r.Agreeing().Worse; got != test.want {
			t.Errorf("%+v: %t", test, got)
		}
	}
}

func TestAverage(t *testing.T) {
	t.Parallel()
	a, b := Ratio{Pairs: 12, serial: 0.2, far: true}.Moved(0.4, 0.1, 10), Ratio{Pairs: 8, serial: 0.4, far: true}.Moved(0, 0.2, 10)
	r := Average([]Ratio{a, {}, b}, []float64{3, 5, 1})
	variance := 0.075*0.075 + 0.05*0.05
	df := variance * variance / (math.Pow(0.075, 4)/10 + math.Pow(0.05, 4)/10)
	if math.Abs(math.Log(r.Center)-0.3) > 1e-9 || math.Abs(r.SE-math.Hypot(0.075, 0.05)) > 1e-9 || math.Abs(r.DF-df) > 1e-9 || r.Pairs != 20 ||
		math.Abs(r.serial-0.25) > 1e-9 || !r.far {
		t.Errorf("%+v", r)
	}
	if b.far = false; Average([]Ratio{a, b}, []float64{3, 1}).far {
		t.Error("far behind in one of two cells is far behind in both")
	}
	if one := Average([]Ratio{{}, a}, []float64{1, 1}); one != a {
		t.Errorf("of one: %+v, want %+v", one, a)
	}
	if none := Average(nil, nil); none.Bounded() || none.Pairs != 0 {
		t.Errorf("of none: %+v", none)
	}
}
