package main

import (
	"sync/atomic"
	"time"

	"github.com/zeromicro/go-zero/core/collection"

	"github.com/timerbench/timerbench/bench/live"
	"github.com/timerbench/timerbench/bench/results"
)

// The wheel of go-zero gets the tick of the drivers, and slots for some seconds.
const (
	goZeroInterval = time.Millisecond
	goZeroSlots    = 4096

	goZeroEarly = 2 * goZeroInterval

	// goZeroStall is how late a tick may be on a machine that does other things too.
	goZeroStall = 20 * time.Millisecond
)

// goZero is the TimingWheel of go-zero: keys, values, and one goroutine that does it all. It
// counts whole intervals from the last tick on: a timer fires up to two of them before its
// deadline, and earlier still if that tick came late: the next one comes in time.
// RemoveTimer and MoveTimer do not tell whether the timer was there.
//
// With moves it fails the check, see the tests: without, its other operations can be
// measured.
func goZero(slots int, moves bool) live.Contender {
	name := "go-zero"
	if moves {
		name += ", with moves"
	}
	return live.Contender{
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

// goZeroTimers are timers whose keys are numbers from base on.
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

// goZeroMovers are those that are moved too.
type goZeroMovers struct{ goZeroTimers }

func (t goZeroMovers) Reset(i int, delay time.Duration) bool {
	return t.tw.MoveTimer(t.base+int64(i), max(delay, 1)) == nil
}
