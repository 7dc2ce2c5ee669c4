package main

import (
	"sync/atomic"
	"time"

	"github.com/timerbench/timerbench/bench/live"
	"github.com/timerbench/timerbench/bench/results"
)

// keyed is the timers of another project as a system: each has a key, and what the project needs to find it again.
type keyed[D any] struct {
	start func(key uint64, t *keyedTimer[D], delay time.Duration)
	reset func(key uint64, t *keyedTimer[D], delay time.Duration) bool // nil: timers cannot be moved
	stop  func(key uint64, t *keyedTimer[D]) bool
	end   func()

	keys atomic.Uint64 // so far; new ones for each set of timers
}

type keyedTimer[D any] struct {
	data D
	f    func()
}

func (s *keyed[D]) Timers(form results.Form, n int, function func(i int) func()) live.Timers {
	if form != results.FormSchedule {
		return nil
	}
	t := &keyedTimers[D]{s, s.keys.Add(uint64(n)) - uint64(n), make([]keyedTimer[D], n)}
	for i := range t.list {
		t.list[i].f = function(i)
	}
	if s.reset == nil {
		return t
	}
	return keyedMovers[D]{t}
}

func (s *keyed[D]) Close() error {
	s.end()
	return nil
}

type keyedTimers[D any] struct {
	s    *keyed[D]
	base uint64 // the key of the first
	list []keyedTimer[D]
}

func (t *keyedTimers[D]) Start(i int, delay time.Duration) {
	t.s.start(t.base+uint64(i), &t.list[i], delay)
}

func (t *keyedTimers[D]) Stop(i int) bool { return t.s.stop(t.base+uint64(i), &t.list[i]) }

// keyedMovers are keyedTimers that can be moved.
type keyedMovers[D any] struct{ *keyedTimers[D] }

func (t keyedMovers[D]) Reset(i int, delay time.Duration) bool {
	return t.s.reset(t.base+uint64(i), &t.list[i], delay)
}
