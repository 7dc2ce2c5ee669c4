package bench

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/timerbench/timerbench/bench/external"
	"github.com/timerbench/timerbench/bench/replay"
	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/workload"
	"github.com/timerbench/timerbench/structures/catalog"
	"github.com/timerbench/timerbench/structures/entry"
)

// Config says what to run.
type Config struct {
	Profile    Profile
	Structures []entry.Entry
	Workloads  []workload.Workload
	N          []int // sizes, instead of the profile's
	Trials     int   // instead of the profile's, if not 0
	Seed       uint64
	Traces     []*Trace // to be replayed after the workloads

	// Budget is the time of the run, see agenda. What does not fit into it is not
	// measured: the results name it. 0: all that there is, with Trials rounds each.
	Budget time.Duration

	// Command is the command line, for the results.
	Command string

	// Resume, if not nil, are the results of an interrupted run of the same
	// configuration, see [CheckResume]. Its finished steps are kept as they are.
	Resume *results.Run

	// External are programs of other languages that take part in each cell.
	External []external.Spec

	programs []*external.Program // of these, what runs

	apart map[string]bool // names of the cells whose structures are measured one after the other

	// Turns, if not nil, makes the run take turns with another one.
	Turns *Turns

	// Progress, if not nil, is called before each step and once at the end.
	Progress func(Progress)

	// Checkpoint, if not nil, is called after each step with the results so far. An
	// error ends the run. The results are complete only in the last call.
	Checkpoint func(*results.Run) error
}

// Turns is how a run takes turns with one of another program, see package ab. Such a run
// measures what two builds are compared by: structures have more trials, and there are no
// controls, no timers of Go, no latencies, no memory and nothing with the collector on.
type Turns struct {
	Wait   func() error // is called before each trial of a contender
	Rounds int          // of a cell; every Config.Trials of them have the same operations again
}

// wait waits for the next turn. Nil takes none.
func (t *Turns) wait() error {
	if t == nil {
		return nil
	}
	return t.Wait()
}

// Progress says how much of a run is done.
type Progress struct {
	Step, Steps int     // number of the step that runs, all steps
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
	cfg = cfg.withDefaults()
	started := time.Now()
	clock := replay.MeasureClock()
	r := newRun(clock, parameters(cfg))
	if cfg.Resume != nil {
		r = cfg.Resume
	}
	r.Command, r.NotMeasured = cfg.Command, nil // what an interrupted run left out is decided anew
	earlier := r.Seconds
	defer cfg.startPrograms(ctx, r)()
	var todo *agenda
	if cfg.Budget > 0 {
		spent := time.Duration(earlier * float64(time.Second))
		todo = &agenda{deadline: started.Add(cfg.Budget - spent)}
	}
	steps := stepsOf(cfg, clock, todo)
	if len(steps) == 0 {
		return r, errors.New("nothing to run: no structure of the choice is made for so many timers")
	}
	declared := make(map[string]int)
	for i, s := range steps {
		declared[s.name] = i
	}
	if todo != nil {
		steps = byInterest(steps)
	}
	save := func(complete bool) error {
		slices.SortStableFunc(r.Cells, func(a, b results.Cell) int {
			return cmp.Compare(declared[cellName(a.Workload, a.N)], declared[cellName(b.Workload, b.N)])
		})
		r.Seconds = earlier + time.Since(started).Seconds()
		cfg.describePrograms(r)
		if r.Complete = complete; complete {
			r.Done = nil
		}
		if cfg.Checkpoint == nil {
			return nil
		}
		return cfg.Checkpoint(r)
	}
	p := Progress{Steps: len(steps)}
	for _, s := range steps {
		p.Total += s.duration()
	}
	begins := func(name string) {
		if p.Name = name; todo != nil {
			p.Total, p.Done = cfg.Budget.Seconds(), cfg.Budget.Seconds()-todo.left()
		}
		if cfg.Progress != nil {
			cfg.Progress(p)
		}
	}
	for _, s := range steps {
		if p.Step++; slices.Contains(r.Done, s.name) {
			continue
		}
		if len(r.Done) > 0 && !todo.fits(s) {
			r.NotMeasured = append(r.NotMeasured, s.name)
			continue
		}
		begins(s.name)
		start := time.Now()
		if err := s.run(ctx, s.entries, r); err != nil {
			return r, err
		}
		todo.learn(s, time.Since(start).Seconds())
		r.Done = append(r.Done, s.name)
		p.Done += s.duration()
		if err := save(false); err != nil {
			return r, err
		}
	}
	if err := todo.run(ctx, r, begins, func() error { return save(false) }); err != nil {
		return r, err
	}
	if err := save(true); err != nil {
		return r, err
	}
	begins("")
	var failures []error
	for _, f := range r.Failures {
		failures = append(failures, f)
	}
	return r, errors.Join(failures...)
}

func (cfg Config) withDefaults() Config {
	if cfg.Trials == 0 {
		cfg.Trials = cfg.Profile.Trials
	}
	return cfg
}

// NewRun returns results without measurements. It is for measurements that [Run] does
// not make.
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

// Whole reports whether a run with these parameters measures what the normal or the full profile
// does: all structures on all workloads at all sizes.
func Whole(p results.Parameters) bool {
	profile, ok := FindProfile(p.Profile)
	if !ok || p.Profile == Profiles()[0].Name || len(profile.workloads) > 0 {
		return false
	}
	cfg := Config{Profile: profile, Structures: catalog.All(), Workloads: profile.Workloads()}
	all := parameters(cfg)
	return holdsAll(p.Structures, all.Structures) && holdsAll(p.Workloads, all.Workloads) &&
		holdsAll(p.N, all.N)
}

func holdsAll[T comparable](list, of []T) bool {
	return !slices.ContainsFunc(of, func(x T) bool { return !slices.Contains(list, x) })
}

func parameters(cfg Config) results.Parameters {
	p := results.Parameters{
		Profile: cfg.Profile.Name, Seed: cfg.Seed, Trials: cfg.Trials, N: []int{},
		Budget: cfg.Budget.Seconds(), Instances: cfg.instances(), Lean: cfg.Profile.lean,
	}
	for _, e := range cfg.Structures {
		p.Structures = append(p.Structures, e.Name)
	}
	p.N = append(p.N, cfg.allSizes()...)
	for _, w := range cfg.Workloads {
		p.Workloads = append(p.Workloads, w.Name)
		if w.Definition != "" {
			put(&p.Scenarios, w.Name, w.Definition)
		}
	}
	for _, s := range cfg.External {
		put(&p.External, s.Name, s.Command())
	}
	for _, t := range cfg.Traces {
		p.Workloads = append(p.Workloads, t.Name())
		put(&p.Traces, t.Name(), t.recording())
		if !slices.Contains(p.N, t.n()) {
			p.N = append(p.N, t.n())
		}
	}
	return p
}

// put enters a value in a map, which files leave out if it is empty.
func put[V any](m *map[string]V, name string, v V) {
	if *m == nil {
		*m = make(map[string]V)
	}
	(*m)[name] = v
}
