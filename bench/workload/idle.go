package workload

import (
	"time"

	"github.com/timerbench/timerbench/bench/script"
)

// IdleName is the workload that the idle analysis goes with.
const IdleName = "idle"

// newIdle pops at every tick, and few timers are ever due. A timer that fires is
// scheduled again.
//
// All parameters are chosen.
func newIdle() Workload {
	return Workload{
		Name:     IdleName,
		Category: Synthetic,
		Summary:  "1000 timers within the hour, popped at every millisecond: almost nothing is due",
		Source:   "chosen",
		Tick:     millisecond,
		Resident: 1000,
		Unit:     script.PerTick,
		Model: &Hold{
			Delay: Delay{Kind: "uniform", High: Duration(time.Hour)},
			Poll:  true,
		},
	}
}
