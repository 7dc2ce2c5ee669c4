package results

// IdleTicks are the ticks of a script with one shape of deadlines on which nothing fires, and what they cost.
type IdleTicks struct {
	Shape      Shape        `json:"shape"`
	N          int          `json:"n"`
	Ticks      uint64       `json:"ticks"`                 // virtual time of the script
	Idle       uint64       `json:"idle_ticks"`            // ticks on which nothing fires, the same for all exact structures
	Fired      uint64       `json:"fired"`                 // timers
	FlatRounds uint64       `json:"flat_rounds,omitempty"` // timers that a classical flat wheel of 1,000 slots passes before they are due
	Structures []IdleTickOf `json:"structures,omitempty"`
}

// Shape is how the deadlines of idle ticks lie.
type Shape string

// The shapes. Deadlines on round times are those of periods that all began at the same time. The timers of the other shapes
// start at spread times.
const (
	Uniform       Shape = "uniform"
	Clustered     Shape = "clustered"
	RoundTimes    Shape = "round times"
	HalfCancelled Shape = "half cancelled" // uniform delays; half of the timers are cancelled before they fire
)

// IdleTickOf is what a structure does on the ticks of a script.
type IdleTickOf struct {
	Structure string  `json:"structure"`
	NS        float64 `json:"ns,omitempty"`           // of an idle tick under the ticking driver; 0: not measured
	Vain      uint64  `json:"vain"`                   // timers moved, stale entries dropped, entries of a list scanned, under the ticking driver
	Wakeups   uint64  `json:"idle_wakeups,omitempty"` // of the tickless driver
}
