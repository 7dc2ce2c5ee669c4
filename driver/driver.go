package driver

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/auto"
	"github.com/timerbench/timerbench/structures/hwheellist"
)

// ErrClosed is returned by operations on a driver, or a queue, that is closed.
var ErrClosed = errors.New("driver: closed")

// Driver runs timers. Make one with New. Any goroutine may call its methods, and so may the functions that it runs.
type Driver struct {
	clock     clock
	budget    int
	shards    []shard
	preferred [stackHashes]preferred
	seen      atomic.Uint32 // number of preferred that are in use
	alarm     alarm
	pool      pool
	pass      pass
	done      chan struct{} // closed by Close
	random    struct {
		sync.Mutex
		*rand.Rand
	}
	wall func() time.Time // the wall clock, without a monotonic reading
}

// New returns a driver without timers. It starts no goroutine. A driver that is made inside a testing/synctest
// bubble runs by the clock of the bubble, and only goroutines of the bubble may use it. A driver that is made
// outside is for goroutines outside. On the wrong side, all methods panic except those that only stop timers.
// The error names the option and the value that are invalid.
func New(opts ...Option) (*Driver, error) {
	c, err := newConfig(opts)
	if err != nil {
		return nil, err
	}
	d := &Driver{
		budget: c.budget,
		shards: make([]shard, c.shards),
		done:   make(chan struct{}),
		wall:   func() time.Time { return time.Now().Round(0) },
	}
	d.random.Rand = rand.New(rand.NewPCG(c.seed, 0))
	d.clock.init(c.tick, c.uptime)
	given, err := refs.allocate(d.shards)
	if err != nil {
		return nil, err
	}
	runtime.AddCleanup(d, refs.release, given)
	for i := range d.shards {
		sh := &d.shards[i]
		sh.clock, sh.d, sh.index = &d.clock, d, uint32(i)
		sh.given = int64(sh.ref.number) << 39
		sh.next.Store(int64(never))
		sh.settles.Store(int64(never))
		sh.wall.look = never
		sh.watch = newWatch(sh, c.profiling)
		sh.marked.Store(sh.watch != nil || c.workers == 1)
		if c.structure != nil {
			if sh.s, err = d.newStructure(c.structure, i); err != nil {
				return nil, fmt.Errorf("driver: Structure: %w", err)
			}
		}
	}
	for i := range d.preferred {
		d.preferred[i].shard.Store(noShard)
	}
	d.pool.init(c.execution)
	d.pass.batch = make([]call, 0, c.budget)
	d.alarm.init(d, c.ticking, d.clock.real && (c.precise || c.uptime != nil))
	return d, nil
}

func (d *Driver) newStructure(newScheduler func() structures.Scheduler[Task],
	i int) (structures.Scheduler[Task], error) {
	s := newScheduler()
	if s == nil {
		return nil, fmt.Errorf("the function returned nil, want a scheduler")
	}
	if n := s.Len(); n > 0 {
		return nil, fmt.Errorf("the function returned a %T with %d timers pending, want an empty one", s, n)
	}
	if i > 0 && reflect.TypeOf(s).Comparable() && s == d.shards[0].s {
		return nil, fmt.Errorf("the function returned the same %T twice, want one for each of %d shards", s, len(d.shards))
	}
	return s, nil
}

// Init makes t a timer of d that runs f. Use it for a Timer that is a field of your own struct. It does not
// allocate. The timer is not pending until Reset starts it. Init panics if t is pending or if f is nil.
//
// Do not overwrite the struct while t is pending: call Stop first. If the struct is overwritten
// all the same, the driver panics when the timer is due, instead of calling f.
func (d *Driver) Init(t *Timer, f func()) {
	mustRun(f, "Init")
	mustDrive(d, "Init")
	if t.when.Load() != idle && !t.sh.closed.Load() {
		panic("driver: Init: the Timer is pending: Stop it before")
	}
	t.f, t.id = f, 0
	t.sh = d.assign()
	t.when.Store(idle)
}

// Now returns the time since d was made, by the clock of its timers. Callers share a reading of the clock for up to
// 4 µs, so Now costs a few ns and is up to 8 µs after the true time, and never before it.
func (d *Driver) Now() time.Duration { return time.Duration(d.clock.soon()) }

// Len returns the number of pending timers. It takes the lock of each shard.
func (d *Driver) Len() int {
	n := 0
	for i := range d.shards {
		sh := &d.shards[i]
		sh.emptyBoxes()
		sh.mu.Lock()
		n += sh.pending + sh.handed
		sh.mu.Unlock()
	}
	d.pool.mu.Lock()
	defer d.pool.mu.Unlock()
	return n + d.pool.waiting
}

// Close ends the driver. After it returns, no function is called. It does not wait for functions
// that were called before; one of them may still be about to execute its first statement. Use
// Shutdown to wait. All pending timers are dropped, and a timer that is started later never
// fires; Err tells whether the driver is closed. The error is always nil.
func (d *Driver) Close() error {
	d.close()
	return nil
}

// Done returns a channel that Close closes.
func (d *Driver) Done() <-chan struct{} { return d.done }

// Err returns ErrClosed after Close, and nil before. AfterFunc and similar methods return no
// error, so call Err to find out whether another goroutine has closed the driver.
func (d *Driver) Err() error {
	if isClosed(d.done) {
		return ErrClosed
	}
	return nil
}

// isClosed reports whether a channel on which nothing is sent is closed.
func isClosed(c chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// Shutdown closes the driver, as Close does, and waits until no function is running or ctx ends. It returns the
// number of timers that were pending, including those whose functions had not started. The error is that of
// ctx. A function of a timer must not call Shutdown with a context that never ends: it would wait for itself.
func (d *Driver) Shutdown(ctx context.Context) (pending int, err error) {
	pending = d.close()
	for _, end := range []chan struct{}{d.alarm.quiet, d.pool.quiet} {
		select {
		case <-end:
		case <-ctx.Done():
			if !isClosed(end) {
				return pending + d.pool.left(), ctx.Err()
			}
		}
	}
	return pending + d.pool.left(), nil
}

// close closes all parts, and returns the number of timers in the structures.
func (d *Driver) close() int {
	mustDrive(d, "Close")
	if d.pool.close() {
		close(d.done)
	}
	pending := 0
	for i := range d.shards {
		d.shards[i].emptyBoxes()
		pending += d.shards[i].close()
	}
	d.alarm.close()
	return pending
}

// Option sets a parameter of a driver. If an option is invalid, New returns an error that names
// the option and its value.
type Option func(*config) error

type config struct {
	execution
	structure func() structures.Scheduler[Task] // nil: auto, made when needed
	tick      time.Duration                     // 0: the default
	uptime    func() int64                      // ns; nil: the clock of package time
	ticking   bool
	precise   bool
	shards    int
	budget    int
	profiling int // 0: off
	seed      uint64
}

// execution says how functions run.
type execution struct {
	inline  bool
	workers int // the most goroutines: maxWorkers if there is no limit, 1 if inline
	onPanic func(value any, stack []byte)
}

const (
	maxShards  = 1 << 12
	maxWorkers = 1 << 30
	maxBudget  = 1 << 20
	// defaultTick makes the median lateness that of package time: docs/driver.md has the measurements.
	defaultTick = 100 * time.Microsecond
	// defaultTicking is longer, because each tick costs a wake-up.
	defaultTicking = time.Millisecond
	// maxTick keeps the sum of a time and a tick within 64 bits.
	maxTick = 24 * time.Hour
)

func newConfig(opts []Option) (config, error) {
	c := config{execution: execution{workers: maxWorkers}, budget: 256, seed: rand.Uint64()}
	for i, opt := range opts {
		if opt == nil {
			return c, fmt.Errorf("driver: option %d of %d is nil", i+1, len(opts))
		}
		if err := opt(&c); err != nil {
			return c, fmt.Errorf("driver: %w", err)
		}
	}
	if c.shards == 0 {
		c.shards = defaultShards(runtime.GOMAXPROCS(0))
		if c.workers == 1 {
			c.shards = 1
		}
	}
	if c.tick == 0 {
		c.tick = defaultTick
		if c.ticking {
			c.tick = defaultTicking
		}
	}
	return c, nil
}

// defaultShards returns four shards per processor, so that two goroutines seldom want the same
// one. It returns at most 64, because each pass visits every shard.
func defaultShards(procs int) int { return min(4*procs, 64) }

// defaultStructure returns one that keeps the order of equal deadlines, or the fastest.
func defaultStructure(inOrder bool) structures.Scheduler[Task] {
	if inOrder {
		return hwheellist.New[Task]()
	}
	return auto.New[Task]()
}

// option returns an Option that calls set, or fails with this message if the value is not valid.
func option(valid bool, set func(*config), format string, args ...any) Option {
	return func(c *config) error {
		if !valid {
			return fmt.Errorf(format, args...)
		}
		set(c)
		return nil
	}
}

// Structure sets the structure by its constructor and the options of the constructor:
//
//	driver.New(driver.Structure(hwheel.New[driver.Task]))
//	driver.New(driver.Structure(wheel.New[driver.Task], wheel.Slots(4096)))
//
// New calls the constructor once per shard. The default is auto.New, or hwheellist.New with Inline and Workers(1).
func Structure[S structures.Scheduler[Task], O any](newScheduler func(...O) S, opts ...O) Option {
	if newScheduler == nil {
		return StructureFunc(nil)
	}
	return StructureFunc(func() structures.Scheduler[Task] { return newScheduler(opts...) })
}

// StructureFunc sets the structure by a function. New calls newScheduler once per shard. Each
// call must return an empty scheduler that no other call returns.
func StructureFunc(newScheduler func() structures.Scheduler[Task]) Option {
	return option(newScheduler != nil, func(c *config) { c.structure = newScheduler },
		"Structure(nil): want a function")
}

// Tick sets the length of a tick. The default is 100 µs, or 1 ms if the driver is Ticking. The maximum is 24 h. A timer
// is late by up to a tick.
func Tick(length time.Duration) Option {
	return option(length > 0 && length <= maxTick, func(c *config) { c.tick = length },
		"Tick(%v): want a duration from 1ns to %v", length, maxTick)
}

// Ticking makes the driver wake up at every tick and call Pop of every structure that holds a timer. By default a
// driver is tickless: it sleeps until a structure has work to do. A ticking driver stays in memory until Close.
func Ticking() Option { return option(true, func(c *config) { c.ticking = true }, "") }

// Precise wakes the driver by a timerfd on Linux. In a process that sleeps, the median lateness is then 0.1 ms instead of
// 0.6 ms, for about the same processor time. With thousands of timers a second, some wait up to 0.8 ms, so that they fire
// together. A process whose processors become busy may be 10 ms late once. All precise drivers share one descriptor and one
// goroutine, from the first timer that is due within a second until the last driver is closed or collected. On other
// systems, in a testing/synctest bubble, and where the system refuses a timerfd, Precise has no effect. Stats names the
// alarm in use.
func Precise() Option { return option(true, func(c *config) { c.precise = true }, "") }

// Boottime makes deadlines follow a clock that runs while the machine is suspended: CLOCK_BOOTTIME on Linux,
// the interrupt time on Windows, and the wall clock minus the boot time on macOS. On other systems New returns
// an error. Timers that came due during a suspend fire at the resume on Linux, where Boottime includes Precise. On
// other systems they fire within a second, for which the driver wakes up once a second while timers are pending. Reset
// costs a system call every few µs. Without Boottime, suspended time does not count on Linux and macOS. Inside a
// testing/synctest bubble, Boottime has no effect.
func Boottime() Option {
	return func(c *config) (err error) {
		if !monotonic(time.Now()) {
			return nil // inside a bubble
		}
		if c.uptime, err = uptime(); err != nil {
			return fmt.Errorf("Boottime: %w", err)
		}
		return nil
	}
}

// Shards sets the number of shards, from 1 to 4096. Each shard has a structure and a lock. The
// default is four per processor, and 64 at most, or one with Inline and Workers(1), because only timers of one shard keep
// the order of equal ticks.
func Shards(n int) Option {
	return option(n >= 1 && n <= maxShards, func(c *config) { c.shards = n },
		"Shards(%d): want a number from 1 to %d", n, maxShards)
}

// Goroutines runs each function on a goroutine where it may block, as time.AfterFunc does. This is the default.
func Goroutines() Option { return Workers(maxWorkers) }

// Workers runs at most n functions at a time, where n is at least 1. While n functions are
// running, others wait. The one that was due first starts first. Workers(1) runs them in the order that Inline has.
func Workers(n int) Option {
	return option(n >= 1 && n <= maxWorkers, func(c *config) { c.inline, c.workers = false, n },
		"Workers(%d): want a number from 1 to %d", n, maxWorkers)
}

// Inline runs functions one after the other, in the order of their deadlines, on the goroutine
// that pops the timers. While a function runs, no other timer fires. Functions of the same tick run in the order in which
// their timers were last started or reset, if there is one shard and the structure fires ties in order, as its default
// hwheellist does. So each Reset takes the lock.
func Inline() Option {
	return option(true, func(c *config) { c.inline, c.workers = true, 1 }, "")
}

// Budget sets the most timers that are popped from a structure under one hold of its lock, from 1
// to 1048576. The default is 256. The rest follow immediately under the next hold.
func Budget(n int) Option {
	return option(n >= 1 && n <= maxBudget, func(c *config) { c.budget = n },
		"Budget(%d): want a number from 1 to %d", n, maxBudget)
}

// OnPanic calls report instead of crashing when a timer function panics. report gets the value of the panic and
// the stack, and runs on the goroutine of the function. Without OnPanic, a panic ends the program.
func OnPanic(report func(value any, stack []byte)) Option {
	return option(report != nil, func(c *config) { c.onPanic = report }, "OnPanic(nil): want a function")
}

// Seed sets the seed of the random numbers that Jitter and Spread use. Without Seed, each driver has another seed.
func Seed(seed uint64) Option { return option(true, func(c *config) { c.seed = seed }, "") }

// Profiling records the stack of one in n calls that start a timer, where n is at least 1. The
// pending timers among them are in the profile timerbench/driver.pending of runtime/pprof, by the
// stack of the call, from the caller of the driver on. Each of them stands for n timers:
//
//	go tool pprof http://localhost:6060/debug/pprof/timerbench/driver.pending
//
// Profiling also makes Stats count Moved and Delays. It costs a stack trace for one timer in n, some 10 ns for each of the others, and a lock for a Reset. It is off by default.
func Profiling(n int) Option {
	return option(n >= 1, func(c *config) { c.profiling = n }, "Profiling(%d): want a number of at least 1", n)
}
