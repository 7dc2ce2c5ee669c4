package compare

import (
	"math"
	"testing"

	"github.com/timerbench/timerbench/bench/stats"
)

// What varies between runs and what the median of the others does not know are added to
// the error of a ratio.
func TestTheSpreadWidensARatio(t *testing.T) {
	t.Parallel()
	r := stats.Ratio{Interval: stats.Interval{Center: 1.2, DF: 30}, SE: 0.01, Pairs: 9}
	s := spread{all: 0.0005, extra: 0.0004, df: 20}
	near := func(a, b float64) bool { return math.Abs(a-b) < 1e-12 }
	raw := s.widen(r, 0, 0)
	if !near(raw.SE*raw.SE, 0.0001+0.0004) || !near(raw.Center, 1.2) || raw.DF < 10 || raw.DF > 50 {
		t.Errorf("%+v", raw)
	}
	beside := s.widen(r, math.Log(1.1), 5)
	if !near(beside.SE*beside.SE, 0.0001+0.0004+math.Pi/2*0.0005/5) || !near(beside.Center, 1.2/1.1) || beside.Lo >= beside.Center || beside.P <= raw.P {
		t.Errorf("%+v", beside)
	}
	if same := (spread{}).widen(r, 0, 0); !near(same.SE, 0.01) || !near(same.DF, 30) {
		t.Errorf("nothing is known, and %+v", same)
	}
	unknown := stats.Ratio{SE: math.NaN()}
	if got := s.widen(unknown, 1, 5); !math.IsNaN(got.SE) || got.Center != 0 {
		t.Errorf("%+v", got)
	}
}
