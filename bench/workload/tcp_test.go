package workload

import (
	"testing"
)

// Each kind of timer of a connection fires after the delay that the kernel gives
// it: the delays of what fires are those and no others.
func TestTCPTimersFireAfterTheirConstants(t *testing.T) {
	t.Parallel()
	s, _ := scriptOf(t, "tcp", 500)
	seen := map[string]int{}
	for _, f := range s.Next(300_000, nil).Fires {
		switch {
		case f.Delay == 40:
			seen["delayed acknowledgement"]++
		case f.Delay == 60_000:
			seen["TIME_WAIT"]++
		case f.Delay == 75_000:
			seen["probe"]++
		case f.Delay == 1000 || f.Delay == 2000:
			seen["first retransmission"]++
		case f.Delay > 200 && f.Delay <= 120_000:
			seen["retransmission"]++
		}
	}
	for _, kind := range []string{"delayed acknowledgement", "TIME_WAIT", "probe", "first retransmission", "retransmission"} {
		if seen[kind] == 0 {
			t.Errorf("no %s timer fires", kind)
		}
	}
}
