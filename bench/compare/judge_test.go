package compare

import (
	"math"
	"slices"
	"testing"

	"github.com/timerbench/timerbench/bench/results"
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
		got := c.spread.widen(Ratio{SE: 0.1}.moved(math.Log(2), 0.1, 10), c.shift, c.pairs)
		if near := func(a, b float64) bool { return math.Abs(a/b-1) < 1e-9 }; !near(got.SE*got.SE, c.variance) || !near(got.DF, c.df) ||
			!near(got.Center, 2*math.Exp(-c.shift)) {
			t.Errorf("%s: center %g, variance %g with %g degrees of freedom, want %g, %g with %g",
				c.name, got.Center, got.SE*got.SE, got.DF, 2*math.Exp(-c.shift), c.variance, c.df)
		}
	}
	unknown := spread{all: 1, extra: 1, df: 1}.widen(Ratio{Center: 2, SE: math.NaN()}, 1, 1)
	if unknown.Center != 2 || !math.IsNaN(unknown.SE) {
		t.Errorf("a ratio without an error became %+v", unknown)
	}
}

// A row is slower or faster if both ratios say so by more than the least effect, and its P is small.
func TestTheVerdictNeedsBothRatios(t *testing.T) {
	for _, c := range []struct {
		ratio, adjusted, p float64
		want               Verdict
	}{
		{1.2, 1.2, 0.01, Slower}, {1.2, 1.05, 0.01, Same}, {1.05, 1.2, 0.01, Same}, {1.2, 1.2, 0.06, Same}, {1.2, 1.2, 0.05, Slower},
		{0.8, 0.8, 0.01, Faster}, {0.8, 0.95, 0.01, Same}, {0.95, 0.8, 0.01, Same}, {0.8, 0.8, 0.06, Same}, {1.05, 1.05, 0.01, Same},
		{0.95, 0.95, 0.01, Same}, {0.8, 1.2, 0.01, Same}, {1.2, 0.8, 0.01, Same}, {1.2, 1.2, math.NaN(), Unknown},
	} {
		row := Compared{Ratio: Ratio{Center: c.ratio}, Adjusted: Ratio{Center: c.adjusted}}
		if row.P = c.p; row.verdict(math.Log(1.1), 0.05) != c.want {
			t.Errorf("%+v: %v", c, row.verdict(math.Log(1.1), 0.05))
		}
	}
}

// The state of the machine is that of three others of the cell, or of all cells, and of no other rows of the structure itself.
func TestTheShiftIsThatOfThreeOthers(t *testing.T) {
	at := func(of string, cell int, ratio float64) *pair {
		return &pair{of: of, cell: cell, measured: Ratio{SE: 0.1}.moved(math.Log(ratio), 0.1, 10)}
	}
	p, noError := at("a", 1, 9), at("e", 1, 9)
	noError.measured.SE = math.NaN()
	cell, own := []*pair{p, at("b", 1, 2), at("c", 1, 3), noError}, at("a", 2, 9)
	for _, c := range []struct {
		more  []*pair
		shift float64
		of    int
	}{
		{nil, 1, 0}, {[]*pair{own}, 1, 0}, {[]*pair{own, at("b", 2, 5)}, 3, 3}, {[]*pair{at("d", 1, 4), at("b", 2, 9)}, 3, 3},
	} {
		if log, of := p.shiftOf(p.others(slices.Concat(cell, c.more))); of != c.of || math.Abs(math.Exp(log)-c.shift) > 1e-9 {
			t.Errorf("%d more pairs: %g of %d, want %g of %d", len(c.more), math.Exp(log), of, c.shift, c.of)
		}
	}
	if s := betweenRuns([]*pair{at("a", 1, 2), at("b", 1, 2.1), at("c", 1, 2.2)}); s.all <= 0 {
		t.Errorf("three pairs: %+v", s)
	}
}

// What the runs of a side measured is summed up, each failure once, and each trial has its place.
func TestRunsAreMerged(t *testing.T) {
	failure := func(of string) results.Failure { return results.Failure{Structure: of} }
	run := func(seconds float64, complete bool, failures ...results.Failure) *results.Run {
		r := &results.Run{Complete: complete, Seconds: seconds, Failures: failures, Parameters: results.Parameters{Trials: 2}}
		row := results.Row{Structure: "a", Cost: []results.Trial{{Round: 1}, {Round: 2}}, ByKind: []results.Trial{{Round: 3}}, WithGC: []results.Trial{{}}}
		r.Cells = []results.Cell{{Workload: "hold", N: 10, Seconds: seconds / 2, Rows: []results.Row{row}}}
		return r
	}
	got := merge([]*results.Run{run(4, true, failure("b")), run(6, false, failure("b"), failure("c")), run(8, true)}, "s", 1)
	c := got.Cells[0]
	if len(got.Cells) != 1 || got.Seconds != 18 || c.Seconds != 9 || got.Complete || !slices.Equal(got.Failures, []results.Failure{failure("b"), failure("c")}) {
		t.Errorf("%+v", got)
	}
	if p := got.Parameters; p.Trials != 6 || p.Layouts != 0 || p.Session != "s" || p.Repeat != Ages {
		t.Errorf("%+v", p)
	}
	row := c.Rows[0]
	if row.WithGC != nil || len(row.Cost) != 6 || len(row.ByKind) != 3 {
		t.Fatalf("%+v", row)
	}
	for i, trial := range append(row.Cost, row.ByKind...) {
		pair, round := i/2, 1+i%2
		if i >= 6 {
			pair, round = i-6, 3
		}
		if trial.Instance != pair || trial.Round != round+pair*roundsPerRun || trial.Layout != 0 {
			t.Errorf("trial %d: %+v", i, trial)
		}
	}
}
