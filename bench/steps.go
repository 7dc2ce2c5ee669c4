package bench

import (
	"cmp"
	"context"
	"slices"

	"github.com/timerbench/timerbench/bench/internal/dist"
	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/bench/workload"
	"github.com/timerbench/timerbench/structures/catalog"
)

// step is a part of a run. Its results are saved as soon as it is done.
type step struct {
	name    string
	rounds  int     // of a cell
	seconds float64 // estimated
	entries []catalog.Entry
	run     func(context.Context, *results.Run) error

	// some returns the step with some of its structures.
	some func(entries []catalog.Entry) step

	// once says that the step is the same for all code layouts, and that its structures are
	// not compared with one another in time.
	once bool
}

// stepsOf lists the steps of a run, or of one shard. The cells that are open after their
// step enter the race, which may be nil.
func stepsOf(cfg Config, clock Clock, racing *race) []step {
	steps := cfg.Shard.choose(allSteps(cfg, clock, racing))
	if cfg.Layout > 1 { // the first layout has what they have in common
		steps = slices.DeleteFunc(steps, func(s step) bool { return s.once })
	}
	return steps
}

// allSteps lists the steps of all shards.
func allSteps(cfg Config, clock Clock, racing *race) []step {
	var steps []step
	measured := make(map[int]bool)          // sizes at which a cell measures the memory
	collected := make(map[script.Unit]bool) // units of which a cell has trials with the garbage collector on
	largest := cfg.largestSize()
	for _, w := range cfg.Workloads {
		headline := cfg.headline(w)
		for _, n := range cfg.sizes(w) {
			entries := cfg.entries(n)
			if len(entries) == 0 {
				continue
			}
			otherSeeds := 0
			if w.Resident > 0 {
				otherSeeds = cfg.Profile.otherSeeds
			}
			c := cfg.cell(w, n, clock)
			if cfg.Profile.timesCalls(w) {
				steps = append(steps, callsCase{c}.step(entries))
				continue
			}
			// Among many timers, measuring the heap takes longer than the cell.
			const manyTimers = 100_000
			c.memory = cfg.Turns == nil && (n <= manyTimers || !measured[n])
			if unit := w.CostUnit(); cfg.Turns == nil && !c.lean && n == largest && !collected[unit] {
				c.withGC, collected[unit] = true, true
			}
			c.beFrugal(cfg)
			c.headline = n == headline
			measured[n] = true
			steps = append(steps, c.step(otherSeeds, entries, racing))
		}
	}
	if cfg.Profile.lean {
		for _, n := range cfg.allSizes() {
			steps = append(steps, memoryFloorCase{n}.step(nil))
		}
	}
	for _, t := range cfg.Traces {
		cell := t.cell(cfg.Trials, clock)
		if entries := cfg.entries(int(t.Summary.Totals.Keys)); len(entries) > 0 {
			s := cell.step(0, entries, nil)
			s.seconds = 100e-9 * float64(cell.passes()) * float64(t.Summary.Totals.Count()) * float64(len(entries)) // traces have no shards
			steps = append(steps, s)
		}
	}
	for i := range steps {
		steps[i] = steps[i].times(float64(max(1, cfg.Layouts)))
	}
	if !cfg.wantsIdle() {
		return steps
	}
	for _, n := range cfg.Profile.memorySizes {
		c := memoryCase{n, min(cfg.Profile.replacedPerTimer*n, cfg.Profile.maxReplaced), cfg.Seed}
		steps = append(steps, c.step(cfg.entries(n)))
	}
	for _, n := range idlePopulations {
		for _, delay := range dist.Grid() {
			c := idleCase{delay.Name, n, cfg.Profile.idleTicks, cfg.Seed}
			steps = append(steps, c.step(cfg.Structures))
		}
	}
	return steps
}

// headline returns the size at which the first table of the report shows a workload: the
// largest one at which all structures take part, or the largest one if there is none.
func (cfg Config) headline(w workload.Workload) int {
	largest, whole := 0, 0
	for _, n := range cfg.sizes(w) {
		c := cellConfig{workload: w, n: n}
		c.beFrugal(cfg)
		largest = max(largest, n)
		if c.hopeless == 0 {
			whole = max(whole, n)
		}
	}
	return cmp.Or(whole, largest)
}

// times multiplies the estimated duration.
func (s step) times(factor float64) step {
	out := s
	out.seconds *= factor
	out.some = func(entries []catalog.Entry) step { return s.some(entries).times(factor) }
	return out
}

// analysis is a part of a run beside the cells, whose results are of type R.
type analysis[R any] interface {
	name() string
	seconds(structures int) float64
	step(entries []catalog.Entry) step
	run(ctx context.Context, entries []catalog.Entry) ([]R, []results.Failure, error)
}

// stepOf returns the step that runs an analysis and adds its results to those that to names.
func stepOf[R any](a analysis[R], entries []catalog.Entry, to func(*results.Run) *[]R) step {
	return step{
		name: a.name(), seconds: a.seconds(len(entries)), entries: entries, some: a.step, once: true,
		run: func(ctx context.Context, r *results.Run) error {
			found, failed, err := a.run(ctx, entries)
			*to(r) = append(*to(r), found...)
			r.Failures = append(r.Failures, failed...)
			return err
		},
	}
}

func (c memoryCase) step(entries []catalog.Entry) step {
	return stepOf(c, entries, func(r *results.Run) *[]results.Memory { return &r.Memory })
}

func (c callsCase) step(entries []catalog.Entry) step {
	return stepOf(c, entries, func(r *results.Run) *[]results.Calls { return &r.Calls })
}

func (c idleCase) step(entries []catalog.Entry) step {
	return stepOf(c, entries, func(r *results.Run) *[]results.Idle { return &r.Idle })
}

// largestSize returns the largest size of the run that is not a workload's own.
func (cfg Config) largestSize() int {
	if len(cfg.N) > 0 {
		return slices.Max(cfg.N)
	}
	if len(cfg.Profile.sizes) > 0 {
		return slices.Max(cfg.Profile.sizes)
	}
	return 0
}

// roundsPerPass is the number of rounds that one instance replays (chosen): two show what
// varies between rounds, and more instances say more than more rounds.
const roundsPerPass = 2

// roundsPerFrugalPass is roundsPerPass of cells of very many timers, where filling and ageing an
// instance takes longer than its rounds (chosen).
const roundsPerFrugalPass = 3

// instances returns the least number of instances of a contender in a cell. Traces count as other cells do.
func (cfg Config) instances() int {
	least := cellConfig{trials: cfg.Trials, perPass: roundsPerPass}.passes()
	for _, w := range cfg.Workloads {
		for _, n := range cfg.sizes(w) {
			c := cfg.cell(w, n, Clock{})
			c.beFrugal(cfg)
			least = min(least, c.passes())
		}
	}
	return least
}

// cell returns the configuration of the cell of a workload at one size.
func (cfg Config) cell(w workload.Workload, n int, clock Clock) cellConfig {
	c := cellConfig{
		workload: w, n: n, seed: cfg.Seed, trials: cfg.Trials, perPass: roundsPerPass, clock: clock,
		proveOps: cfg.Profile.proveOps, open: openScript, layout: cfg.Layout, turns: cfg.Turns,
		lean: cfg.Profile.lean,
	}
	c.apart = cfg.apart[c.name()]
	if cfg.Turns != nil || c.lean {
		c.perPass = max(1, cfg.Trials)
	}
	if cfg.Shard.Of > 1 {
		c.reference = referenceOf(cfg.entries(n))
	}
	return c
}

// step returns the step that runs the cell and proves it on other seeds.
func (c cellConfig) step(otherSeeds int, entries []catalog.Entry, racing *race) step {
	return step{
		name:    c.name(),
		rounds:  c.trials,
		seconds: c.seconds(otherSeeds, len(entries)),
		entries: entries,
		some:    func(some []catalog.Entry) step { return c.step(otherSeeds, some, racing) },
		run: func(ctx context.Context, r *results.Run) error {
			entries, out := c.leaveOut(entries, r.Cells)
			run, err := c.measured(ctx, entries)
			if err != nil {
				return err
			}
			run.leftOut = out
			seeds := c
			seeds.memory = false
			var proofs []results.SeedProof
			for range otherSeeds {
				seeds.seed++
				proof, failed, err := seeds.proveSeed(ctx, entries)
				if err != nil {
					return err
				}
				run.fail(failed)
				proofs = append(proofs, proof)
			}
			racing.enter(run)
			if c.withGC {
				if err := run.runGC(ctx); err != nil {
					return err
				}
			}
			r.Failures = append(r.Failures, run.failed...)
			cell := run.result()
			cell.OtherSeeds = proofs
			if slices.ContainsFunc(cell.Rows, func(row results.Row) bool { return row.Role == results.RoleStructure }) {
				r.Cells = append(r.Cells, cell)
			}
			return nil
		},
	}
}

// wantsIdle reports whether the run includes the idle and memory analyses. It does if
// it includes the workload IdleName and takes no turns.
func (cfg Config) wantsIdle() bool {
	if cfg.Turns != nil {
		return false
	}
	for _, w := range cfg.Workloads {
		if w.Name == workload.IdleName {
			return true
		}
	}
	return false
}

// entries returns the structures that run on n timers. Sizes that the user has given
// override the limit of the profile, but not that of the structure.
func (cfg Config) entries(n int) []catalog.Entry {
	profile := cfg.Profile
	if len(cfg.N) > 0 {
		profile.thirdParty = 0
	}
	return slices.DeleteFunc(slices.Clone(cfg.Structures), func(e catalog.Entry) bool { return !profile.fits(e, n) })
}

// allSizes returns the sizes of all workloads, each once.
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

// sizes returns the sizes at which to run a workload.
func (cfg Config) sizes(w workload.Workload) []int {
	if len(cfg.N) > 0 {
		return cfg.N
	}
	return cfg.Profile.sizesOf(w)
}
