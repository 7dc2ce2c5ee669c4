package answer

import (
	"testing"

	"github.com/timerbench/timerbench/bench/results"
)

// A percentile is known if its interval spans at most a factor of 10.
func TestAPercentileOfFewSamplesIsNotKnown(t *testing.T) {
	of := func(samples int64, longest float64) results.Latency {
		return results.Latency{Samples: samples, P50: 50, P90: 60, P99: 100, P999: 200, Max: longest}
	}
	for _, c := range []struct {
		l    results.Latency
		q    float64
		want bool
	}{
		{of(10, 1000), 0.5, true}, {of(5, 1000), 0.5, false},
		{of(200, 1000), 0.99, false}, {of(1000, 1000), 0.99, true}, {of(1000, 1000), 0.999, false},
		{of(4000, 1500), 0.999, true},  // the longest call is the upper end
		{of(4000, 50e3), 0.999, false}, // and is too far away
		{of(100_000, 50e3), 0.999, true}, {of(0, 0), 0.5, false},
	} {
		if got := KnowsQuantile(c.l, c.q); got != c.want {
			t.Errorf("%g of %d samples up to %g ns: known %v, want %v", c.q, c.l.Samples, c.l.Max, got, c.want)
		}
	}
}
