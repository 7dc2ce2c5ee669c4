package bench

import (
	"testing"
	"time"
)

// With a budget the single calls of two instances are sampled where the picture of latency shows them.
func TestABudgetSamplesTwoInstancesForTheRangesOfPercentiles(t *testing.T) {
	cfg := tinyRun(t, []string{"quadheap", "minheap", "hwheel"}, []string{"grid-uniform-50", "grid-uniform-0"})
	cfg.Budget.Limit = 20 * time.Second
	r := run(t, cfg)
	for _, c := range r.Cells {
		ranged := 0
		for _, row := range c.Rows {
			for _, l := range row.Latency {
				if l.P99Range != nil && l.P99Range[0] <= l.P99 && l.P99 <= l.P99Range[1] {
					ranged++
				}
			}
		}
		if half := c.Workload == "grid-uniform-50"; half != (ranged > 0) {
			t.Errorf("%s: %d distributions have a range", c.Workload, ranged)
		}
	}
}
