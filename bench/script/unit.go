package script

// Unit is the unit of the cost of a workload: time per lifecycle, for example.
type Unit string

// The units. A lifecycle is one timer that was scheduled and then fired or was cancelled.
const (
	PerLifecycle  Unit = "lifecycle"
	PerReschedule Unit = "reschedule" // for workloads that only move timers
	PerTick       Unit = "tick"       // for workloads in which few timers fire
	PerOperation  Unit = "operation"  // for traces: a timer scheduled, moved, cancelled or fired, or a wake-up
)
