package bench

import (
	"runtime"
	"runtime/debug"
	"slices"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/bench/workload"
)

// mode is the purpose for which a block is replayed.
type mode int

const (
	modeWarm    mode = iota // fills the caches; not timed
	modeCost                // times the whole block
	modeByKind              // reads the clock once per batch of operations
	modeLatency             // times a sample of single calls
)

// modes returns the modes of a round, in order: one block each.
//
// A block of a cyclic workload is long and has few batches. It needs no warm-up, its
// time by kind also gives the time of the whole block, and a quarter of the rounds
// gives enough latency samples.
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

// trial replays a block and records its time and its allocations. The garbage collector
// is off during the replay, so that the garbage of one structure costs another nothing.
func (c *cellRun) trial(row *contender, b *script.Block, m mode, round int) {
	row.reserve(b)
	percent := debug.SetGCPercent(-1)
	defer debug.SetGCPercent(percent)
	var before, after runtime.MemStats
	trial := results.Trial{Round: round, Ops: b.Calls, Wakes: b.Pops, Units: b.Units(c.workload.CostUnit())}
	runtime.ReadMemStats(&before)
	switch m {
	case modeWarm:
		row.replayWhole(b)
		return
	case modeCost:
		c.hardware.count(&row.counted, trial.Units, func() { trial.NS = float64(row.replayWhole(b)) })
	case modeByKind:
		trial.Kinds = row.replayByKind(b, c.clock)
		for _, k := range trial.Kinds {
			trial.NS += k.NS
		}
	case modeLatency:
		row.replaySampled(b, row.samples)
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

// addTrial appends a trial. If the last trial is of the same round, t is a further
// segment and is added to it.
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
