package driver

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"time"

	"github.com/timerbench/timerbench/driver/internal/machine"
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/auto"
)

// Option sets one of the parameters of a driver. An invalid one makes New return
// an error that names the option and its value.
type Option func(*config) error

type config struct {
	structure func() structures.Scheduler[Task] // nil: auto, made when needed
	tick      time.Duration
	uptime    func() int64 // ns; nil: the clock of package time
	ticking   bool
	shards    int
	execution execution
	budget    int
	onPanic   func(value any, stack []byte)
	slack     time.Duration
	profiling int // 0: off
	seed      uint64
}

// execution is how functions are run.
type execution struct {
	inline  bool
	workers int // goroutines at most: maxWorkers if there is no limit, 1 if inline
}

const (
	maxShards  = 1 << 12
	maxWorkers = 1 << 30
	maxBudget  = 1 << 20
	// maxTick keeps the sum of a time and a tick within 64 bits.
	maxTick = 24 * time.Hour
)

func newConfig(opts []Option) (config, error) {
	c := config{
		tick:      time.Millisecond,
		shards:    defaultShards(runtime.GOMAXPROCS(0)),
		execution: execution{workers: maxWorkers},
		budget:    256,
		seed:      rand.Uint64(),
	}
	for i, opt := range opts {
		if opt == nil {
			return c, fmt.Errorf("driver: option %d of %d is nil", i+1, len(opts))
		}
		if err := opt(&c); err != nil {
			return c, fmt.Errorf("driver: %w", err)
		}
	}
	return c, nil
}

// defaultShards returns four shards for each processor, so that two goroutines
// seldom want the same one, and 64 at most, as each pass looks at all of them.
func defaultShards(procs int) int { return min(4*procs, 64) }

func defaultStructure() structures.Scheduler[Task] { return auto.New[Task]() }

// option returns one that sets something, or an error that says what was passed and is wanted.
func option(valid bool, set func(*config), format string, args ...any) Option {
	return func(c *config) error {
		if !valid {
			return fmt.Errorf(format, args...)
		}
		set(c)
		return nil
	}
}

// Structure sets the structure by its constructor, and options of that:
//
//	driver.New(driver.Structure(hwheel.New[driver.Task]))
//	driver.New(driver.Structure(wheel.New[driver.Task], wheel.Slots(4096)))
//
// It is called once for each shard, by New. By default it is that of package auto.
func Structure[S structures.Scheduler[Task], O any](newScheduler func(...O) S, opts ...O) Option {
	if newScheduler == nil {
		return StructureFunc(nil)
	}
	return StructureFunc(func() structures.Scheduler[Task] { return newScheduler(opts...) })
}

// StructureFunc is Structure for functions of another kind. It is called once for each
// shard, by New, and must return an empty scheduler each time, and another one each time.
func StructureFunc(newScheduler func() structures.Scheduler[Task]) Option {
	return option(newScheduler != nil, func(c *config) { c.structure = newScheduler },
		"Structure(nil): want a function")
}

// Tick sets the length of a tick, by default 1 ms, at most 24 h. A timer is late by
// up to a tick.
func Tick(length time.Duration) Option {
	return option(length > 0 && length <= maxTick, func(c *config) { c.tick = length },
		"Tick(%v): want a duration from 1ns to %v", length, maxTick)
}

// Ticking makes the driver wake up at every tick and ask the structures, whether there is
// something to do or not. By default it is tickless: it sleeps until a structure has
// something to do. A ticking driver stays in memory until Close.
func Ticking() Option { return option(true, func(c *config) { c.ticking = true }, "") }

// Boottime makes deadlines go by a clock that goes on while the machine is suspended:
// CLOCK_BOOTTIME on Linux, the interrupt time on Windows, the wall clock less the time of the
// boot on macOS, and an error of New elsewhere. After a resume what is due fires within a
// second. For this the driver wakes up once a second while timers are pending, and Reset costs
// a system call every few µs. Without it the time of a suspend does not count. Inside a
// testing/synctest bubble it changes nothing.
func Boottime() Option {
	return func(c *config) (err error) {
		if !monotonic(time.Now()) {
			return nil // inside a bubble
		}
		if c.uptime, err = machine.Uptime(); err != nil {
			return fmt.Errorf("Boottime: %w", err)
		}
		return nil
	}
}

// Shards sets the number of structures, from 1 to 4096, each with a lock of its own.
// By default it is four for each processor, and 64 at most.
func Shards(n int) Option {
	return option(n >= 1 && n <= maxShards, func(c *config) { c.shards = n },
		"Shards(%d): want a number from 1 to %d", n, maxShards)
}

// Goroutines makes every function run on a goroutine where it may take its time, as
// those of time.AfterFunc do. That is the default.
func Goroutines() Option { return Workers(maxWorkers) }

// Workers makes at most n functions run at a time, n at least 1. Those due while n
// are running wait for one to return, the one due first first.
func Workers(n int) Option {
	return option(n >= 1 && n <= maxWorkers, func(c *config) { c.execution = execution{workers: n} },
		"Workers(%d): want a number from 1 to %d", n, maxWorkers)
}

// Inline makes functions run one after the other, in the order of their deadlines, on
// the goroutine that finds them due. While one runs no other timer fires.
func Inline() Option {
	return option(true, func(c *config) { c.execution = execution{inline: true, workers: 1} }, "")
}

// Budget sets how many timers are taken out of a structure under one hold of its lock
// at most, from 1 to 1048576, by default 256. The rest follow at once after.
func Budget(n int) Option {
	return option(n >= 1 && n <= maxBudget, func(c *config) { c.budget = n },
		"Budget(%d): want a number from 1 to %d", n, maxBudget)
}

// OnPanic makes report the one who hears of functions that panic, with the value and
// the stack. The program goes on then. Without it a panic ends the program. It is
// called on the goroutine of the function.
func OnPanic(report func(value any, stack []byte)) Option {
	return option(report != nil, func(c *config) { c.onPanic = report },
		"OnPanic(nil): want a function")
}

// Slack makes Reset of a pending Timer or ChanTimer do nothing where the new deadline is
// later than the one that stands, by up to this duration: the timer then fires that much
// earlier than Reset asked for. It is 0 by default. A Handle does not know its deadline,
// and is always moved.
func Slack(slack time.Duration) Option {
	return option(slack >= 0, func(c *config) { c.slack = slack },
		"Slack(%v): want a duration of at least 0s", slack)
}

// Seed sets what the random numbers of Jitter and Spread begin with. Without it they differ from
// driver to driver.
func Seed(seed uint64) Option { return option(true, func(c *config) { c.seed = seed }, "") }

// Profiling makes the driver note where timers are started, of one in n, n at least 1. Those that
// are pending are in the profile timerbench/driver.pending of runtime/pprof, by the stack that
// started them, from the caller of the driver on. So each of them stands for n:
//
//	go tool pprof http://localhost:6060/debug/pprof/timerbench/driver.pending
//
// Stats then has Moved and Delays. It costs a stack trace for one timer in n, some 10 ns for each
// of the others, and some 5 ns for a Reset. It is off by default.
func Profiling(n int) Option {
	return option(n >= 1, func(c *config) { c.profiling = n },
		"Profiling(%d): want a number of at least 1", n)
}
