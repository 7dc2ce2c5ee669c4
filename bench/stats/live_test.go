package stats

import (
	"math"
	"testing"

	"github.com/timerbench/timerbench/bench/results"
)

// Ratios are taken round by round, between operations that replace each other.
func TestRatio(t *testing.T) {
	slice := func(op results.Op, round int, perSecond int) results.LiveThroughput {
		return results.LiveThroughput{Op: op, Goroutines: 2, Turn: round, Ops: perSecond, NS: 1e9}
	}
	base := results.LiveRow{Throughput: []results.LiveThroughput{
		slice(results.StartStop(results.FormAfterFunc), 0, 10), slice(results.StartStop(results.FormAfterFunc), 1, 20), slice(results.StartStop(results.FormAfterFunc), 2, 40),
	}}
	row := results.LiveRow{Throughput: []results.LiveThroughput{
		slice(results.StartStop(results.FormSchedule), 0, 20), slice(results.StartStop(results.FormSchedule), 1, 80), slice(results.StartStop(results.FormSchedule), 2, 120), slice(results.OpReset, 0, 1),
	}}
	if got := LiveRelative(row, base, results.StartStop(results.FormSchedule), 2, results.LiveThroughput.PerSecond); math.Abs(got-3) > 1e-9 {
		t.Errorf("%g", got)
	}
	if got := LiveRelative(row, row, results.StartStop(results.FormSchedule), 2, results.LiveThroughput.PerSecond); got != 1 {
		t.Errorf("%g of itself", got)
	}
	if got := LiveRelative(row, base, results.StartStop(results.FormSchedule), 4, results.LiveThroughput.PerSecond); !math.IsNaN(got) {
		t.Errorf("%g for what was not measured", got)
	}
	if got := LiveRelative(row, base, results.OpReset, 2, results.LiveThroughput.PerSecond); !math.IsNaN(got) {
		t.Errorf("%g of nothing", got)
	}
	if got := LiveOver(row, results.StartStop(results.FormSchedule), 2, results.LiveThroughput.PerSecond); math.Abs(got-80) > 1e-9 {
		t.Errorf("%g", got)
	}
	if got := LiveOver(row, results.OpFire, 2, results.LiveThroughput.PerSecond); !math.IsNaN(got) {
		t.Error("a throughput of what was not measured")
	}
}
