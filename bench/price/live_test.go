package price

import (
	"math"
	"testing"

	"github.com/timerbench/timerbench/bench/results"
)

// Ratios are taken round by round, between operations that replace each other.
func TestRatio(t *testing.T) {
	old, new := results.StartStop(results.FormAfterFunc), results.StartStop(results.FormSchedule)
	slice := func(op results.Op, round int, perSecond int) results.LiveThroughput {
		return results.LiveThroughput{Op: op, Goroutines: 2, Turn: round, Ops: perSecond, NS: 1e9}
	}
	base := results.LiveRow{Throughput: []results.LiveThroughput{slice(old, 0, 10), slice(old, 1, 20), slice(old, 2, 40)}}
	row := results.LiveRow{Throughput: []results.LiveThroughput{
		slice(new, 0, 20), slice(new, 1, 80), slice(new, 2, 120), slice(results.OpReset, 0, 1),
	}}
	perSecond, nan := results.LiveThroughput.PerSecond, math.NaN()
	for name, test := range map[string]struct{ got, want float64 }{
		"of the old one":           {Relative(row, base, new, 2, perSecond), 3},
		"of itself":                {Relative(row, row, new, 2, perSecond), 1},
		"on other goroutines":      {Relative(row, base, new, 4, perSecond), nan},
		"of nothing":               {Relative(row, base, results.OpReset, 2, perSecond), nan},
		"over all rounds":          {Over(row, new, 2, perSecond), 80},
		"of what was not measured": {Over(row, results.OpFire, 2, perSecond), nan},
	} {
		if math.Abs(test.got-test.want) > 1e-9 || math.IsNaN(test.got) != math.IsNaN(test.want) {
			t.Errorf("%s: %g, want %g", name, test.got, test.want)
		}
	}
}
