package bench

import "github.com/timerbench/timerbench/bench/counters"

// hardware counts what the processor does in the cost trials of a cell. It belongs to
// the goroutine that opened it.
type hardware struct {
	set *counters.Set // nil: there are none; the findings of the machine say why
}

func openHardware() hardware {
	set, err := counters.Open()
	if err != nil {
		return hardware{}
	}
	return hardware{set}
}

func (h hardware) close() {
	if h.set != nil {
		_ = h.set.Close() // nothing was written
	}
}

// hardwareCounts is what was counted for a contender, in so many units.
type hardwareCounts struct {
	counts counters.Counts
	units  float64
}

// count calls replay, which does so many units, and adds what it takes to into.
func (h hardware) count(into *hardwareCounts, units float64, replay func()) {
	if h.set == nil || h.set.Start() != nil {
		replay()
		return
	}
	replay()
	if counts, err := h.set.Stop(); err == nil {
		into.add(counts, units)
	}
}

func (c *hardwareCounts) add(counts counters.Counts, units float64) {
	if c.counts == nil {
		c.counts = make(counters.Counts)
	}
	c.counts.Add(counts)
	c.units += units
}

// perUnit returns the counts of one unit, or nil if nothing was counted.
func (c hardwareCounts) perUnit() map[string]float64 {
	if c.units == 0 {
		return nil
	}
	out := make(map[string]float64, len(c.counts))
	for name, n := range c.counts {
		out[name] = n / c.units
	}
	return out
}
