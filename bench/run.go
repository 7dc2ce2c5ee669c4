package bench

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/timerbench/timerbench/bench/internal/dist"
	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/workload"
	"github.com/timerbench/timerbench/structures/catalog"
)

// Config is what to run.
type Config struct {
	Profile    Profile
	Structures []catalog.Entry
	Workloads  []workload.Workload
	N          []int // sizes, instead of the profile's
	Trials     int   // instead of the profile's, if not 0
	Seed       uint64
	Traces     []*Trace // to be replayed after the workloads

	// Progress, if not nil, is told before each step and once at the end.
	Progress func(Progress)

	// Checkpoint, if not nil, is given what there is after each step; an error
	// ends the run. The results are complete in the last call only.
	Checkpoint func(*results.Run) error
}

// Progress is how far a run has come.
type Progress struct {
	Step, Steps int     // steps done, steps in all
	Name        string  // of the step that begins; empty at the end
	Done, Total float64 // the same by weight: a guess at the time each step takes
}

// step is a part of a run whose results are worth keeping by themselves.
type step struct {
	name   string
	weight float64
	run    func(context.Context, *results.Run) error
}

// Run measures. When ctx is cancelled it returns the steps that are finished,
// with Complete false, and the context's error. Any other error leaves no
// result of the step in which it happened.
func Run(ctx context.Context, cfg Config) (*results.Run, error) {
	if cfg.Trials == 0 {
		cfg.Trials = cfg.Profile.Trials
	}
	clock := MeasureClock()
	r := &results.Run{
		Format: results.Format, Version: results.Version, Created: time.Now().UTC().Truncate(time.Second),
		Environment: environment(clock),
		Parameters:  parameters(cfg),
		Cells:       []results.Cell{},
		Idle:        []results.Idle{},
	}
	steps := stepsOf(cfg, clock)
	if len(steps) == 0 {
		return r, errors.New("nothing to run: no structure of the choice is made for so many timers")
	}
	p := Progress{Steps: len(steps)}
	for _, s := range steps {
		p.Total += s.weight
	}
	for i, s := range steps {
		p.Name = s.name
		report(cfg, p)
		if err := s.run(ctx, r); err != nil {
			return r, err
		}
		p.Step++
		p.Done += s.weight
		r.Complete = i == len(steps)-1
		if cfg.Checkpoint != nil {
			if err := cfg.Checkpoint(r); err != nil {
				return r, err
			}
		}
	}
	p.Name = ""
	report(cfg, p)
	return r, nil
}

func report(cfg Config, p Progress) {
	if cfg.Progress != nil {
		cfg.Progress(p)
	}
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
			cell := cellRun{workload: w, n: n, seed: cfg.Seed, trials: cfg.Trials, clock: clock}
			if w.Resident > 0 {
				cell.otherSeeds = cfg.Profile.otherSeeds
			}
			steps = append(steps, cell.step(cell.weight(), entries))
		}
	}
	for _, t := range cfg.Traces {
		cell := t.cell(cfg.Trials, clock)
		if entries := cfg.entries(int(t.Summary.Totals.Keys)); len(entries) > 0 {
			steps = append(steps, cell.step(float64(t.Summary.Totals.Count()), entries))
		}
	}
	if !cfg.wantsIdle() {
		return steps
	}
	for _, n := range idlePopulations {
		for _, delay := range dist.Grid() {
			c := idleCase{delay.Name, n, cfg.Profile.idleTicks, cfg.Seed}
			steps = append(steps, step{
				name:   c.name(),
				weight: float64(cfg.Profile.idleTicks) * float64(len(cfg.Structures)),
				run: func(ctx context.Context, r *results.Run) error {
					if err := ctx.Err(); err != nil {
						return err
					}
					counts, err := c.run(cfg.Structures)
					r.Idle = append(r.Idle, counts...)
					return err
				},
			})
		}
	}
	return steps
}

// step returns the step that runs the cell; weight is that of one structure.
func (c *cellRun) step(weight float64, entries []catalog.Entry) step {
	return step{
		name:   fmt.Sprintf("%s, n %d", c.workload.Name, c.n),
		weight: weight * float64(len(entries)),
		run: func(ctx context.Context, r *results.Run) error {
			cell, err := c.run(ctx, entries)
			if err != nil {
				return err
			}
			for i := range c.otherSeeds {
				other := cellRun{workload: c.workload, n: c.n, seed: c.seed + uint64(i) + 1, trials: c.trials}
				proof, err := other.prove(ctx, entries)
				if err != nil {
					return err
				}
				cell.OtherSeeds = append(cell.OtherSeeds, proof)
			}
			r.Cells = append(r.Cells, cell)
			return nil
		},
	}
}

// wantsIdle reports whether the idle analysis belongs to the run: it goes with
// the workload of that name.
func (cfg Config) wantsIdle() bool {
	for _, w := range cfg.Workloads {
		if w.Name == workload.IdleName {
			return true
		}
	}
	return false
}

// entries returns the structures that run on n timers. Sizes that were asked for
// by name hold for all but those that could not end.
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

func parameters(cfg Config) results.Parameters {
	p := results.Parameters{Profile: cfg.Profile.Name, Seed: cfg.Seed, Trials: cfg.Trials, N: []int{}}
	for _, e := range cfg.Structures {
		p.Structures = append(p.Structures, e.Name)
	}
	size := func(n int) {
		if !slices.Contains(p.N, n) {
			p.N = append(p.N, n)
		}
	}
	for _, w := range cfg.Workloads {
		p.Workloads = append(p.Workloads, w.Name)
		if w.Definition != "" {
			if p.Scenarios == nil {
				p.Scenarios = make(map[string]string)
			}
			p.Scenarios[w.Name] = w.Definition
		}
		for _, n := range cfg.sizes(w) {
			size(n)
		}
	}
	for _, t := range cfg.Traces {
		p.Workloads = append(p.Workloads, t.name())
		if p.Traces == nil {
			p.Traces = make(map[string]results.Recording)
		}
		p.Traces[t.name()] = t.recording()
		size(t.n())
	}
	return p
}
