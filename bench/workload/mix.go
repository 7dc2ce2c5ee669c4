package workload

import "fmt"

// newGrid is one cell of the comparison grid: timers arrive, a share of them is
// cancelled before it fires, the others fire, and the clock moves on.
//
// Shares and delays are chosen.
func newGrid(delay Delay, cancelPercent int) Workload {
	return Workload{
		Name:     fmt.Sprintf("grid-%s-%d", delay.Kind, cancelPercent),
		Category: Grid,
		Grid:     &GridPlace{delay.Kind, cancelPercent},
		Summary:  fmt.Sprintf("%s delays, %d %% cancelled before they fire", delay.Kind, cancelPercent),
		Source:   "chosen; " + delay.doc(),
		Tick:     millisecond,
		Model:    mix(delay, Shares{Cancel: Share(cancelPercent) / 100}),
	}
}

// newPeriodic has only periodic timers (chosen).
func newPeriodic(delay Delay) Workload {
	return Workload{
		Name:     "periodic",
		Category: Synthetic,
		Summary:  "every timer is scheduled again with its own period when it fires",
		Source:   "chosen",
		Tick:     millisecond,
		Model:    mix(delay, Shares{Periodic: 1}),
	}
}

// newMixed has timers of all kinds. The shares are chosen.
func newMixed(delay Delay) Workload {
	return Workload{
		Name:     "mixed",
		Category: Synthetic,
		Summary:  "of the timers that come 40 % are cancelled and 20 % moved; a fifth of the population is periodic",
		Source:   "chosen",
		Tick:     millisecond,
		Model:    mix(delay, Shares{Cancel: 0.4, Reschedule: 0.2, Periodic: 0.2}),
	}
}

// mix returns a flow of one class that takes any population.
func mix(delay Delay, shares Shares) *Flow {
	return &Flow{Classes: []Class{{Delay: delay, Shares: &shares}}}
}
