package bench

import "github.com/timerbench/timerbench/bench/workload"

// The durations are for the plan of a run: how long it takes, and how it is divided into
// shards. They depend on the configuration alone, so that all shards of a run divide it in
// the same way. They were fitted to a virtual machine of 2 cores at 2.5 GHz.

// seconds estimates the duration of the cell.
func (c cellConfig) seconds(otherSeeds, structures int) float64 {
	const (
		perOp   = 60e-9  // of a contender whose timers are in the cache
		missing = 140e-9 // added among many timers
		proof   = 250e-9 // of an operation whose every answer is checked
		fixed   = 0.05   // of a pass
	)
	many := float64(c.n) / float64(c.n+50_000)
	op := perOp + missing*many
	block := float64(c.block())
	passes := float64(c.passes())
	perPass := float64(c.n) + float64(c.agePeriod()) // fill, and the longest ageing
	modes := 0.0
	for round := range c.trials {
		modes += float64(len(c.modes(round)))
	}
	timed := modes * block
	if c.cyclic() {
		perPass = float64(c.n)
		timed = modes * max(2*float64(c.n), block)
	}
	contenders := float64(structures + 3)
	return fixed*passes + contenders*(op*(passes*perPass+timed+float64(otherSeeds)*(float64(c.n)+float64(c.trials)*block))+
		proof*max(block, float64(proveSize(c.proveOps, c.n))))
}

// seconds estimates the duration of the case: every answer proved once, and every call timed
// in each round.
func (c callsCase) seconds(structures int) float64 {
	const (
		perCall = 250e-9 // that schedules, cancels or fires
		perTick = 120e-9
		calls   = 5 // of a timer: with the fill and the replacements
	)
	ticks := 0.0
	if m, ok := c.workload.Model.(*workload.Avalanche); ok {
		ticks = float64(m.Period+m.Spread) / float64(c.workload.Tick)
	}
	return float64(structures) * (0.01 + callRounds*(calls*perCall*float64(c.n)+perTick*ticks))
}

// seconds estimates the duration of the memory analysis.
func (c memoryCase) seconds(structures int) float64 {
	return float64(structures) * (0.05 + 200e-9*float64(c.n+2*c.replaced))
}

// seconds estimates the duration of a case of the idle analysis: the counts and the timed
// passes, under both drivers.
func (c idleCase) seconds(structures int) float64 {
	return float64(structures) * 2 * (1 + timedPasses) * 30e-9 * float64(c.ticks)
}
