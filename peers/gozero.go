package main

import (
	"sync/atomic"
	"time"

	"github.com/zeromicro/go-zero/core/collection"

	"github.com/timerbench/timerbench/bench/live"
	"github.com/timerbench/timerbench/bench/results"
)

// The wheel of go-zero has the tick of the drivers and slots for four seconds.
const (
	goZeroInterval = time.Millisecond
	goZeroSlots    = 4096

	goZeroEarly = 2 * goZeroInterval

	// goZeroStall is how late a tick may be on a busy machine.
	goZeroStall = 20 * time.Millisecond
)

// goZero is the TimingWheel of go-zero: keys, values, and one goroutine that executes all operations. It counts whole
// intervals from the last tick, so a timer fires up to two intervals before its deadline, and even earlier
// if that tick was late. RemoveTimer and MoveTimer do not report whether the timer existed.
//
// It fails the check with moves, see the tests. The other operations can be measured without moves.
func goZero(slots int, moves bool) live.Subject {
	name := "go-zero"
	if moves {
		name += ", with moves"
	}
	return live.Subject{
		Name: name, Role: results.RolePeer, Silent: true,
		Early: goZeroEarly + goZeroStall, Late: func(time.Duration) time.Duration { return goZeroInterval },
		Open: func() (live.System, error) {
			tw, err := collection.NewTimingWheel(goZeroInterval, slots, func(_, value any) { value.(func())() })
			return &goZeroSystem{tw: tw, moves: moves}, err
		},
	}
}

type goZeroSystem struct {
	tw    *collection.TimingWheel
	moves bool
	keys  atomic.Int64
}

func (s *goZeroSystem) Timers(form results.Form, n int, function func(i int) func()) live.Timers {
	if form != results.FormSchedule {
		return nil
	}
	t := goZeroTimers{tw: s.tw, base: s.keys.Add(int64(n)) - int64(n), f: make([]func(), n)}
	for i := range t.f {
		t.f[i] = function(i)
	}
	if s.moves {
		return goZeroMovers{t}
	}
	return t
}

func (s *goZeroSystem) Close() error {
	s.tw.Stop()
	return nil
}

// goZeroTimers are timers whose keys are consecutive numbers from base.
type goZeroTimers struct {
	tw   *collection.TimingWheel
	base int64
	f    []func()
}

func (t goZeroTimers) Start(i int, delay time.Duration) {
	if err := t.tw.SetTimer(t.base+int64(i), t.f[i], max(delay, 1)); err != nil {
		panic(err)
	}
}

func (t goZeroTimers) Stop(i int) bool { return t.tw.RemoveTimer(t.base+int64(i)) == nil }

// goZeroMovers are goZeroTimers that can also be moved.
type goZeroMovers struct{ goZeroTimers }

func (t goZeroMovers) Reset(i int, delay time.Duration) bool {
	return t.tw.MoveTimer(t.base+int64(i), max(delay, 1)) == nil
}
