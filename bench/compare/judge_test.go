package compare

import (
	"math"
	"testing"

	"github.com/timerbench/timerbench/bench/stats"
)

// The error of a ratio grows by what the runs differ in, and by the error of the shift: a median of the given number of
// pairs. The figures are worked out by hand.
func TestARatioIsWidenedByTheErrorsOfTheRunsAndOfTheShift(t *testing.T) {
	sq := func(x float64) float64 { return x * x }
	for _, c := range []struct {
		name         string
		spread       spread
		shift        float64
		pairs        int
		variance, df float64
	}{
		{"nothing is known", spread{}, 0, 0, 0.01, 10},
		{"runs differ", spread{all: 0.03, extra: 0.02, df: 5}, 0, 0, 0.03, 0.0009 / (0.0001/10 + 0.0009/5)},
		{"errors explain all", spread{all: 0.03, df: 5}, 0, 0, 0.01, 10},
		{"a shift of 5 pairs", spread{all: 0.03, df: 5}, 0.1, 5, 0.01 + math.Pi/2*0.03/5, 10 * sq(1+math.Pi/2*0.03/5/0.01)},
		{"a shift of 50 pairs", spread{all: 0.03, df: 5}, -0.1, 50, 0.01 + math.Pi/2*0.03/50, 10 * sq(1+math.Pi/2*0.03/50/0.01)},
		{"both", spread{all: 0.03, extra: 0.02, df: 5}, 0.1, 10, 0.03 + math.Pi/2*0.003, sq(0.03+math.Pi/2*0.003) / (0.0001/10 + 0.0009/5)},
	} {
		got := c.spread.widen(stats.Ratio{SE: 0.1}.Moved(math.Log(2), 0.1, 10), c.shift, c.pairs)
		if near := func(a, b float64) bool { return math.Abs(a/b-1) < 1e-9 }; !near(got.SE*got.SE, c.variance) || !near(got.DF, c.df) ||
			!near(got.Center, 2*math.Exp(-c.shift)) {
			t.Errorf("%s: center %g, variance %g with %g degrees of freedom, want %g, %g with %g",
				c.name, got.Center, got.SE*got.SE, got.DF, 2*math.Exp(-c.shift), c.variance, c.df)
		}
	}
	unknown := spread{all: 1, extra: 1, df: 1}.widen(stats.Ratio{Interval: stats.Interval{Center: 2}, SE: math.NaN()}, 1, 1)
	if unknown.Center != 2 || !math.IsNaN(unknown.SE) {
		t.Errorf("a ratio without an error became %+v", unknown)
	}
}
