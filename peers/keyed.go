package main

import (
	"sync/atomic"
	"time"

	"github.com/timerbench/timerbench/bench/live"
	"github.com/timerbench/timerbench/bench/results"
)

// keyed is the timers of another project: each has a key, and what the project needs to find it again.
type keyed struct {
	start func(key uint64, t *keyedTimer, delay time.Duration)
	reset func(key uint64, t *keyedTimer, delay time.Duration) bool // nil: timers cannot be moved
	stop  func(key uint64, t *keyedTimer) bool
	end   func()

	keys atomic.Uint64 // so far; new ones for each set of timers
}

type keyedTimer struct {
	data int64 // of the project
	f    func()
}

// system returns the timers as a system.
func (s *keyed) system() live.System {
	return live.System{Forms: live.Forms{results.FormSchedule: s.timers}, Close: func() error { s.end(); return nil }}
}

func (s *keyed) timers(functions []func()) live.Timers {
	n := uint64(len(functions))
	t := &keyedTimers{s, s.keys.Add(n) - n, make([]keyedTimer, n)}
	for i, f := range functions {
		t.list[i].f = f
	}
	if s.reset == nil {
		return t
	}
	return keyedMovers{t}
}

type keyedTimers struct {
	s    *keyed
	base uint64 // the key of the first
	list []keyedTimer
}

func (t *keyedTimers) Start(i int, delay time.Duration) {
	t.s.start(t.base+uint64(i), &t.list[i], delay)
}

func (t *keyedTimers) Stop(i int) bool { return t.s.stop(t.base+uint64(i), &t.list[i]) }

// keyedMovers are keyedTimers that can be moved.
type keyedMovers struct{ *keyedTimers }

func (t keyedMovers) Reset(i int, delay time.Duration) bool {
	return t.s.reset(t.base+uint64(i), &t.list[i], delay)
}
