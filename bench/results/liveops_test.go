package results

import (
	"math"
	"testing"
)

// Ratios are taken round by round, between operations that replace each other.
func TestRatio(t *testing.T) {
	slice := func(op Op, round int, perSecond int) LiveThroughput {
		return LiveThroughput{Op: op, Goroutines: 2, Turn: round, Ops: perSecond, NS: 1e9}
	}
	base := LiveRow{Throughput: []LiveThroughput{
		slice(StartStop(FormAfterFunc), 0, 10), slice(StartStop(FormAfterFunc), 1, 20), slice(StartStop(FormAfterFunc), 2, 40),
	}}
	row := LiveRow{Throughput: []LiveThroughput{
		slice(StartStop(FormSchedule), 0, 20), slice(StartStop(FormSchedule), 1, 80), slice(StartStop(FormSchedule), 2, 120), slice(OpReset, 0, 1),
	}}
	if got := row.Relative(base, StartStop(FormSchedule), 2, LiveThroughput.PerSecond); math.Abs(got-3) > 1e-9 {
		t.Errorf("%g", got)
	}
	if got := row.Relative(base, StartStop(FormSchedule), 4, LiveThroughput.PerSecond); !math.IsNaN(got) {
		t.Errorf("%g for what was not measured", got)
	}
	if got := row.Relative(base, OpReset, 2, LiveThroughput.PerSecond); !math.IsNaN(got) {
		t.Errorf("%g of nothing", got)
	}
	if got := row.Over(StartStop(FormSchedule), 2, LiveThroughput.PerSecond); math.Abs(got-80) > 1e-9 {
		t.Errorf("%g", got)
	}
	if got := row.Over(OpFire, 2, LiveThroughput.PerSecond); !math.IsNaN(got) {
		t.Error("a throughput of what was not measured")
	}
}
