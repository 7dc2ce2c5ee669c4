package bench

import (
	"fmt"

	"github.com/timerbench/timerbench/bench/internal/dist"
)

// newGrid is one cell of the comparison grid: timers arrive, a share of them is
// cancelled before it fires, the others fire, and the clock moves on.
func newGrid(delay dist.Named, cancelPercent int) Workload {
	return Workload{
		Name:         fmt.Sprintf("grid-%s-%d", delay.Name, cancelPercent),
		Summary:      fmt.Sprintf("%s delays, %d %% cancelled before they fire", delay.Name, cancelPercent),
		Source:       "chosen; " + delay.Doc,
		Distribution: delay.Name,
		Tick:         millisecond,
		mixed:        true,
		New: func(n int) Process {
			return newMixFlow(n, delay.New(meanDelay), mix{Cancel: float64(cancelPercent) / 100})
		},
	}
}

// newPeriodic has nothing but periodic timers.
func newPeriodic(delay dist.Named) Workload {
	return Workload{
		Name:         "periodic",
		Summary:      "every timer is scheduled again with its own period when it fires",
		Source:       "chosen",
		Distribution: delay.Name,
		Tick:         millisecond,
		mixed:        true,
		New:          func(n int) Process { return newMixFlow(n, delay.New(meanDelay), mix{Periodic: 1}) },
	}
}

// newMixed has some of everything.
func newMixed(delay dist.Named) Workload {
	m := mix{Cancel: 0.4, Reschedule: 0.2, Periodic: 0.2}
	return Workload{
		Name:         "mixed",
		Summary:      "of the timers that come 40 % are cancelled and 20 % moved; a fifth of the population is periodic",
		Source:       "chosen",
		Distribution: delay.Name,
		Tick:         millisecond,
		mixed:        true,
		New:          func(n int) Process { return newMixFlow(n, delay.New(meanDelay), m) },
	}
}
