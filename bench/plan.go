package bench

import (
	"errors"
	"fmt"
	"slices"

	"github.com/timerbench/timerbench/bench/replay"
	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/bench/workload"
	"github.com/timerbench/timerbench/internal/show"
	"github.com/timerbench/timerbench/structures/entry"
)

// Plan is what a run does, as data. Its steps are in the order in which they were declared; a
// budget may change the order.
type Plan struct {
	Steps      []Step
	Parameters results.Parameters
	cheapest   Step // of the cells
	debtsLast  bool // measured after the first passes of all cells
}

// Step is one part of a run. A run saves its results when the step is done.
type Step struct {
	Name       string
	Workload   string // empty for the analyses of memory and of idle wake-ups
	N          int
	Contenders int     // without the control
	Most       int     // of the contenders that take part; 0: all
	Rounds     int     // planned for the best contenders; 0: an analysis
	Seconds    float64 // estimated
	Bytes      uint64  // of memory, estimated; 0: little

	entries  []entry.Entry   // the structures
	cell     *cell           // nil: an analysis
	analysis replay.Analysis // nil: a cell
}

// NewPlan computes the steps of a run. It measures nothing. The error is of a step that needs more
// than Config.Memory.
func NewPlan(cfg Config) (*Plan, error) {
	profile := cfg.Profile.with(cfg.N, cfg.Trials, cfg.Turns != nil)
	p := &Plan{Parameters: parameters(cfg, profile), debtsLast: cfg.Budget.Limit > 0 && !profile.DebtsFirst}
	byID := slices.DeleteFunc(slices.Clone(cfg.Structures), func(e entry.Entry) bool { return e.Intrusive() })
	if len(byID) == 0 && len(cfg.Structures) > 0 {
		return nil, fmt.Errorf("%s: intrusive structures are compared with one by ID: choose one too, such as %s",
			cfg.Structures[0].Name, ReferenceName)
	}
	collected := make(map[script.Unit]bool) // units of which a cell has trials with the collector on
	add := func(c cell, entries []entry.Entry) {
		switch c.seed = cfg.Seed; {
		case cfg.Turns != nil:
			c.schedule, c.debt = inTurns(c.trials, cfg.Turns.Rounds), false
		case cfg.Budget.Limit > 0:
			c.schedule = c.raced()
		}
		unit := c.workload.CostUnit()
		if cfg.Turns == nil && c.trace == nil && c.n == profile.largestSize() && !collected[unit] {
			c.withGC, collected[unit] = mostWithGC, true
		}
		p.Steps = append(p.Steps, c.step(entries, cfg))
	}
	for _, w := range cfg.Workloads {
		for _, n := range profile.sizesOf(w) {
			entries, c := profile.fit(cfg.Structures, n), profile.cell(w, n)
			if len(entries) > 0 && !w.Kind().SingleCalls {
				add(c, entries)
			}
			if len(entries) > 0 && profile.timesCalls(w) {
				s := analysisStep(replay.Calls{Workload: w, N: n, Seed: cfg.Seed, Block: c.block()}, entries)
				s.Workload, s.N, s.Bytes = w.Name, n, bytesOfCalls(n, entries)
				p.Steps = append(p.Steps, s)
			}
		}
	}
	for _, t := range cfg.Traces {
		if entries := profile.fit(cfg.Structures, int(t.Summary.Totals.Keys)); len(entries) > 0 {
			add(t.cell(profile.Trials), entries)
		}
	}
	if cfg.Turns == nil && len(cfg.Workloads) > 0 {
		p.addAnalyses(profile, byID, cfg.Workloads, cfg.Seed)
	}
	if len(p.Steps) == 0 {
		return nil, errors.New("nothing to run: no chosen structure accepts that number of timers")
	}
	return p, p.finish(profile, cfg)
}

// addAnalyses adds the analysis of memory, and that of idle wake-ups if the workload of that name is
// among the workloads.
func (p *Plan) addAnalyses(profile Profile, all []entry.Entry, workloads []workload.Workload, seed uint64) {
	for _, n := range profile.MemorySizes {
		entries := profile.fit(all, n)
		if len(entries) == 0 {
			continue
		}
		replaced := min(profile.ReplacedPerTimer*n, profile.MaxReplaced)
		p.Steps = append(p.Steps, analysisStep(replay.Memory{N: n, Replaced: replaced, Seed: seed}, entries))
	}
	if !slices.ContainsFunc(workloads, func(w workload.Workload) bool { return w.Name == workload.IdleName }) {
		return
	}
	for _, n := range profile.IdleSizes {
		// Many timers fire in few ticks. A mean delay is enough for a steady state.
		idle := replay.IdleTicks{N: n, Ticks: min(profile.IdleTicks, max(30_000, 1_000_000_000/n)), Seed: seed}
		p.Steps = append(p.Steps, analysisStep(idle, profile.fit(replay.IdleTickEntries(all), n)))
	}
	for _, n := range replay.IdlePopulations {
		for _, delay := range script.GridDists() {
			idle := replay.Idle{Delays: delay.Name, N: n, Ticks: profile.IdleTicks, Seed: seed}
			p.Steps = append(p.Steps, analysisStep(idle, all))
		}
	}
}

// finish fills in the number of instances, and checks the memory and the budget.
func (p *Plan) finish(profile Profile, cfg Config) error {
	least := fixed(profile.Trials, roundsPerPass).passes
	for _, s := range p.Steps {
		if s.cell != nil && s.cell.trace == nil {
			least = min(least, s.cell.passes)
		}
		if s.Workload != "" && (p.cheapest.Name == "" || s.Seconds < p.cheapest.Seconds) {
			p.cheapest = s
		}
		if cfg.Memory > 0 && s.Bytes > cfg.Memory {
			return fmt.Errorf("%s needs about %s of memory, of which %s are available: choose fewer timers with --n, "+
				"or fewer structures with --structure", s.Name, show.Bytes(float64(s.Bytes)), show.Bytes(float64(cfg.Memory)))
		}
	}
	p.Parameters.Instances = least
	if s := p.cheapest; cfg.Budget.Limit > 0 && cfg.Budget.Limit.Seconds() < s.Seconds {
		return fmt.Errorf("--budget %s: too short for any cell, want at least about %.1fs, for %s", cfg.Budget.Limit, s.Seconds+0.1, s.Name)
	}
	return nil
}

// Seconds returns the estimated duration of all steps.
func (p *Plan) Seconds() float64 {
	sum := 0.0
	for _, s := range p.Steps {
		sum += s.Seconds
	}
	return sum
}

// ProofSeconds returns the estimated duration of the proof of all cells with one seed.
func (p *Plan) ProofSeconds() float64 {
	sum := 0.0
	for _, s := range p.Steps {
		if c := s.cell; c != nil && c.trace == nil {
			sum += 130e-9 * float64(s.Contenders*(c.n+c.trials*c.block()))
		}
	}
	return sum
}

func (p *Plan) find(workload string, n int) *Step {
	if i := slices.IndexFunc(p.Steps, func(s Step) bool { return s.Workload == workload && s.N == n }); i >= 0 {
		return &p.Steps[i]
	}
	return nil
}

// version returns the version of a workload of the plan; 0: no cell of the plan has it.
func (p *Plan) version(workload string) int {
	for _, s := range p.Steps {
		if s.cell != nil && s.Workload == workload {
			return s.cell.workload.Version()
		}
	}
	return 0
}

func parameters(cfg Config, profile Profile) results.Parameters {
	p := results.Parameters{
		Profile: profile.Name, Seed: cfg.Seed, Trials: profile.Trials, N: []int{},
		Budget: cfg.Budget.Limit.Seconds(),
	}
	size := func(n int) {
		if !slices.Contains(p.N, n) {
			p.N = append(p.N, n)
		}
	}
	for _, e := range cfg.Structures {
		p.Structures = append(p.Structures, e.Name)
	}
	for _, w := range cfg.Workloads {
		p.Workloads = append(p.Workloads, w.Name)
		if w.Scenario != "" {
			put(&p.Scenarios, w.Name, w.Scenario)
		}
		for _, n := range profile.sizesOf(w) {
			size(n)
		}
	}
	for _, s := range cfg.External {
		put(&p.External, s.Name, s.Command())
	}
	for _, t := range cfg.Traces {
		p.Workloads = append(p.Workloads, t.Name())
		put(&p.Traces, t.Name(), t.recording())
		size(t.n())
	}
	return p
}

// put enters a value in a map, which a results file omits if it is empty.
func put[V any](m *map[string]V, name string, v V) {
	if *m == nil {
		*m = make(map[string]V)
	}
	(*m)[name] = v
}

// step returns the step that measures a cell. If the structures need more than the memory together, the
// step measures one after the other, without a control, trials with the collector on and later passes.
func (c cell) step(entries []entry.Entry, cfg Config) Step {
	s := Step{
		Name: c.name(), Workload: c.workload.Name, N: c.n, Contenders: len(c.contenders(entries, nil)) + len(cfg.External),
		Rounds: c.rounds, Bytes: c.bytes(entries), entries: entries, cell: &c,
	}
	if cfg.Memory > 0 && s.Bytes > cfg.Memory {
		c.apart, c.withGC, c.control, c.most, c.debt = true, 0, false, 0, false
		s.Bytes = c.bytes(entries)
	}
	contenders := len(entries) + len(cfg.External)
	if c.leaves == allButFew {
		contenders, s.Most = min(contenders, mostContenders), mostContenders
	}
	s.Seconds = c.seconds(contenders)
	return s
}

func analysisStep(a replay.Analysis, entries []entry.Entry) Step {
	return Step{Name: a.Name(), Contenders: len(entries), Seconds: a.Seconds(len(entries)), entries: entries, analysis: a}
}
