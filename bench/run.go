package bench

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"time"

	"github.com/timerbench/timerbench/bench/replay"
	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/structures/entry"
)

// Run measures. When ctx is cancelled, it returns the results of the finished steps,
// with Complete false, and the error of ctx.
//
// A structure that breaks its contract has no row in the cell where it does so. The
// run continues and is complete, and the returned error joins all of its
// [results.Failure] values. Any other error ends the run, and the current step has no results.
func Run(ctx context.Context, cfg Config) (*results.Run, error) {
	started := time.Now()
	plan, err := NewPlan(cfg)
	if err != nil {
		return nil, err
	}
	clock := replay.MeasureClock()
	out := cfg.Resume
	if out == nil {
		out = newRun(clock, plan.Parameters)
	}
	out.Command, out.NotMeasured = cfg.Command, nil // a resumed run decides again which structures it leaves out
	g := newRig(cfg.Turns)
	g.clock, g.budget = clock, cfg.Budget
	g.budget.start(started, out.Seconds)
	defer g.end()
	g.start(ctx, cfg.External, out)
	r := &runner{
		plan: plan, rig: g, out: out, started: started, earlier: out.Seconds, show: cfg.Progress, write: cfg.Checkpoint,
	}
	if err := r.run(ctx); err != nil {
		return out, err
	}
	var failures []error
	for _, f := range out.Failures {
		failures = append(failures, f)
	}
	return out, errors.Join(failures...)
}

// runner makes the steps of a plan.
type runner struct {
	plan     *Plan
	rig      *rig
	out      *results.Run
	started  time.Time
	earlier  float64    // seconds of the sessions before the run was resumed
	races    []*cellRun // cells that get more passes, as far as the time goes
	debtors  []*cellRun // with a budget: cells whose debts are still to be measured
	progress Progress
	show     func(Progress) // nil: nobody looks
	write    func(*results.Run) error
}

func (r *runner) run(ctx context.Context) error {
	steps := r.plan.Steps
	if r.rig.budget.Limit > 0 {
		steps = byInterest(steps)
	}
	r.progress = Progress{Steps: len(steps), Total: r.plan.Seconds()}
	for _, s := range steps {
		if r.progress.Step++; slices.Contains(r.out.Done, s.Name) {
			continue
		}
		if s.Most > 0 {
			if err := r.addDebts(ctx, 10_000); err != nil {
				return err
			}
		}
		if err := r.inTime(s, func() error {
			start := time.Now()
			if err := r.step(ctx, s); err != nil {
				return err
			}
			r.rig.budget.learn(s, time.Since(start))
			r.out.Done = append(r.out.Done, s.Name)
			r.progress.Done += s.Seconds
			return nil
		}); err != nil {
			return err
		}
	}
	if err := r.addDebts(ctx, math.MaxInt); err != nil {
		return err
	}
	if err := r.spend(ctx); err != nil {
		return err
	}
	if err := r.save(true); err != nil {
		return err
	}
	r.begins("")
	return nil
}

// inTime makes a step and saves the results, or notes that the time does not suffice.
func (r *runner) inTime(s Step, do func() error) error {
	seconds := s.Seconds
	if s.Workload == "" && len(r.out.Cells)+len(r.out.Calls) == 0 {
		seconds += 5 * r.plan.cheapest.Seconds // an analysis leaves the time of a cell, on a slow machine too (chosen)
	}
	if !r.rig.budget.fits(seconds) {
		r.out.NotMeasured = append(r.out.NotMeasured, s.Name)
		return nil
	}
	r.begins(s.Name)
	if err := do(); err != nil {
		return err
	}
	return r.save(false)
}

func (r *runner) step(ctx context.Context, s Step) error {
	if s.cell == nil {
		before := *r.out
		err := s.analysis.Run(ctx, s.entries, r.out)
		if err != nil {
			*r.out = before
		}
		return err
	}
	entries, leftOut := s.cell.leaveOut(s.entries, r.out.Cells)
	m, err := r.rig.measure(ctx, *s.cell, entries, leftOut)
	if err != nil {
		return err
	}
	if s.cell.most > 0 {
		r.races = append(r.races, m)
	}
	if s.cell.withGC > 0 {
		if err := m.passWithGC(ctx); err != nil {
			return err
		}
	}
	switch {
	case !s.cell.debt || m.passed.Made == 0:
	case r.plan.debtsLast:
		r.debtors = append(r.debtors, m)
	default:
		if err := m.debts(ctx); err != nil {
			return err
		}
	}
	m.store(r.out)
	return nil
}

func (r *runner) begins(name string) {
	b := &r.rig.budget
	if r.progress.Name = name; b.Limit > 0 {
		r.progress.Total, r.progress.Done = b.Limit.Seconds(), b.Limit.Seconds()-b.left()
	}
	if r.show != nil {
		r.show(r.progress)
	}
}

// save writes the results so far, with the cells in the order of the plan.
func (r *runner) save(complete bool) error {
	declared := make(map[string]int)
	for i, s := range r.plan.Steps {
		declared[s.Name] = i
	}
	slices.SortStableFunc(r.out.Cells, func(a, b results.Cell) int {
		return cmp.Compare(declared[cellName(a.Workload, a.N)], declared[cellName(b.Workload, b.N)])
	})
	r.out.Seconds = r.earlier + time.Since(r.started).Seconds()
	r.out.External = r.rig.describe()
	if r.out.Complete = complete; complete {
		r.out.Done = nil
	}
	if r.write == nil {
		return nil
	}
	return r.write(r.out)
}

// NewRun returns results without measurements, for measurements that [Run] does not make.
func NewRun(p results.Parameters) *results.Run { return newRun(replay.MeasureClock(), p) }

func newRun(clock replay.Clock, p results.Parameters) *results.Run {
	return &results.Run{
		Format: results.Format, Version: results.Version, Created: time.Now().UTC().Truncate(time.Second),
		Environment: environment(clock),
		Parameters:  p,
		Cells:       []results.Cell{},
		Idle:        []results.Idle{},
	}
}

// Whole reports whether a run with these parameters measures all of the structures on all workloads at all
// sizes of the normal or the full profile.
func Whole(p results.Parameters, structures []entry.Entry) bool {
	profile, ok := FindProfile(p.Profile)
	if !ok || p.Profile == Profiles()[0].Name || len(profile.Names) > 0 {
		return false
	}
	all := parameters(Config{Structures: structures, Workloads: profile.Workloads()}, profile)
	return holdsAll(p.Structures, all.Structures) && holdsAll(p.Workloads, all.Workloads) &&
		holdsAll(p.N, all.N)
}

func holdsAll[T comparable](list, of []T) bool {
	return !slices.ContainsFunc(of, func(x T) bool { return !slices.Contains(list, x) })
}
