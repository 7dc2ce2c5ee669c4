package bench

// seconds estimates the duration of the cell, for the plan of a run: how long it takes, and how
// it is divided into shards. Such estimates depend on the configuration alone, so that all
// shards of a run divide it in the same way. They were fitted to a virtual machine of 2 cores
// at 2.5 GHz.
func (c cell) seconds(structures int) float64 {
	const (
		perOp   = 60e-9  // of a contender whose timers are in the cache
		missing = 140e-9 // added among many timers
		proof   = 250e-9 // of an operation whose every answer is checked
		fixed   = 0.05   // of a pass
	)
	many := float64(c.n) / float64(c.n+50_000)
	op := perOp + missing*many
	block := float64(c.block())
	passes, rounds := float64(c.common()), min(c.trials, c.common()*c.perPass)
	perPass := float64(c.n) + float64(c.agePeriod()) // fill, and the longest ageing
	modes := 0.0
	for round := range rounds {
		modes += float64(len(c.modes(round)))
	}
	timed := modes * block
	if c.cyclic() {
		perPass = float64(c.n)
		timed = modes * max(2*float64(c.n), block)
	}
	contenders := float64(structures + 3)
	otherSeeds := float64(c.otherSeeds) * (float64(c.n) + float64(c.trials)*block)
	proved := max(block, float64(proveSize(c.proveOps, c.n)))
	return fixed*passes + contenders*(op*(passes*perPass+timed+otherSeeds)+proof*proved)
}
