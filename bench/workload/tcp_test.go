package workload

import (
	"testing"

	"github.com/timerbench/timerbench/bench/script"
)

// Gleixner: 99 % of the kernel's timers in networking are cancelled.
func TestTCPTimersAreCancelled(t *testing.T) {
	t.Parallel()
	const n = 20_000
	s, fill := scriptOf(t, "tcp", n)
	b := s.Next(600_000, nil)
	within(t, "residents at first", float64(fill.Want.Pending), n, 0.02)
	within(t, "residents", b.Resident, n, 0.02)
	cancelled := float64(b.Want.Cancelled - fill.Want.Cancelled)
	within(t, "share cancelled", cancelled/b.Units(script.PerLifecycle), 0.99, 0.002)
}

// Each kind of timer of a connection fires after the delay that the kernel gives
// it: the delays of what fires are those and no others.
func TestTCPTimersFireAfterTheirConstants(t *testing.T) {
	t.Parallel()
	s, _ := scriptOf(t, "tcp", 2_000)
	seen := map[string]int{}
	for _, f := range s.Next(1_000_000, nil).Fires {
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
