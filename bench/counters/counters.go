// Package counters reads the hardware counters of the processor: cycles,
// instructions, misses of the last cache and of the address translation.
//
// It uses perf_event_open of Linux. Most virtual machines and many containers have
// no counters; [Open] says why. The counters are those of one thread in user mode.
package counters

// Names of the counters.
const (
	Cycles       = "cycles"
	Instructions = "instructions"
	LLCMisses    = "llc-misses"
	DTLBMisses   = "dtlb-misses" // of loads
)

// Names lists all counters, in the order in which tables show them.
var Names = []string{Cycles, Instructions, LLCMisses, DTLBMisses}

// Counts holds the counters that this machine has, by name.
type Counts map[string]float64

// Add adds other to c, counter by counter.
func (c Counts) Add(other Counts) {
	for name, n := range other {
		c[name] += n
	}
}

// scaled estimates the count of an event that shared a register of the processor with
// other events, and so was counted only a part of the time.
func scaled(count, enabled, running uint64) float64 {
	if running == 0 {
		return 0
	}
	return float64(count) * (float64(enabled) / float64(running))
}
