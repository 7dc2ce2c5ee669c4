package compare

import (
	"math"
	"testing"

	"github.com/timerbench/timerbench/bench/stats"
)

// The floor is what controls of the kind differ by, and at least the 99th percentile of
// Student's t with the error of the rounds.
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
