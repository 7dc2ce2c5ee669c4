package bench

import (
	"context"
	"fmt"
	"slices"

	"github.com/timerbench/timerbench/bench/internal/dist"
	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/workload"
	"github.com/timerbench/timerbench/structures/catalog"
)

// step is a part of a run. Its results are saved as soon as it is done.
type step struct {
	name         string
	expectedCost float64
	run          func(context.Context, *results.Run) error
}

// stepsOf lists the steps of a run.
func stepsOf(cfg Config, clock Clock) []step {
	var steps []step
	for _, w := range cfg.Workloads {
		for _, n := range cfg.sizes(w) {
			entries := cfg.entries(n)
			if len(entries) == 0 {
				continue
			}
			otherSeeds := 0
			if w.Resident > 0 {
				otherSeeds = cfg.Profile.otherSeeds
			}
			steps = append(steps, cfg.cell(w, n, clock).step(otherSeeds, entries))
		}
	}
	for _, t := range cfg.Traces {
		cell := t.cell(cfg.Trials, clock)
		if entries := cfg.entries(int(t.Summary.Totals.Keys)); len(entries) > 0 {
			s := cell.step(0, entries)
			s.expectedCost = float64(t.Summary.Totals.Count()) * float64(len(entries))
			steps = append(steps, s)
		}
	}
	if !cfg.wantsIdle() {
		return steps
	}
	for _, n := range cfg.Profile.memorySizes {
		entries := cfg.entries(n)
		c := memoryCase{n, min(cfg.Profile.replacedPerTimer*n, cfg.Profile.maxReplaced), cfg.Seed}
		steps = append(steps, step{
			name:         c.name(),
			expectedCost: float64(n+2*c.replaced) * float64(len(entries)),
			run: func(ctx context.Context, r *results.Run) error {
				measured, failed, err := c.run(ctx, entries)
				r.Memory = append(r.Memory, measured...)
				r.Failures = append(r.Failures, failed...)
				return err
			},
		})
	}
	for _, n := range idlePopulations {
		for _, delay := range dist.Grid() {
			c := idleCase{delay.Name, n, cfg.Profile.idleTicks, cfg.Seed}
			steps = append(steps, step{
				name:         c.name(),
				expectedCost: float64(cfg.Profile.idleTicks) * float64(len(cfg.Structures)),
				run: func(ctx context.Context, r *results.Run) error {
					counts, failed, err := c.run(ctx, cfg.Structures)
					r.Idle = append(r.Idle, counts...)
					r.Failures = append(r.Failures, failed...)
					return err
				},
			})
		}
	}
	return steps
}

// cell returns the configuration of the cell of a workload at one size.
func (cfg Config) cell(w workload.Workload, n int, clock Clock) cellConfig {
	return cellConfig{
		workload: w, n: n, seed: cfg.Seed, trials: cfg.Trials, clock: clock, proveOps: cfg.Profile.proveOps, open: openScript,
	}
}

// step returns the step that runs the cell and proves it on other seeds.
func (c cellConfig) step(otherSeeds int, entries []catalog.Entry) step {
	return step{
		name:         fmt.Sprintf("%s, n %d", c.workload.Name, c.n),
		expectedCost: c.expectedCost(otherSeeds) * float64(len(entries)),
		run: func(ctx context.Context, r *results.Run) error {
			cell, failed, err := c.measure(ctx, entries)
			if err != nil {
				return err
			}
			for range otherSeeds {
				c.seed++
				proof, failedToo, err := c.proveSeed(ctx, entries)
				if err != nil {
					return err
				}
				failed = append(failed, failedToo...)
				cell.OtherSeeds = append(cell.OtherSeeds, proof)
			}
			r.Failures = append(r.Failures, failed...)
			cell.Rows = slices.DeleteFunc(cell.Rows, func(row results.Row) bool { return failedIn(failed, row.Structure) })
			if slices.ContainsFunc(cell.Rows, func(row results.Row) bool { return row.Role == results.RoleStructure }) {
				r.Cells = append(r.Cells, cell)
			}
			return nil
		},
	}
}

// failedIn reports whether a structure is among the failures. A structure that fails on
// any seed has no row.
func failedIn(failed []results.Failure, structure string) bool {
	return slices.ContainsFunc(failed, func(f results.Failure) bool { return f.Structure == structure })
}

// expectedCost estimates the duration of the cell, in operations for each structure.
// Operations on large populations count more, because they miss the cache.
func (c cellConfig) expectedCost(otherSeeds int) float64 {
	const cached = 20_000
	block := blockSize(c.workload, c.n)
	ops := c.n + 2*max(block, proveSize(c.proveOps, c.n)) + c.trials*(3*block+warmSize(c.n)) + otherSeeds*(c.n+c.trials*block)
	if c.cyclic() {
		ops = c.n + c.trials*5/4*max(2*c.n, block)
	}
	return float64(ops) * (1 + 3*float64(c.n)/float64(c.n+cached))
}

// wantsIdle reports whether the run includes the idle and memory analyses. It does if
// it includes the workload IdleName.
func (cfg Config) wantsIdle() bool {
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

// sizes returns the sizes at which to run a workload.
func (cfg Config) sizes(w workload.Workload) []int {
	if len(cfg.N) > 0 {
		return cfg.N
	}
	return cfg.Profile.sizesOf(w)
}
