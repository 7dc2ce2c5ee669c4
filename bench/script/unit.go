package script

// Unit is what the cost of a workload is counted per.
type Unit string

// The units. A lifecycle is a timer done with: scheduled, then fired or
// cancelled.
const (
	PerLifecycle  Unit = "lifecycle"
	PerReschedule Unit = "reschedule" // where timers are moved and never done with
	PerTick       Unit = "tick"       // where the clock moves and hardly anything fires
	PerOperation  Unit = "operation"  // of a trace: a call that schedules, moves, cancels or fires, or a wake-up
)
