package bench

import (
	"context"
	"iter"
	"slices"

	"github.com/timerbench/timerbench/bench/analysis"
	"github.com/timerbench/timerbench/bench/internal/dist"
	"github.com/timerbench/timerbench/bench/replay"
	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/bench/workload"
	"github.com/timerbench/timerbench/structures/entry"
)

// step is a part of a run. Its results are saved as soon as it is done.
type step struct {
	name    string
	cell    cell                         // zero: an analysis
	rounds  int                          // of a cell
	seconds func(structures int) float64 // estimated duration
	entries []entry.Entry
	run     func(context.Context, []entry.Entry, *results.Run) error
}

func (s step) duration() float64 { return s.seconds(len(s.entries)) }

// stepsOf lists the steps of a run. Those of the cells that are open after
// it are entered in the agenda, which may be nil.
func stepsOf(cfg Config, clock replay.Clock, todo *agenda) []step {
	var steps []step
	collected := make(map[script.Unit]bool) // units of which a cell has trials with the collector on
	largest := cfg.largestSize()
	for w, n := range cfg.cells() {
		entries := cfg.entries(n)
		c := cfg.cell(w, n, clock)
		if cfg.Profile.timesCalls(w) {
			steps = append(steps, analysisStep(c.calls(), entries,
				func(r *results.Run) *[]results.Calls { return &r.Calls }))
			continue
		}
		if unit := w.CostUnit(); cfg.Turns == nil && !c.lean && n == largest && !collected[unit] {
			c.withGC, collected[unit] = true, true
		}
		c.headline = n == cfg.headline(w)
		steps = append(steps, c.step(entries, todo))
	}
	if cfg.Profile.lean {
		for _, n := range cfg.allSizes() {
			steps = append(steps, analysisStep(analysis.MemoryFloor{N: n}, nil,
				func(r *results.Run) *[]results.MemoryFloor { return &r.MemoryFloors }))
		}
	}
	for _, t := range cfg.Traces {
		if entries := cfg.entries(int(t.Summary.Totals.Keys)); len(entries) > 0 {
			steps = append(steps, t.step(cfg, clock, entries, todo))
		}
	}
	for _, n := range cfg.memorySizes() {
		entries := cfg.entries(n)
		if cfg.Profile.lean && n <= mostGoTimers {
			entries = append(entries, goTimers)
		}
		replaced := min(cfg.Profile.replacedPerTimer*n, cfg.Profile.maxReplaced)
		steps = append(steps, analysisStep(analysis.Memory{N: n, Replaced: replaced, Seed: cfg.Seed},
			entries, func(r *results.Run) *[]results.Memory { return &r.Memory }))
	}
	if !cfg.wantsIdle() {
		return steps
	}
	for _, n := range analysis.IdlePopulations {
		for _, delay := range dist.Grid() {
			idle := analysis.Idle{Delays: delay.Name, N: n, Ticks: cfg.Profile.idleTicks, Seed: cfg.Seed}
			steps = append(steps, analysisStep(idle, cfg.Structures,
				func(r *results.Run) *[]results.Idle { return &r.Idle }))
		}
	}
	return steps
}

func (c cell) step(entries []entry.Entry, todo *agenda) step {
	return step{
		name: c.name(), cell: c, rounds: min(c.trials, c.common()*c.perPass), entries: entries, seconds: c.seconds,
		run: func(ctx context.Context, entries []entry.Entry, r *results.Run) error {
			entries, out := c.leaveOut(entries, r.Cells)
			m, err := c.measure(ctx, entries)
			if err != nil {
				return err
			}
			m.leftOut = out
			todo.enter(m)
			if c.withGC {
				if err := m.passWithGC(ctx); err != nil {
					return err
				}
			}
			m.store(r)
			return nil
		},
	}
}

// analysisStep returns the step that runs an analysis beside the cells, and adds its results
// to those that to names.
func analysisStep[R any](a interface {
	Name() string
	Seconds(structures int) float64
	Run(context.Context, []entry.Entry) ([]R, []results.Failure, error)
}, entries []entry.Entry, to func(*results.Run) *[]R) step {
	return step{
		name: a.Name(), entries: entries, seconds: a.Seconds,
		run: func(ctx context.Context, entries []entry.Entry, r *results.Run) error {
			found, failed, err := a.Run(ctx, entries)
			*to(r) = append(*to(r), found...)
			r.Failures = append(r.Failures, failed...)
			return err
		},
	}
}

// roundsPerPass is the number of rounds that one instance replays (chosen): two show what
// varies between rounds, and more instances say more than more rounds.
const roundsPerPass = 2

// roundsPerFrugalPass is roundsPerPass of cells of very many timers, where filling and ageing an
// instance takes longer than its rounds (chosen).
const roundsPerFrugalPass = 3

func (cfg Config) cell(w workload.Workload, n int, clock replay.Clock) cell {
	c := cell{
		workload: w, n: n, seed: cfg.Seed, trials: cfg.Trials, perPass: roundsPerPass, clock: clock,
		proveOps: cfg.Profile.proveOps, open: openScript, turns: cfg.Turns,
		lean: cfg.Profile.lean, external: cfg.programs,
	}
	if w.Resident > 0 {
		c.otherSeeds = cfg.Profile.otherSeeds
	}
	c.apart, c.budgeted = cfg.apart[c.name()], cfg.Budget > 0
	c.beFrugal(cfg)
	if cfg.Turns != nil || c.lean {
		c.perPass = max(1, cfg.Trials)
	}
	return c
}

func (c cell) calls() analysis.Calls {
	return analysis.Calls{Workload: c.workload, N: c.n, Seed: c.seed, Block: c.block()}
}

// instances returns the least number of instances of a contender in a cell. Traces count as
// other cells do.
func (cfg Config) instances() int {
	least := cell{trials: cfg.Trials, perPass: roundsPerPass}.passes()
	for _, w := range cfg.Workloads {
		for _, n := range cfg.sizes(w) {
			least = min(least, cfg.cell(w, n, replay.Clock{}).passes())
		}
	}
	return least
}

// cells goes through the workloads of the run at each of their sizes, where a structure of
// the choice takes part.
func (cfg Config) cells() iter.Seq2[workload.Workload, int] {
	return func(yield func(workload.Workload, int) bool) {
		for _, w := range cfg.Workloads {
			for _, n := range cfg.sizes(w) {
				if len(cfg.entries(n)) > 0 && !yield(w, n) {
					return
				}
			}
		}
	}
}

// headline returns the size at which the first table of the report shows a workload: the
// largest one up to [results.TypicalN] at which all structures take part, or if there is none,
// the smallest such one, or else the largest one.
func (cfg Config) headline(w workload.Workload) int {
	var whole []int
	sizes := slices.Sorted(slices.Values(cfg.sizes(w)))
	for _, n := range sizes {
		c := cell{workload: w, n: n}
		if c.beFrugal(cfg); c.tooSlow == 0 {
			whole = append(whole, n)
		}
	}
	switch {
	case len(sizes) == 0:
		return 0
	case len(whole) == 0:
		return sizes[len(sizes)-1]
	}
	i, _ := slices.BinarySearch(whole, results.TypicalN+1)
	return whole[max(0, i-1)]
}

// wantsIdle reports whether the run includes the analysis of idle wake-ups. It does if
// it includes the workload IdleName and takes no turns.
func (cfg Config) wantsIdle() bool {
	return cfg.Turns == nil && slices.ContainsFunc(cfg.Workloads, func(w workload.Workload) bool {
		return w.Name == workload.IdleName
	})
}

// memorySizes returns the sizes of the memory analysis, at which a structure takes part.
func (cfg Config) memorySizes() []int {
	sizes := cfg.Profile.memorySizes
	if len(cfg.N) > 0 {
		sizes = cfg.N
	}
	if cfg.Turns != nil || len(cfg.Workloads) == 0 {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(sizes), func(n int) bool { return len(cfg.entries(n)) == 0 })
}

// entries returns the structures that run on n timers. Sizes that the user has given
// override the limit of the profile, but not that of the structure.
func (cfg Config) entries(n int) []entry.Entry {
	profile := cfg.Profile
	if len(cfg.N) > 0 {
		profile.thirdParty = 0
	}
	return slices.DeleteFunc(slices.Clone(cfg.Structures), func(e entry.Entry) bool {
		return !profile.fits(e, n)
	})
}

func (cfg Config) allSizes() []int {
	var out []int
	for _, w := range cfg.Workloads {
		for _, n := range cfg.sizes(w) {
			if !slices.Contains(out, n) {
				out = append(out, n)
			}
		}
	}
	return out
}

// largestSize returns the largest size of the run that is not a workload's own.
func (cfg Config) largestSize() int {
	sizes := cfg.N
	if len(sizes) == 0 {
		sizes = cfg.Profile.sizes
	}
	return slices.Max(append([]int{0}, sizes...))
}

func (cfg Config) sizes(w workload.Workload) []int {
	if len(cfg.N) > 0 {
		return cfg.N
	}
	return cfg.Profile.sizesOf(w)
}

// seconds estimates the duration of the cell. The estimates were fitted to a virtual machine of
// 2 cores at 2.5 GHz.
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
	contenders := float64(structures + len(c.takingPart()) + 3)
	otherSeeds := float64(c.otherSeeds) * (float64(c.n) + float64(c.trials)*block)
	proved := max(block, float64(proveSize(c.proveOps, c.n)))
	return fixed*passes + contenders*(op*(passes*perPass+timed+otherSeeds)+proof*proved)
}

// Plan says what a run will do.
type Plan struct {
	Steps   []PlannedStep
	Seconds float64 // of all steps, estimated
}

// PlannedStep is a step of a run.
type PlannedStep struct {
	Name       string
	Rounds     int // that every contender gets; 0: not a cell
	Structures int
	Seconds    float64 // estimated
}

// PlanRun returns what a run with this configuration will do, without running it.
func PlanRun(cfg Config) Plan {
	cfg = cfg.withDefaults()
	var p Plan
	for _, s := range stepsOf(cfg, replay.Clock{}, nil) {
		p.Steps = append(p.Steps, PlannedStep{s.name, s.rounds, len(s.entries), s.duration()})
		p.Seconds += s.duration()
	}
	return p
}
