package live

import (
	"fmt"
	"math"
	"time"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/driver"
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/entry"
)

// defaultTick returns the default tick of package driver.
func defaultTick(kind results.Driver) time.Duration {
	if kind == results.Ticking {
		return time.Millisecond
	}
	return 100 * time.Microsecond
}

// Drivers returns a contender for each combination of a structure, a kind of driver, a
// number of shards and a tick. 0 shards, a tick of 0 and no ticks mean the driver's default.
func Drivers(entries []entry.For[driver.Task], kinds []results.Driver, shards []int,
	ticks ...time.Duration) []Subject {
	if len(ticks) == 0 {
		ticks = []time.Duration{0}
	}
	var list []Subject
	for _, e := range entries {
		for _, kind := range kinds {
			for _, n := range shards {
				for _, tick := range ticks {
					list = append(list, driverOf(e, kind, n, tick))
				}
			}
		}
	}
	return list
}

func driverOf(e entry.For[driver.Task], kind results.Driver, shards int, tick time.Duration) Subject {
	opts := []driver.Option{driver.StructureFunc(e.New)}
	if kind == results.Ticking {
		opts = append(opts, driver.Ticking())
	}
	name := fmt.Sprintf("%s %s", e.Name, kind)
	if shards > 0 {
		opts = append(opts, driver.Shards(shards))
		name = fmt.Sprintf("%s, shards %d", name, shards)
	}
	if tick == 0 {
		tick = defaultTick(kind)
	} else if opts = append(opts, driver.Tick(tick)); tick != defaultTick(kind) {
		name = fmt.Sprintf("%s, tick %v", name, tick)
	}
	return Subject{
		Name: name, Role: results.RoleStructure, Structure: e.Name, Driver: kind, Shards: shards, Limit: e.Limit,
		Late: func(delay time.Duration) time.Duration {
			if e.Exact() {
				return tick
			}
			ticks := structures.Tick((delay+tick-1)/tick) + 1 // from the tick that has begun
			return tick + time.Duration(e.MaxLate(ticks))*tick
		},
		Open: func() (System, error) {
			d, err := driver.New(opts...)
			return driverSystem{d}, err
		},
	}
}

// driverSystem is a driver as a System.
type driverSystem struct{ *driver.Driver }

func (d driverSystem) Timers(form results.Form, n int, function func(i int) func()) Timers {
	switch form {
	case results.FormAfterFunc:
		return newHeld(d.AfterFunc, n, function)
	case results.FormChannel:
		return newHeld(func(delay time.Duration, _ func()) *driver.ChanTimer { return d.NewTimer(delay) }, n, function)
	case results.FormSchedule:
		return newHeld(d.Schedule, n, function)
	case results.FormEmbedded:
		e := embedded(make([]driver.Timer, n))
		for i := range e {
			d.Init(&e[i], function(i))
		}
		return e
	}
	return nil
}

func (d driverSystem) Wakeups() uint64 { return d.Stats().Wakeups }

// embedded holds timers of FormEmbedded.
type embedded []driver.Timer

func (e embedded) Start(i int, delay time.Duration)      { e[i].Reset(delay) }
func (e embedded) Stop(i int) bool                       { return e[i].Stop() }
func (e embedded) Reset(i int, delay time.Duration) bool { return e[i].Reset(delay) }

// Time returns Go's own timers.
func Time() Subject {
	return Subject{Name: "time", Role: results.RoleBaseline, Open: func() (System, error) { return goTime{}, nil }}
}

type goTime struct{}

func (goTime) Timers(form results.Form, n int, function func(i int) func()) Timers {
	switch form {
	case results.FormAfterFunc:
		return newHeld(time.AfterFunc, n, function)
	case results.FormChannel:
		return newHeld(func(delay time.Duration, _ func()) *time.Timer { return time.NewTimer(delay) }, n, function)
	}
	return nil
}

func (goTime) Close() error { return nil }

// held keeps the handles that start returns.
type held[T timer] struct {
	start func(time.Duration, func()) T
	t     []T
	f     []func()
}

type timer interface {
	Stop() bool
	Reset(time.Duration) bool
}

func newHeld[T timer](start func(time.Duration, func()) T, n int, function func(i int) func()) *held[T] {
	h := &held[T]{start, make([]T, n), make([]func(), n)}
	for i := range h.f {
		h.f[i] = function(i)
	}
	return h
}

func (p *held[T]) Start(i int, delay time.Duration)      { p.t[i] = p.start(delay, p.f[i]) }
func (p *held[T]) Stop(i int) bool                       { return p.t[i].Stop() }
func (p *held[T]) Reset(i int, delay time.Duration) bool { return p.t[i].Reset(delay) }

// Floor returns a contender that does nothing. Its figures are the cost of the loads themselves.
func Floor() Subject {
	return Subject{
		Name: "floor", Role: results.RoleFloor,
		Late: func(time.Duration) time.Duration { return math.MaxInt64 },
		Open: func() (System, error) { return nothing{}, nil },
	}
}

type nothing struct{}

func (nothing) Timers(form results.Form, _ int, _ func(i int) func()) Timers {
	if form == results.FormAfterFunc {
		return nothing{}
	}
	return nil
}
func (nothing) Start(int, time.Duration)      {}
func (nothing) Stop(int) bool                 { return true }
func (nothing) Reset(int, time.Duration) bool { return true }
func (nothing) Close() error                  { return nil }
