package bench

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/timerbench/timerbench/bench/external"
	"github.com/timerbench/timerbench/bench/results"
)

// Run makes the steps of a plan. When ctx is cancelled, it returns the results of the finished steps,
// with Complete false, and the error of ctx.
//
// A structure that breaks its contract has no row in the cell where it does so. The
// run continues and is complete, and the returned error joins all of its
// [results.Failure] values. Any other error ends the run, and the current step has no results.
func Run(ctx context.Context, plan *Plan, h Hooks) (*results.Run, error) {
	r := newRunner(plan, h)
	if r.out == nil {
		r.out = results.New(plan.cfg.Environment, plan.Parameters)
	}
	r.earlier = r.out.Seconds
	r.out.Command, r.out.NotMeasured = plan.cfg.Command, nil // a resumed run decides again which steps it leaves out
	r.budget.deadline = r.started.Add(r.budget.Limit - time.Duration(r.earlier*float64(time.Second)))
	defer r.end()
	r.start(ctx)
	if err := r.run(ctx); err != nil {
		return r.out, err
	}
	var failures []error
	for _, f := range r.out.Failures {
		failures = append(failures, f)
	}
	return r.out, errors.Join(failures...)
}

// runner makes the steps of a plan. It holds the state that cells share.
type runner struct {
	Hooks
	plan     *Plan
	programs []*external.Program
	blocks   external.Blocks
	budget   Budget
	out      *results.Run
	started  time.Time
	earlier  float64              // seconds of the sessions before the run was resumed
	cells    map[*Cell]*measuring // of this session
	progress Progress
}

func newRunner(plan *Plan, h Hooks) *runner {
	if h.Turn == nil {
		h.Turn = func() error { return nil }
	}
	if h.Progress == nil {
		h.Progress = func(Progress) {}
	}
	if h.Checkpoint == nil {
		h.Checkpoint = func(*results.Run) error { return nil }
	}
	return &runner{
		Hooks: h, plan: plan, budget: plan.cfg.Budget, out: h.Resume, started: time.Now(),
		cells: make(map[*Cell]*measuring),
	}
}

// start starts programs. One that does not start is a failure, and the others take part.
func (r *runner) start(ctx context.Context) {
	for _, s := range r.plan.cfg.External {
		p, err := external.Start(ctx, s, &r.blocks)
		if err == nil {
			r.programs = append(r.programs, p)
			continue
		}
		f := results.Failure{Structure: s.Name, Where: "its start", Reason: err.Error()}
		if !slices.Contains(r.out.Failures, f) {
			r.out.Failures = append(r.out.Failures, f)
		}
	}
}

func (r *runner) end() {
	for _, p := range r.programs {
		p.Close()
	}
	r.blocks.Close()
}

func (r *runner) run(ctx context.Context) error {
	r.progress = Progress{Steps: len(r.plan.Steps), Total: r.plan.Seconds()}
	for _, s := range r.plan.Steps {
		r.progress.Step++
		m := r.cells[s.cell]
		switch {
		case slices.Contains(r.out.Done, s.Name), s.further && m == nil:
			continue
		case !r.fits(s):
			if !s.further {
				r.out.NotMeasured = append(r.out.NotMeasured, s.Name)
			}
			continue
		}
		r.begins(s.Name)
		start := time.Now()
		if err := r.step(ctx, s); err != nil {
			return err
		}
		if !s.further {
			r.budget.estimated += s.Seconds
			r.budget.took += time.Since(start).Seconds()
		}
		r.out.Done = append(r.out.Done, s.Name)
		r.progress.Done += s.Seconds
		if err := r.save(false); err != nil {
			return err
		}
	}
	for _, m := range r.cells {
		if m.cell.stops > 0 && len(m.rows) > 0 && m.rounds() < m.cell.rounds {
			for _, c := range m.rows { // they got fewer rounds than planned
				if c.Stopped == results.StoppedDone && (c.Role == results.RoleStructure || c.Role == results.RoleIntrusive) {
					c.Stopped = results.StoppedBudget
				}
			}
			m.store(r.out)
		}
	}
	if err := r.save(true); err != nil {
		return err
	}
	r.begins("")
	return nil
}

func (r *runner) step(ctx context.Context, s Step) error {
	if s.analysis != nil {
		before := *r.out
		err := s.analysis.Run(ctx, s.entries, r.out)
		if err != nil {
			*r.out = before
		}
		return err
	}
	m := r.cells[s.cell]
	if m == nil {
		m = r.measuring(s.cell, s.cell.leaveOut(r.out.Cells)...)
	}
	if err := m.play(ctx, s.Rounds); err != nil {
		return err
	}
	r.cells[s.cell] = m
	m.store(r.out)
	return nil
}

func (r *runner) begins(name string) {
	b := &r.budget
	if r.progress.Name = name; b.Limit > 0 {
		r.progress.Total, r.progress.Done = b.Limit.Seconds(), b.Limit.Seconds()-b.left()
	}
	r.Progress(r.progress)
}

// save writes the results so far, with the cells in the order in which the plan declares them.
func (r *runner) save(complete bool) error {
	declared := make(map[string]int)
	for _, s := range r.plan.Steps {
		if s.cell != nil {
			declared[s.cell.name()] = s.cell.place
		}
	}
	slices.SortStableFunc(r.out.Cells, func(a, b results.Cell) int {
		return cmp.Compare(declared[cellName(a.Workload, a.N)], declared[cellName(b.Workload, b.N)])
	})
	r.out.Seconds = r.earlier + time.Since(r.started).Seconds()
	r.out.External = nil
	for _, p := range r.programs {
		r.out.External = append(r.out.External, p.Describe())
	}
	if r.out.Complete = complete; complete {
		r.out.Done = nil
	}
	return r.Checkpoint(r.out)
}
