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
)

// Config is what to measure.
type Config struct {
	Contenders []Contender
	Resident   []int         // numbers of pending timers, each of which is measured
	Goroutines []int         // of the throughput
	For        time.Duration // how long to measure, at most; the first round is always made whole
	Rounds     int           // at most
	Rate       float64       // timers started a second, of the lateness
	IdleTimers int
	Seed       uint64
	MaxOps     int // of a goroutine in a timed slice

	// Sleep is how the load that measures lateness waits for its next start.
	Sleep func(time.Duration)

	// Progress is told what is measured next.
	Progress func(done, total int, name string)
}

// Default returns a configuration without contenders.
func Default() Config {
	return Config{
		Resident: []int{1_000_000}, Goroutines: []int{1, 2, 4, 8}, For: 20 * time.Second, Rounds: 8,
		Rate: 10_000, IdleTimers: 1000, Seed: 1, MaxOps: 1 << 24,
		Sleep: pause, Progress: func(int, int, string) {},
	}
}

// lengths is how long each part of what is measured of one contender in one round takes.
type lengths struct{ slice, lateness, idle time.Duration }

const (
	// perTimer and perUnit guess at what is not timed: filling, emptying, collecting.
	perTimer = 6 * time.Microsecond
	perUnit  = 150 * time.Millisecond
	perCheck = 400 * time.Millisecond

	// fewTimers are too few to tell what they take of the heap, and of a collection.
	fewTimers = 10_000

	// Shorter ones would measure how they begin and end.
	minSlice    = 2 * time.Millisecond
	minLateness = 150 * time.Millisecond
	minIdle     = 100 * time.Millisecond
)

// plan divides the time.
func (cfg Config) plan() (rounds int, each lengths, err error) {
	units := cfg.units()
	if len(units) == 0 {
		return 0, each, fmt.Errorf("no contender takes %v resident timers", cfg.Resident)
	}
	slices := time.Duration(len(Ops()) * len(cfg.Goroutines))
	least := minSlice*slices + minLateness + minIdle
	fixed := time.Duration(0)
	for _, u := range units {
		fixed += perUnit + time.Duration(u.resident)*perTimer
	}
	checks := time.Duration(len(cfg.Contenders)) * perCheck
	n := time.Duration(len(units))
	if need := checks + fixed + n*least; cfg.For < need {
		return 0, each, fmt.Errorf("%v is too short for %d contenders, which take %v: choose fewer of them, fewer timers or a longer time",
			cfg.For, len(cfg.Contenders), need.Round(time.Second)+time.Second)
	}
	// More rounds of short slices tell more than few of long ones.
	rounds = int(min(time.Duration(cfg.Rounds), (cfg.For-checks)/(fixed+n*least*2)))
	rounds = max(rounds, 1)
	share := ((cfg.For-checks)/time.Duration(rounds) - fixed) / n
	each = lengths{
		slice:    max(minSlice, share*45/100/slices),
		lateness: max(minLateness, share*35/100),
		idle:     max(minIdle, share*20/100),
	}
	return rounds, each, nil
}

// unit is a contender among so many timers: what is measured whole in a round.
type unit struct {
	Contender
	resident int
}

func (cfg Config) units() []unit {
	var units []unit
	for _, n := range cfg.Resident {
		for _, c := range cfg.Contenders {
			if c.Limit == 0 || n <= c.Limit {
				units = append(units, unit{c, n})
			}
		}
	}
	return units
}

// Run measures the contenders. Those that do something wrong are among the failures
// instead.
func Run(ctx context.Context, cfg Config) (*results.Live, []results.Failure, error) {
	rounds, each, err := cfg.plan()
	if err != nil {
		return nil, nil, err
	}
	units := cfg.units()
	r := &runner{
		Config: cfg, lengths: each,
		checks: make(map[string]results.LiveCheck), total: len(cfg.Contenders) + rounds*len(units),
	}
	start := time.Now()
	if err := r.check(ctx); err != nil {
		return nil, nil, err
	}
	for _, u := range units {
		r.rows = append(r.rows, results.LiveRow{
			Name: u.Name, Role: u.Role, Structure: u.Structure, Driver: u.Driver, Shards: u.Shards,
			Resident: u.resident, Check: r.checks[u.Name],
		})
	}
	random := rand.New(rand.NewPCG(cfg.Seed, 2))
	done := 0
	for done < rounds {
		began := time.Now()
		for _, i := range random.Perm(len(units)) {
			if err := r.measure(ctx, units[i], &r.rows[i], done, random); err != nil {
				return nil, nil, err
			}
		}
		done++
		if time.Since(start)+time.Since(began) > cfg.For+cfg.For/10 {
			break // another one would take too long
		}
	}
	rows := slices.DeleteFunc(r.rows, func(row results.LiveRow) bool { return r.failed(row.Name) })
	return &results.Live{
		Seed: cfg.Seed, Rounds: done, Goroutines: cfg.Goroutines, Rate: cfg.Rate, IdleTimers: cfg.IdleTimers, Rows: rows,
	}, r.failures, nil
}

type runner struct {
	Config
	lengths
	checks      map[string]results.LiveCheck
	rows        []results.LiveRow
	failures    []results.Failure
	done, total int
}

func (r *runner) progress(name string) {
	r.Progress(r.done, r.total, name)
	r.done++
}

func (r *runner) failed(name string) bool {
	return slices.ContainsFunc(r.failures, func(f results.Failure) bool { return f.Structure == name })
}

func (r *runner) fail(name, where string, err error) {
	r.failures = append(r.failures, results.Failure{Structure: name, Where: where, Reason: err.Error()})
}

// check puts each contender through the check.
func (r *runner) check(ctx context.Context) error {
	load := Check{Goroutines: 4, Timers: 100, Steps: 25 * pace, Delay: 20 * time.Millisecond, Seed: r.Seed, Tolerance: tolerance}
	for _, c := range r.Contenders {
		r.progress("check " + c.Name)
		if c.Role == results.RoleFloor {
			continue
		}
		counts, wrong, err := load.Run(ctx, c)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err := errors.Join(err, wrong.Err()); err != nil {
			r.fail(c.Name, "live, check", err)
		}
		r.checks[c.Name] = counts
	}
	return nil
}

// measure measures one contender in one round, and adds what it finds to the row. The
// error is that of ctx only.
func (r *runner) measure(ctx context.Context, u unit, row *results.LiveRow, round int, random *rand.Rand) error {
	r.progress(fmt.Sprintf("round %d: %s, %d timers", round+1, u.Name, u.resident))
	if r.failed(u.Name) {
		return nil
	}
	debug.FreeOSMemory() // what others have left behind
	err := sheltered(func() error {
		if err := r.idle(ctx, u, row); err != nil {
			return err
		}
		if err := r.loaded(ctx, u, row, round, random); err != nil || round > 0 {
			return err
		}
		return r.memory(ctx, u, row)
	})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		r.fail(u.Name, fmt.Sprintf("live, %d timers", u.resident), err)
	}
	return nil
}

// form is that of the resident timers: the first one that the system has.
func form(s System) Form {
	for _, form := range Forms() {
		if s.Timers(form, 1, func(int) func() { return func() {} }) != nil {
			return form
		}
	}
	return ""
}

func (r *runner) idle(ctx context.Context, u unit, row *results.LiveRow) error {
	s, err := u.Open()
	if err != nil {
		return err
	}
	use, err := Idle{r.IdleTimers, r.Seed}.run(ctx, s, form(s), r.lengths.idle)
	row.Idle = append(row.Idle, use)
	return errors.Join(err, s.Close())
}

// loaded measures a system that holds the resident timers.
func (r *runner) loaded(ctx context.Context, u unit, row *results.LiveRow, round int, random *rand.Rand) (err error) {
	s, err := u.Open()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	c := newCrew(u.Contender, s, form(s), u.resident, slices.Max(r.Goroutines), r.MaxOps, r.Seed)
	memory, err := c.fillMeasured(round)
	if err != nil {
		return err
	}
	if u.hasMemory() {
		row.Memory = append(row.Memory, memory)
	}
	if err := r.throughput(ctx, c, row, round, random); err != nil {
		return err
	}
	rate := r.Rate
	if u.Limit > 0 {
		rate = min(rate, float64(u.Limit))
	}
	load := OpenLoop{Rate: rate, Delay: min(100*time.Millisecond, r.lengths.lateness/3), Seed: r.Seed, Tolerance: tolerance, Sleep: r.Sleep}
	load.Length = r.lengths.lateness - load.Delay
	late, wrong, err := load.run(ctx, u.Contender, s, c.form)
	late.Round, late.Rate = round, rate
	row.Lateness = append(row.Lateness, late)
	if err = errors.Join(err, wrong.Err()); err != nil {
		return fmt.Errorf("lateness: %w", err)
	}
	return c.empty()
}

// throughput times the slices in random order, those last that leave other delays behind.
func (r *runner) throughput(ctx context.Context, c *crew, row *results.LiveRow, round int, random *rand.Rand) error {
	type slice struct {
		op         Op
		goroutines int
	}
	var list []slice
	for _, op := range Ops() {
		for _, n := range r.Goroutines {
			if c.can(op) {
				list = append(list, slice{op, n})
			}
		}
	}
	random.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	slices.SortStableFunc(list, func(a, b slice) int { return btoi(a.op == ResetRandom) - btoi(b.op == ResetRandom) })
	for _, s := range list {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		t, err := c.slice(s.op, s.goroutines, r.slice)
		if err != nil {
			return fmt.Errorf("%s by %d goroutines: %w", s.op, s.goroutines, err)
		}
		t.Round = round
		row.Throughput = append(row.Throughput, t)
	}
	return nil
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// hasMemory reports whether the memory of the resident timers can be told from what else
// is on the heap.
func (u unit) hasMemory() bool { return u.Role != results.RoleFloor && u.resident >= fewTimers }

// memory measures what timers of the other forms take.
func (r *runner) memory(ctx context.Context, u unit, row *results.LiveRow) error {
	if !u.hasMemory() {
		return nil
	}
	for _, form := range Forms() {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if slices.ContainsFunc(row.Memory, func(m results.LiveMemory) bool { return m.Form == string(form) }) {
			continue
		}
		if err := r.memoryOf(u, form, row); err != nil {
			return fmt.Errorf("memory, %s: %w", form, err)
		}
	}
	return nil
}

func (r *runner) memoryOf(u unit, form Form, row *results.LiveRow) (err error) {
	s, err := u.Open()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if s.Timers(form, 1, func(int) func() { return func() {} }) == nil {
		return nil
	}
	c := newCrew(u.Contender, s, form, u.resident, runtime.GOMAXPROCS(0), r.MaxOps, r.Seed)
	memory, err := c.fillMeasured(0)
	if err != nil {
		return err
	}
	row.Memory = append(row.Memory, memory)
	return c.empty()
}
