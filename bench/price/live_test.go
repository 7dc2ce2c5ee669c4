package price

import (
	"math"
	"testing"

	"github.com/timerbench/timerbench/bench/results"
)

// Ratios are taken round by round, between operations that replace each other.
func TestRatio(t *testing.T) {
	old, new := results.StartStop(results.FormAfterFunc), results.StartStop(results.FormSchedule)
	slice := func(op results.Op, round int, ns float64) results.LiveThroughput {
		return results.LiveThroughput{Op: op, Goroutines: 2, Turn: round, Ops: 1, NS: ns}
	}
	base := results.LiveRow{Throughput: []results.LiveThroughput{slice(old, 0, 10), slice(old, 1, 20), slice(old, 2, 40)}}
	row := results.LiveRow{Throughput: []results.LiveThroughput{
		slice(new, 0, 20), slice(new, 1, 80), slice(new, 2, 120), slice(results.OpReset, 0, 1),
	}}
	for name, test := range map[string]struct{ got, want float64 }{
		"of the old one":           {Relative(row, base, new, 2), 3},
		"of itself":                {Relative(row, row, new, 2), 1},
		"on other goroutines":      {Relative(row, base, new, 4), math.NaN()},
		"of nothing":               {Relative(row, base, results.OpReset, 2), math.NaN()},
		"over all rounds":          {Over(row, new, 2), 80},
		"of what was not measured": {Over(row, results.OpFire, 2), math.NaN()},
	} {
		if math.Abs(test.got-test.want) > 1e-9 || math.IsNaN(test.got) != math.IsNaN(test.want) {
			t.Errorf("%s: %g, want %g", name, test.got, test.want)
		}
	}
}
