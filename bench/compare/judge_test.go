package compare

import (
	"math"
	"testing"

	"github.com/timerbench/timerbench/bench/stats"
)

// What varies between runs and what the median of the others does not know are added to
// the error of a ratio.
func TestTheSpreadWidensARatio(t *testing.T) {
	t.Parallel()
	r := stats.Ratio{Interval: stats.Interval{Center: 1.2, DF: 30}, SE: 0.01, Pairs: 9}
	s := spread{all: 0.0005, extra: 0.0004, df: 20}
	near := func(a, b float64) bool { return math.Abs(a-b) < 1e-12 }
	raw := s.widen(r, 0, 0)
	if !near(raw.SE*raw.SE, 0.0001+0.0004) || !near(raw.Center, 1.2) || raw.DF < 10 || raw.DF > 50 {
		t.Errorf("%+v", raw)
	}
	beside := s.widen(r, math.Log(1.1), 5)
	if !near(beside.SE*beside.SE, 0.0001+0.0004+math.Pi/2*0.0005/5) || !near(beside.Center, 1.2/1.1) || beside.Lo >= beside.Center || beside.P <= raw.P {
		t.Errorf("%+v", beside)
	}
	if same := (spread{}).widen(r, 0, 0); !near(same.SE, 0.01) || !near(same.DF, 30) {
		t.Errorf("nothing is known, and %+v", same)
	}
	unknown := stats.Ratio{SE: math.NaN()}
	if got := s.widen(unknown, 1, 5); !math.IsNaN(got.SE) || got.Center != 0 {
		t.Errorf("%+v", got)
	}
}

// The floor is what controls of the kind differ by, and at least the 99th percentile of Student's t with the error of
// the rounds.
func TestTheFloor(t *testing.T) {
	t.Parallel()
	rounds := func(values ...float64) (out []stats.Sample) {
		for i, v := range values {
			out = append(out, stats.Sample{Round: i, Value: v})
		}
		return out
	}
	alone := func(p stats.Pair) float64 { return floor(p, []stats.Pair{p}) }
	differs := stats.Pair{A: rounds(10, 10.1, 10, 10.1), B: rounds(10.7, 10.8, 10.8, 10.7)}
	if got, observed := alone(differs), math.Log(1.07); got < observed || got > 6*observed {
		t.Errorf("the floor is %g, the observed difference %g", got, observed)
	}
	calm := stats.Pair{A: rounds(10, 11, 10, 11), B: rounds(11, 10, 11, 10)}
	r, _ := stats.Paired(calm.A, calm.B, stats.Options{})
	if got, want := alone(calm), 5.841*r.SE; math.Abs(got/want-1) > 0.001 {
		t.Errorf("%g, want %g", got, want)
	}
	steady := stats.Pair{A: rounds(10, 10.01, 10, 10.01), B: rounds(10.01, 10, 10.01, 10)}
	few, many := floor(differs, []stats.Pair{differs, differs}), floor(differs, []stats.Pair{differs, steady, steady, steady, steady, steady, steady})
	if many >= few || many < math.Log(1.07)/math.Sqrt(7) {
		t.Errorf("one of seven controls that differs gives the floor %g, two of two %g", many, few)
	}
	for name, test := range map[string]stats.Pair{
		"one round": {A: rounds(1), B: rounds(2)}, "none": {}, "equal values": {A: rounds(1, 1, 1), B: rounds(1, 1, 1)},
	} {
		if f := alone(test); f != 0 {
			t.Errorf("%s: the floor is %g", name, f)
		}
	}
}
