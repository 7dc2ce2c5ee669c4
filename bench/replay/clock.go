package replay

import (
	"time"

	"github.com/timerbench/timerbench/bench/stats"
)

// Clock is the cost and the resolution of this machine's clock, in nanoseconds. Reports show it.
type Clock struct {
	ReadNS float64 // median cost of one reading
	StepNS float64 // smallest nonzero difference between two readings
}

// MeasureClock measures the clock.
func MeasureClock() Clock {
	const batches, reads = 101, 2000
	epoch := time.Now()
	costs := make([]float64, batches)
	step := time.Hour
	for i := range costs {
		start := time.Since(epoch)
		last := start
		for range reads {
			now := time.Since(epoch)
			if d := now - last; d > 0 && d < step {
				step = d
			}
			last = now
		}
		costs[i] = float64(last-start) / reads
	}
	return Clock{ReadNS: stats.Median(costs), StepNS: float64(step)}
}
