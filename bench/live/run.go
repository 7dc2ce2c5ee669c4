package live

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"slices"
	"time"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/internal/parallel"
)

// Config configures [Run].
type Config struct {
	Contenders []Subject
	Resident   []int         // numbers of pending timers to measure
	Goroutines []int         // numbers of goroutines of the loops; the first is that of the throughput load
	For        time.Duration // approximate duration of the run
	Rounds     int           // maximum number of rounds
	Turns      int           // maximum number of throughput turns in a round
	Rate       float64       // timers per second of the lateness load
	Seed       uint64
	MaxOps     int // maximum number of operations of a goroutine in a slice

	ops []results.Op // of the throughput

	// Sleep waits for the next start of the lateness load.
	Sleep func(time.Duration)

	// Progress is called before each step.
	Progress func(done, total int, name string)
}

// Default returns a configuration without contenders.
func Default() Config {
	return Config{
		Resident: []int{1_000_000}, Goroutines: []int{1, 2, 4, 8}, For: 20 * time.Second, Rounds: 3, Turns: 100,
		Rate: 10_000, Seed: 1, MaxOps: 1 << 24,
		Sleep: pause, Progress: func(int, int, string) {}, ops: results.Ops,
	}
}

// plan divides the duration of a run.
type plan struct {
	rounds    int
	turns     int           // throughput turns in a round: one slice of every operation of every contender
	slice     time.Duration // duration of a timed slice
	loop      time.Duration // duration of a slice of a loop
	loopTurns int           // of the loops, in a round
	lateness  time.Duration // per contender and round
}

// Estimated durations of the untimed steps, on a machine with other load.
const (
	perTimer       = 2 * time.Microsecond // fill and empty
	perTimerMemory = 6 * time.Microsecond // fill with each form, and collect
	perEntry       = 50 * time.Millisecond
	perCheck       = 250 * time.Millisecond
)

const (
	// Slices are short, so other programs interrupt few of them, and a longer disturbance hits all contenders alike.
	minSlice = 4 * time.Millisecond
	maxSlice = 20 * time.Millisecond
	minTurns = 4

	minLateness = 150 * time.Millisecond // a shorter measurement would be dominated by its start and end
)

// plan divides the time.
func (cfg Config) plan() (plan, error) {
	entries := cfg.entries()
	if len(entries) == 0 {
		return plan{}, fmt.Errorf("no contender takes %v resident timers", cfg.Resident)
	}
	once := time.Duration(len(cfg.Contenders)) * perCheck
	var fixed time.Duration // of a round
	for _, e := range entries {
		fixed += perEntry + time.Duration(e.row.Resident)*perTimer
		if e.hasMemory() {
			once += perEntry + time.Duration(e.row.Resident)*perTimerMemory
		}
	}
	n := time.Duration(len(entries))
	slices, warmUp := cfg.turn(entries)
	loops, loopWarmUp := cfg.loopTurn(entries)
	least := minTurns*(slices*minSlice+warmUp) + loopTurns*(loops*minSlice+loopWarmUp) + n*minLateness
	if need := once + fixed + least; cfg.For < need {
		return plan{}, fmt.Errorf("%v is too short for %d contenders, which take %v: choose fewer of them, fewer timers or a longer time",
			cfg.For, len(cfg.Contenders), need.Round(time.Second)+time.Second)
	}
	p := plan{rounds: int(max(1, min(time.Duration(cfg.Rounds), (cfg.For-once)/(fixed+2*least))))}
	left := (cfg.For-once)/time.Duration(p.rounds) - fixed
	p.loopTurns = loopTurns
	p.loop = min(max((left*3/10/loopTurns-loopWarmUp)/max(loops, 1), minSlice), loopSlice)
	left -= loopTurns * (loops*p.loop + loopWarmUp)
	p.turns = int(min(max(left*7/10/(slices*minSlice+warmUp), minTurns), time.Duration(cfg.Turns)))
	p.slice = min(max((left*7/10/time.Duration(p.turns)-warmUp)/slices, minSlice), maxSlice)
	p.lateness = max(minLateness, left*3/10/n)
	return p, nil
}

// turn returns the number of slices of a turn of all entries, and the time that they take in addition to their length.
func (cfg Config) turn(entries []*member) (slices, warmUp time.Duration) {
	for _, e := range entries {
		for _, op := range cfg.ops {
			untimed, slice := e.times(op, minSlice)
			slices++
			warmUp += untimed + slice - minSlice
		}
	}
	return slices, warmUp
}

// loopTurn is turn for the loops.
func (cfg Config) loopTurn(entries []*member) (slices, warmUp time.Duration) {
	for _, e := range entries {
		if e.loops() {
			n := time.Duration(len(results.Loops) * len(cfg.Goroutines))
			slices += n
			warmUp += n * e.warmUp()
		}
	}
	return slices, warmUp
}

// member is a contender with a number of resident timers, and its results.
type member struct {
	Subject
	row  results.LiveRow
	kept *results.LiveRow // row after the last complete measurement of its group; nil: there was none
}

// hasMemory reports whether the resident timers are numerous enough to stand out from the rest of the heap.
func (e *member) hasMemory() bool {
	return e.Role != results.RoleFloor && e.row.Resident >= results.FewTimers
}

func (cfg Config) entries() []*member {
	var entries []*member
	for _, n := range cfg.Resident {
		for _, c := range cfg.Contenders {
			if c.Limit == 0 || n <= c.Limit {
				e := &member{Subject: c, row: results.LiveRow{
					Name: c.Name, Role: c.Role, Structure: c.Structure, Resident: n,
					StopNS: float64(c.delay()),
				}}
				if e.movesSoon() {
					e.row.MoveNS = float64(e.moveDelay())
				}
				entries = append(entries, e)
			}
		}
	}
	return entries
}

// Run measures the contenders. A contender that does something wrong is listed in the failures and has no row. If ctx is done, Run
// returns its error with the rows that have everything but memory, or with nil if there are none.
func Run(ctx context.Context, cfg Config) (*results.Live, []results.Failure, error) {
	p, err := cfg.plan()
	if err != nil {
		return nil, nil, err
	}
	r := &runner{ctx: ctx, Config: cfg, plan: p, random: rand.New(rand.NewPCG(cfg.Seed, 2)), entries: cfg.entries()}
	r.check()
	r.steps = len(cfg.Contenders) + (1+p.rounds)*len(r.entries)
	for round := range p.rounds {
		r.round(round)
	}
	for _, e := range r.shuffled() {
		r.memory(e)
	}
	l := r.results()
	if ctx.Err() != nil && len(l.Rows) == 0 {
		l = nil
	}
	return l, r.failures, ctx.Err()
}

// results returns the rows of the contenders that have not failed, without measurements that ctx has ended.
func (r *runner) results() *results.Live {
	l := &results.Live{Seed: r.Seed, Rounds: r.rounds, Goroutines: r.Goroutines, Rate: r.Rate}
	for _, e := range r.entries {
		if !r.failed(e.Name) && e.kept != nil {
			l.Rows = append(l.Rows, *e.kept)
		}
	}
	return l
}

// runner executes the steps of a run until ctx is done.
type runner struct {
	ctx context.Context
	Config
	plan
	random   *rand.Rand
	entries  []*member
	failures []results.Failure
	turn     int    // turns so far
	heap     uint64 // bytes of the heap after the last collection
	step     int
	steps    int
}

func (r *runner) progress(what string, c Subject, timers int) {
	if r.ctx.Err() != nil {
		return
	}
	name := what + ": " + c.Name
	if timers > 0 {
		name += fmt.Sprintf(", %d timers", timers)
	}
	r.Progress(r.step, max(r.steps, r.step+1), name)
	r.step++
}

func (r *runner) failed(name string) bool {
	return slices.ContainsFunc(r.failures, func(f results.Failure) bool { return f.Structure == name })
}

// shuffled returns the entries that have not failed, in random order.
func (r *runner) shuffled() []*member {
	list := slices.DeleteFunc(slices.Clone(r.entries), func(e *member) bool { return r.failed(e.Name) })
	return parallel.Shuffled(r.random, list)
}

// try runs one step of a contender. If the step fails or panics, the contender has failed.
func (r *runner) try(e *member, what string, f func() error) {
	if !r.failed(e.Name) {
		r.fail(e.Name, fmt.Sprintf("live, %s among %d timers", what, e.row.Resident), parallel.Try(r.ctx, f))
	}
}

// fail records an error, unless it is nil or the run was cancelled.
func (r *runner) fail(name, where string, err error) {
	if err != nil && r.ctx.Err() == nil {
		r.failures = append(r.failures, results.Failure{Structure: name, Where: where, Reason: err.Error()})
	}
}

// check runs the check of each contender.
func (r *runner) check() {
	r.steps = len(r.Contenders)
	load := Check{Goroutines: 4, Timers: 100, Steps: 25 * pace, Delay: 20 * time.Millisecond, Seed: r.Seed, Tolerance: tolerance}
	for _, c := range r.Contenders {
		r.progress("check", c, 0)
		if c.Role == results.RoleFloor {
			continue
		}
		_, wrong, err := load.Run(r.ctx, c)
		r.fail(c.Name, "live, check", errors.Join(err, wrong.Err()))
	}
}

// round measures everything but memory, once.
func (r *runner) round(round int) {
	debug.FreeOSMemory() // from earlier contenders
	for _, group := range parallel.Shuffled(r.random, groups(r.shuffled())) {
		r.measureGroup(group, round)
		for _, e := range group {
			r.keep(e)
		}
	}
}

// keep keeps what was measured of an entry so far, unless ctx has ended it.
func (r *runner) keep(e *member) {
	if r.ctx.Err() == nil {
		row := e.row // later rounds only append to its slices
		e.kept = &row
	}
}

// form returns the form of the resident timers: the first one that the system supports.
func form(s System) results.Form {
	return results.Forms[slices.IndexFunc(results.Forms, func(form results.Form) bool { return s.Forms[form] != nil })]
}

// memory measures the memory of the timers of each form.
func (r *runner) memory(e *member) {
	r.progress("memory", e.Subject, e.row.Resident)
	if !e.hasMemory() {
		return
	}
	for _, form := range results.Forms {
		r.try(e, "memory", func() error { return r.memoryOf(e, form) })
	}
	r.keep(e)
}

func (r *runner) memoryOf(e *member, form results.Form) (err error) {
	s, err := e.Open()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if s.Forms[form] == nil {
		return nil
	}
	p := newPopulation(e, s, form, runtime.GOMAXPROCS(0), r.Config)
	memory, err := p.fillMeasured()
	if err != nil {
		return err
	}
	e.row.Memory = append(e.row.Memory, memory)
	return p.empty()
}
