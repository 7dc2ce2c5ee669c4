package workload

import (
	"time"

	"github.com/timerbench/timerbench/bench/internal/dist"
	"github.com/timerbench/timerbench/bench/script"
)

// StartStop schedules a timer and cancels it, again and again.
//
// Like [Churn] and [Reschedule] it never moves the clock. It measures calls among n
// resident timers, and Go's own timers can take part. It does not measure work that
// structures postpone until the clock moves, such as cascades. The grid does.
type StartStop struct {
	Delay Delay `toml:"delay,inline" comment:"of each timer"`
}

func newStartStop(delay Delay) Workload {
	return Workload{
		Name:     "start-stop",
		Category: Synthetic,
		Summary:  "schedule one, cancel it at once, among n resident timers",
		Source:   "Go's time benchmarks (BenchmarkStartStop), RussellLuo/timingwheel; delays chosen",
		Tick:     millisecond,
		Model:    &StartStop{Delay: delay},
	}
}

// New returns the process.
func (s *StartStop) New(n int, tick time.Duration) script.Process {
	return &startStop{n, s.Delay.dist(tick)}
}

type startStop struct {
	n     int
	delay dist.Dist
}

func (s *startStop) Fill(w *script.Writer, r *script.Rand) { fillFromDelays(w, r, s.n, s.delay) }

func (s *startStop) Step(w *script.Writer, r *script.Rand) {
	w.Cancel(w.Schedule(w.Now() + ticks(s.delay.Draw(r))))
}
