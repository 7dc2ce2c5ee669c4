package live

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/driver"
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/entry"
)

// defaultTick is the default tick of package driver.
const defaultTick = 100 * time.Microsecond

// Drivers returns a contender for each combination of a structure and a tick. No ticks mean the driver's default.
func Drivers(entries []entry.For[driver.Task], ticks ...time.Duration) []Subject {
	if len(ticks) == 0 {
		ticks = []time.Duration{defaultTick}
	}
	var list []Subject
	for _, e := range entries {
		for _, tick := range ticks {
			list = append(list, driverOf(e, tick))
		}
	}
	return list
}

func driverOf(e entry.For[driver.Task], tick time.Duration, opts ...driver.Option) Subject {
	opts = append(opts, driver.StructureFunc(e.New), driver.Tick(tick))
	name := results.OnDriver(e.Name)
	if tick != defaultTick {
		name = fmt.Sprintf("%s, tick %v", name, tick)
	}
	return Subject{
		Name: name, Role: results.RoleStructure, Structure: e.Name, Limit: e.Limit,
		Late: func(delay time.Duration) time.Duration {
			if e.Exact() {
				return tick
			}
			ticks := structures.Tick((delay+tick-1)/tick) + 1 // from the tick that has begun
			return tick + time.Duration(e.MaxLate(ticks))*tick
		},
		Open: func() (System, error) {
			d, err := driver.New(opts...)
			return systemOf(d), err
		},
	}
}

// systemOf returns a driver as a System.
func systemOf(d *driver.Driver) System {
	return System{
		Forms: Forms{
			results.FormAfterFunc: hold(d.AfterFunc), results.FormSchedule: hold(d.Schedule),
			results.FormChannel: hold(func(delay time.Duration, _ func()) *driver.ChanTimer { return d.NewTimer(delay) }),
			results.FormEmbedded: func(functions []func()) Timers {
				e := embedded(make([]driver.Timer, len(functions)))
				for i, f := range functions {
					d.Init(&e[i], f)
				}
				return e
			},
		},
		Close: d.Close, Stats: d.Stats, WithTimeout: d.WithTimeout,
	}
}

// embedded holds timers of FormEmbedded.
type embedded []driver.Timer

func (e embedded) Start(i int, delay time.Duration)      { e[i].Reset(delay) }
func (e embedded) Stop(i int) bool                       { return e[i].Stop() }
func (e embedded) Reset(i int, delay time.Duration) bool { return e[i].Reset(delay) }

// Time returns Go's own timers.
func Time() Subject {
	system := System{
		Forms: Forms{
			results.FormAfterFunc: hold(time.AfterFunc),
			results.FormChannel:   hold(func(delay time.Duration, _ func()) *time.Timer { return time.NewTimer(delay) }),
		},
		Close: func() error { return nil }, WithTimeout: context.WithTimeout,
	}
	return Subject{Name: "time", Role: results.RoleBaseline, Open: func() (System, error) { return system, nil }}
}

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

func hold[T timer](start func(time.Duration, func()) T) func([]func()) Timers {
	return func(functions []func()) Timers { return &held[T]{start, make([]T, len(functions)), functions} }
}

func (p *held[T]) Start(i int, delay time.Duration)      { p.t[i] = p.start(delay, p.f[i]) }
func (p *held[T]) Stop(i int) bool                       { return p.t[i].Stop() }
func (p *held[T]) Reset(i int, delay time.Duration) bool { return p.t[i].Reset(delay) }

// Floor returns a contender that does nothing. Its figures are the cost of the loads themselves.
func Floor() Subject {
	return Subject{
		Name: "floor", Role: results.RoleFloor,
		Late: func(time.Duration) time.Duration { return math.MaxInt64 },
		Open: func() (System, error) {
			return System{
				Forms: Forms{results.FormAfterFunc: func([]func()) Timers { return nothing{} }},
				Close: func() error { return nil },
			}, nil
		},
	}
}

type nothing struct{}

func (nothing) Start(int, time.Duration)      {}
func (nothing) Stop(int) bool                 { return true }
func (nothing) Reset(int, time.Duration) bool { return true }
