package bench

import (
	"runtime"
	"runtime/debug"
	"slices"

	"github.com/timerbench/timerbench/bench/replay"
	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/script"
)

type mode int

const (
	modeWarm    mode = iota // fills the caches; not timed
	modeCost                // times the whole block
	modeByKind              // reads the clock once per batch of operations
	modeLatency             // times a sample of single calls
	modeWithGC              // times the whole block with the garbage collector on
	modeUntimed             // makes the operations that are timed elsewhere
)

// String returns the name of the mode among the parts of a cell.
func (m mode) String() string {
	return [...]string{"warm-up", "cost", "by kind", "single calls", "cost", "warm-up"}[m]
}

// whole returns the mode of a contender that times whole blocks only, as programs do.
func (m mode) whole(cyclic bool) mode {
	switch {
	case m == modeWarm || m == modeCost:
		return m
	case m == modeByKind && cyclic:
		return modeCost
	}
	return modeUntimed
}

// trial replays a block of the segment and records its time and its allocations in t, which has the
// round and the instance. The garbage collector is off during the replay, so that the garbage of
// one structure does not cost another one time.
func (p *pass) trial(c *contender, b *script.Block, m mode, t results.Trial) error {
	if c.program {
		m = m.whole(p.cell.cyclic())
	}
	if m == modeLatency && c.samples == nil {
		m = modeUntimed
	}
	if m != modeWithGC {
		defer debug.SetGCPercent(debug.SetGCPercent(-1))
	}
	var before, after runtime.MemStats
	t.Ops, t.Wakes, t.Units = b.Calls, b.Pops, b.Units(p.cell.workload.CostUnit())
	runtime.ReadMemStats(&before)
	switch m {
	case modeWarm, modeUntimed, modeCost, modeWithGC:
		took, err := c.player.Replay(b, false)
		if t.NS = float64(took); err != nil || m == modeWarm || m == modeUntimed {
			return err
		}
	case modeByKind:
		t.Kinds = c.player.(*replay.Instance).TimeByKind(b, p.rig.clock)
		for _, k := range t.Kinds {
			t.NS += k.NS
		}
	case modeLatency:
		c.player.(*replay.Instance).Sample(b, c.samples)
		return nil
	}
	runtime.ReadMemStats(&after)
	t.Allocs = after.Mallocs - before.Mallocs
	t.AllocBytes = after.TotalAlloc - before.TotalAlloc
	if m == modeWithGC {
		c.WithGC = addTrial(c.WithGC, t)
		return nil
	}
	if m == modeByKind {
		c.ByKind = addTrial(c.ByKind, t)
	}
	if t.Kinds = nil; m == modeCost || p.cell.cyclic() {
		c.Cost = addTrial(c.Cost, t)
	}
	return nil
}

// addTrial appends a trial. If the last trial has the same round, t is another segment of the round,
// and addTrial adds it to the last trial.
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
