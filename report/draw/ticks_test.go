package draw

import (
	"fmt"
	"testing"
)

func TestLogTicks(t *testing.T) {
	label := func(v float64) string { return fmt.Sprint(v) }
	for _, s := range []span{{1, 10}, {0.001, 1e9}, {40, 60}, {3, 700}, span{}.around(2, 2), span{5, 5}.around(1, 1)} {
		for limit := 3; limit < 12; limit++ {
			labels := 0
			for _, tick := range (LogTicks{label, limit}).Ticks(s.min, s.max) {
				if tick.Label != "" {
					labels++
				}
			}
			if labels > limit || labels == 0 {
				t.Errorf("%v: %d labels, at most %d were asked for", s, labels, limit)
			}
		}
	}
}
