package bench

import (
	"testing"

	"github.com/timerbench/timerbench/bench/counters"
)

func TestHardwareCountsArePerUnit(t *testing.T) {
	t.Parallel()
	var c hardwareCounts
	if c.perUnit() != nil {
		t.Error("nothing was counted, and there are counts")
	}
	c.add(counters.Counts{counters.Cycles: 300, counters.LLCMisses: 5}, 10)
	c.add(counters.Counts{counters.Cycles: 500}, 30)
	got := c.perUnit()
	if got[counters.Cycles] != 20 || got[counters.LLCMisses] != 0.125 || len(got) != 2 {
		t.Errorf("%v", got)
	}
}

func TestWithoutCountersTheReplayRunsOnce(t *testing.T) {
	t.Parallel()
	calls := 0
	var c hardwareCounts
	hardware{}.count(&c, 1, func() { calls++ })
	if calls != 1 || c.perUnit() != nil {
		t.Errorf("%d calls, %v", calls, c.perUnit())
	}
}
