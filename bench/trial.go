package bench

import (
	"runtime"
	"runtime/debug"
	"slices"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/bench/workload"
)

// mode is what a block is replayed for.
type mode int

const (
	modeWarm    mode = iota // to fill the caches; not timed
	modeCost                // timed whole, no clock read inside
	modeByKind              // the clock read once per batch of operations
	modeLatency             // single calls stamped
)

// modes returns the blocks of a round. A block that is a whole cycle has a few
// long batches, and is long itself: it is warm for the most part, the time by
// kind is the time of the whole as well, and a quarter of the rounds give samples
// enough.
func (c cellConfig) modes(round int) []mode {
	switch {
	case !c.cyclic():
		return []mode{modeWarm, modeCost, modeByKind, modeLatency}
	case round%4 == 0:
		return []mode{modeByKind, modeLatency}
	}
	return []mode{modeByKind}
}

// cyclic reports whether a block is a whole cycle of all timers.
func (c cellConfig) cyclic() bool { return workload.KindOf(c.workload.Model).Cyclic }

// trial replays a block and keeps what it took. The collector is off meanwhile, so
// that garbage of one structure is not charged to another; what each allocates is
// counted.
func (c *cellRun) trial(row *contender, b *script.Block, m mode, round int) {
	row.reserve(b)
	percent := debug.SetGCPercent(-1)
	defer debug.SetGCPercent(percent)
	var before, after runtime.MemStats
	trial := results.Trial{Round: round, Ops: b.Calls, Wakes: b.Pops, Units: b.Units(c.workload.CostUnit())}
	runtime.ReadMemStats(&before)
	switch m {
	case modeWarm:
		row.whole(b)
		return
	case modeCost:
		trial.NS = float64(row.whole(b))
	case modeByKind:
		trial.Kinds = row.byKind(b, c.clock)
		for _, k := range trial.Kinds {
			trial.NS += k.NS
		}
	case modeLatency:
		row.sampled(b, row.samples)
		return
	}
	runtime.ReadMemStats(&after)
	trial.Allocs = after.Mallocs - before.Mallocs
	trial.AllocBytes = after.TotalAlloc - before.TotalAlloc
	if m == modeByKind {
		row.row.ByKind = addTrial(row.row.ByKind, trial)
	}
	if m == modeCost || c.cyclic() {
		trial.Kinds = nil
		row.row.Cost = addTrial(row.row.Cost, trial)
	}
}

// addTrial adds a trial to the others, or a further stretch to the last of them.
func addTrial(trials []results.Trial, t results.Trial) []results.Trial {
	n := len(trials)
	if n == 0 || trials[n-1].Round != t.Round {
		return append(trials, t)
	}
	sum := &trials[n-1]
	sum.NS += t.NS
	sum.Ops += t.Ops
	sum.Wakes += t.Wakes
	sum.Units += t.Units
	sum.Allocs += t.Allocs
	sum.AllocBytes += t.AllocBytes
	for _, k := range t.Kinds {
		i := slices.IndexFunc(sum.Kinds, func(old results.KindTime) bool { return old.Kind == k.Kind })
		if i < 0 {
			sum.Kinds = append(sum.Kinds, k)
			continue
		}
		sum.Kinds[i].Count += k.Count
		sum.Kinds[i].NS += k.NS
		sum.Kinds[i].ClockReads += k.ClockReads
	}
	return trials
}
