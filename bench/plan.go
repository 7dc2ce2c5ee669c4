package bench

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/timerbench/timerbench/bench/replay"
	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/workload"
	"github.com/timerbench/timerbench/internal/show"
	"github.com/timerbench/timerbench/structures/entry"
)

// Plan is the list of the steps of a run. [Run] makes them. A budget only takes steps and rounds off the list, and
// contenders off rounds.
type Plan struct {
	Steps      []Step // in the order in which they are made
	Parameters results.Parameters

	cfg      Config // with the defaults of its profile, which has the sizes
	cheapest Step   // of the cells
	seeds    int    // of a proof
}

// Step is a part of a run: rounds of a cell, or an analysis. A run saves its results when the step is done.
type Step struct {
	Name    string
	Rounds  []Round
	Seconds float64 // estimated
	Bytes   uint64  // of memory, estimated; 0: little

	cell     *Cell           // nil: an analysis
	further  bool            // a run with a budget makes it if there is time left; the results do not list it as missing
	analysis replay.Analysis // nil: a cell
	entries  []entry.Entry   // of an analysis
}

// Round is a part of a step in which all its contenders replay the same blocks.
type Round struct {
	Number     int      // in the cell; -1: nothing is timed
	Instance   int      // of the contenders, a number in the cell
	Fresh      bool     // it begins with fresh instances, which are filled
	Seed       uint64   // of the script
	Age        int      // operations since the warm-up at which it begins; [BeforeWarmUp]: it comes before the warm-up
	Contenders []string // in the order in which they replay
	Blocks     []Block
	Proved     bool // the proofs in the results are those after this round
	Drops      bool // contenders that are far behind take part in no more rounds
}

// BeforeWarmUp is the age of rounds before the warm-up.
const BeforeWarmUp = -1

// Block is a part of a round. Each contender replays all blocks of a round before the next contender starts.
type Block struct {
	Operations int // [ToTheEnd]: the rest of a recording
	Timing     Timing
}

// ToTheEnd is the number of operations of a block that ends with its recording.
const ToTheEnd = -1

// Timing says how the operations of a block are timed.
type Timing int

// The timings.
const (
	Untimed    Timing = iota // ages the instances, or stands for what other contenders time
	Checked                  // checks every answer
	Warm                     // fills the caches, which hold the data of the contender before
	AsAWhole                 // times the block as a whole
	ByKind                   // reads the clock once per batch of operations of one kind
	CallByCall               // times a sample of single calls
)

var timings = [...]string{"untimed", "checked", "warm-up", "cost", "by kind", "single calls"}

// String returns the name of the timing in plans.
func (t Timing) String() string { return timings[t] }

// NewPlan computes the steps of a run. It measures nothing. The error is of a step that needs more
// than Config.Memory. Sizes of the configuration override the limits of its profile, but not the limits of the structures.
func NewPlan(cfg Config) (*Plan, error) {
	profile := &cfg.Profile
	cfg.Trials = cmp.Or(cfg.Trials, profile.Trials)
	if len(cfg.N) > 0 {
		profile.Only, profile.MemorySizes, profile.ThirdParty = cfg.N, cfg.N, 0
	}
	if len(cfg.N) > 0 || cfg.Rounds > 0 {
		profile.FrugalFrom, profile.GridFrugalFrom, profile.FewFrom = 0, 0, 0
	}
	p := &Plan{cfg: cfg, Parameters: parameters(cfg)}
	byID := slices.DeleteFunc(slices.Clone(cfg.Structures), func(e entry.Entry) bool { return e.Intrusive() })
	if len(byID) == 0 && len(cfg.Structures) > 0 {
		return nil, fmt.Errorf("%s: intrusive structures are compared with one by ID: choose one too, such as %s",
			cfg.Structures[0].Name, ReferenceName)
	}
	p.addCells()
	if cfg.Rounds == 0 && len(cfg.Workloads) > 0 {
		p.addAnalyses(byID)
	}
	if len(p.Steps) == 0 {
		return nil, errors.New("nothing to run: no chosen structure accepts that number of timers")
	}
	if err := p.finish(); err != nil {
		return nil, err
	}
	if cfg.Budget.Limit > 0 {
		p.Steps = byInterest(p.Steps)
	}
	return p, nil
}

// addCells adds the steps of all cells and of the analyses of single calls.
func (p *Plan) addCells() {
	cfg := p.cfg
	add := func(c *Cell) {
		c.place = len(p.Steps)
		p.Steps = append(p.Steps, c.steps(cfg)...)
	}
	for _, w := range cfg.Workloads {
		for _, n := range cfg.Profile.sizesOf(w) {
			c := newCell(w, n, cfg.Profile.fit(cfg.Structures, n), cfg.Seed)
			if !w.Kind().SingleCalls && len(c.entries) > 0 {
				add(c)
			}
			if cfg.Profile.timesCalls(w) {
				p.analyse(replay.Calls{Workload: w, N: n, Seed: cfg.Seed, Block: c.block(), ClockNS: cfg.Environment.ClockNS}, c.entries, bytesOfCalls(n, c.entries))
			}
		}
	}
	for _, t := range cfg.Traces {
		c := newCell(t.workload(), t.n(), cfg.Profile.fit(cfg.Structures, int(t.Summary.Totals.Keys)), cfg.Seed)
		if c.trace = t; len(c.entries) > 0 {
			add(c)
		}
	}
}

// addAnalyses adds the analysis of memory, and that of idle ticks if the workload of that name is
// among the workloads.
func (p *Plan) addAnalyses(all []entry.Entry) {
	profile, seed := p.cfg.Profile, p.cfg.Seed
	for _, n := range profile.MemorySizes {
		replaced := min(profile.ReplacedPerTimer*n, profile.MaxReplaced)
		p.analyse(replay.Memory{N: n, Replaced: replaced, Seed: seed}, profile.fit(all, n), 0)
	}
	if !slices.ContainsFunc(p.cfg.Workloads, func(w workload.Workload) bool { return w.Name == workload.IdleName }) {
		return
	}
	own := slices.DeleteFunc(slices.Clone(all), func(e entry.Entry) bool { return e.ThirdParty != "" }) // the others take seconds
	for _, n := range profile.IdleSizes {
		// Many timers fire in few ticks. A mean delay is enough for a steady state.
		ticks := min(profile.IdleTicks, max(30_000, 1_000_000_000/n))
		p.analyse(replay.IdleTicks{N: n, Ticks: ticks, Seed: seed}, profile.fit(own, n), 0)
	}
}

// analyse adds an analysis of entries, if there are any.
func (p *Plan) analyse(a replay.Analysis, entries []entry.Entry, bytes uint64) {
	if len(entries) > 0 {
		p.Steps = append(p.Steps, Step{Name: a.Name(), Seconds: a.Seconds(len(entries)), Bytes: bytes, entries: entries, analysis: a})
	}
}

// finish finds the cheapest cell, and checks the memory and the budget.
func (p *Plan) finish() error {
	limit, memory := p.cfg.Budget.Limit, p.cfg.Memory
	for _, s := range p.Steps {
		if _, n := s.Of(); n > 0 && !s.further && (p.cheapest.Name == "" || s.Seconds < p.cheapest.Seconds) {
			p.cheapest = s
		}
		if memory > 0 && s.Bytes > memory {
			return fmt.Errorf("%s needs about %s of memory, of which %s are available: choose fewer timers with --n, "+
				"or fewer structures with --structure", s.Name, show.Bytes(float64(s.Bytes)), show.Bytes(float64(memory)))
		}
	}
	if s := p.cheapest; limit > 0 && limit.Seconds() < s.Seconds {
		return fmt.Errorf("--budget %s: too short for any cell, want at least about %.1fs, for %s", limit, s.Seconds+0.1, s.Name)
	}
	return nil
}

// Of returns the workload and the size of a step; 0: it is an analysis of memory or of idle ticks.
func (s Step) Of() (workload string, n int) {
	if s.cell != nil {
		return s.cell.workload.Name, s.cell.n
	}
	calls, _ := s.analysis.(replay.Calls)
	return calls.Workload.Name, calls.N
}

// Contenders returns the number of structures and programs of a step. At most that many of them take part.
func (s Step) Contenders() (all, most int) {
	if s.cell == nil {
		return len(s.entries), len(s.entries)
	}
	all = len(s.cell.contenders) - 1 // without the floor
	if s.cell.control {
		all--
	}
	if s.cell.leaves == allButFew {
		return all, min(all, mostContenders)
	}
	return all, all
}

// Timed returns the number of timed rounds of a step and the blocks of the first one, as text.
func (s Step) Timed() (rounds int, blocks string) {
	var first []Block
	numbers := make(map[int]bool)
	for _, r := range s.Rounds {
		if r.Number >= 0 {
			if numbers[r.Number] = true; first == nil {
				first = r.Blocks
			}
		}
	}
	var list []string
	for _, b := range first {
		list = append(list, fmt.Sprintf("%d %s", b.Operations, b.Timing))
	}
	return len(numbers), strings.Join(list, ", ")
}

// Seconds returns the estimated duration of all steps.
func (p *Plan) Seconds() float64 {
	sum := 0.0
	for _, s := range p.Steps {
		sum += s.Seconds
	}
	return sum
}

// version returns the version of a workload of the plan; 0: no cell of the plan has it.
func (p *Plan) version(workload string) int {
	for _, s := range p.Steps {
		if s.cell != nil && s.cell.workload.Name == workload {
			return s.cell.workload.Version()
		}
	}
	return 0
}

func parameters(cfg Config) results.Parameters {
	p := results.Parameters{Profile: cfg.Profile.Name, Seed: cfg.Seed, Trials: cfg.Trials, N: []int{}, Budget: cfg.Budget.Limit.Seconds()}
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
		for _, n := range cfg.Profile.sizesOf(w) {
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
