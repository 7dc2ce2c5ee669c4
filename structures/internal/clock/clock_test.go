package clock

import (
	"math"
	"testing"

	"github.com/timerbench/timerbench/structures"
)

func TestClampPutsThePastAtTheNextTick(t *testing.T) {
	for _, c := range []struct{ now, deadline, want structures.Tick }{
		{0, math.MinInt64, 1},
		{0, -1, 1},
		{0, 0, 1},
		{0, 1, 1},
		{0, 2, 2},
		{7, 6, 8},
		{7, 7, 8},
		{7, 8, 8},
		{7, math.MaxInt64, math.MaxInt64},
		{math.MaxInt64 - 1, 0, math.MaxInt64},
		{math.MaxInt64 - 1, math.MaxInt64, math.MaxInt64},
		{math.MaxInt64, 0, math.MaxInt64},
		{math.MaxInt64, math.MaxInt64, math.MaxInt64},
	} {
		var clk Clock
		clk.Advance(c.now)
		if got := clk.Clamp(c.deadline); got != c.want {
			t.Errorf("clock %d: Clamp(%d) = %d, want %d", c.now, c.deadline, got, c.want)
		}
	}
}

func TestAdvanceNeverGoesBack(t *testing.T) {
	var clk Clock
	for _, step := range []struct{ now, want structures.Tick }{
		{-5, 0}, {3, 3}, {2, 3}, {3, 3}, {math.MaxInt64, math.MaxInt64}, {0, math.MaxInt64},
	} {
		if got := clk.Advance(step.now); got != step.want || clk.Now() != step.want {
			t.Fatalf("Advance(%d) = %d, Now() = %d, want %d", step.now, got, clk.Now(), step.want)
		}
	}
}
