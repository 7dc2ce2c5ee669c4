package draw

import (
	"fmt"
	"testing"
)

func TestLogTicks(t *testing.T) {
	label := func(v float64) string { return fmt.Sprint(v) }
	for _, s := range []Span{{1, 10}, {0.001, 1e9}, {40, 60}, {3, 700}, Span{}.Around(2, 2), Span{5, 5}.Around(1, 1)} {
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

func TestFixedTicksEndWithTheAxis(t *testing.T) {
	got := TicksAt([]int{1, 10, 100}, func(v float64) string { return fmt.Sprint(v) }).Ticks(2, 50)
	if len(got) != 1 || got[0].Value != 10 || got[0].Label != "10" {
		t.Errorf("%+v", got)
	}
}

func TestASpanLeavesOutWhatHasNoLogarithm(t *testing.T) {
	var s Span
	s.Add(0, -1)
	if !s.Empty() {
		t.Errorf("%+v", s)
	}
	s.Add(3, 0, 7, 5)
	if s.min != 3 || s.max != 7 || s.Empty() {
		t.Errorf("%+v", s)
	}
}
