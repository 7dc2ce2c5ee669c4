package bench

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/workload"
	"github.com/timerbench/timerbench/structures/catalog"
)

// Config says what to run.
type Config struct {
	Profile    Profile
	Structures []catalog.Entry
	Workloads  []workload.Workload
	N          []int // sizes, instead of the profile's
	Trials     int   // instead of the profile's, if not 0
	Seed       uint64
	Traces     []*Trace // to be replayed after the workloads

	// Progress, if not nil, is called before each step and once at the end.
	Progress func(Progress)

	// Checkpoint, if not nil, is called after each step with the results so far. An
	// error ends the run. The results are complete only in the last call.
	Checkpoint func(*results.Run) error
}

// Progress says how much of a run is done.
type Progress struct {
	Step, Steps int     // steps done, all steps
	Name        string  // of the step that begins; empty at the end
	Done, Total float64 // the same, each step weighted by its estimated duration
}

// Run measures. When ctx is cancelled, it returns the results of the finished steps,
// with Complete false, and the error of ctx.
//
// A structure that breaks its contract has no row in the cell where it does so. The
// run continues and is complete, and the returned error joins all of its
// [results.Failure] values. Any other error ends the run. The step in which it happens
// has no results.
func Run(ctx context.Context, cfg Config) (*results.Run, error) {
	if cfg.Trials == 0 {
		cfg.Trials = cfg.Profile.Trials
	}
	clock := MeasureClock()
	r := newRun(clock, parameters(cfg))
	steps := stepsOf(cfg, clock)
	if len(steps) == 0 {
		return r, errors.New("nothing to run: no structure of the choice is made for so many timers")
	}
	p := Progress{Steps: len(steps)}
	for _, s := range steps {
		p.Total += s.expectedCost
	}
	for i, s := range steps {
		p.Name = s.name
		report(cfg, p)
		if err := s.run(ctx, r); err != nil {
			return r, err
		}
		p.Step++
		p.Done += s.expectedCost
		r.Complete = i == len(steps)-1
		if cfg.Checkpoint != nil {
			if err := cfg.Checkpoint(r); err != nil {
				return r, err
			}
		}
	}
	p.Name = ""
	report(cfg, p)
	var failures []error
	for _, f := range r.Failures {
		failures = append(failures, f)
	}
	return r, errors.Join(failures...)
}

// NewRun returns results without measurements. It is for measurements that [Run] does
// not make.
func NewRun(p results.Parameters) *results.Run { return newRun(MeasureClock(), p) }

func newRun(clock Clock, p results.Parameters) *results.Run {
	return &results.Run{
		Format: results.Format, Version: results.Version, Created: time.Now().UTC().Truncate(time.Second),
		Environment: environment(clock),
		Parameters:  p,
		Cells:       []results.Cell{},
		Idle:        []results.Idle{},
	}
}

func report(cfg Config, p Progress) {
	if cfg.Progress != nil {
		cfg.Progress(p)
	}
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
