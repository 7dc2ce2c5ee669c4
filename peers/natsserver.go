package main

import (
	"math"
	"sync"
	"time"

	"github.com/nats-io/nats-server/v2/server/thw"

	"github.com/timerbench/timerbench/bench/live"
	"github.com/timerbench/timerbench/bench/results"
)

// natsServer is the hash wheel of nats-server, which stores when messages expire. The wheel has no clock of its own. A
// lock and one Go timer, set to the next expiration, drive it here. Expirations are wall clock times.
func natsServer() live.Subject {
	return live.Subject{
		Name: "nats-server thw", Role: results.RolePeer,
		Open: func() (live.System, error) {
			s := &natsSystem{wheel: thw.NewHashWheel(), f: make(map[uint64]func()), at: math.MaxInt64}
			s.timer = time.AfterFunc(math.MaxInt64, s.expire)
			return s, nil
		},
	}
}

type natsSystem struct {
	mu    sync.Mutex
	wheel *thw.HashWheel
	f     map[uint64]func()
	last  uint64 // the last sequence number
	timer *time.Timer
	at    int64 // the time that timer is set to, or math.MaxInt64
}

func (s *natsSystem) Timers(form results.Form, n int, function func(i int) func()) live.Timers {
	if form != results.FormSchedule {
		return nil
	}
	t := &natsTimers{s: s, seq: make([]uint64, n), expires: make([]int64, n), f: make([]func(), n)}
	for i := range t.f {
		t.f[i] = function(i)
	}
	return t
}

func (s *natsSystem) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.timer.Stop()
	s.at = math.MinInt64
	return nil
}

// set sets the timer to an earlier expiration. The caller holds the lock.
func (s *natsSystem) set(expires int64) {
	if expires < s.at {
		s.at = expires
		s.timer.Reset(time.Duration(expires - time.Now().UnixNano()))
	}
}

// expire runs the functions of expired timers, each in its own goroutine, like time.AfterFunc.
func (s *natsSystem) expire() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.at == math.MinInt64 {
		return // closed
	}
	s.wheel.ExpireTasks(func(seq uint64, _ int64) bool {
		go s.f[seq]()
		delete(s.f, seq)
		return true
	})
	s.at = math.MaxInt64
	if next := s.wheel.GetNextExpiration(math.MaxInt64); next != math.MaxInt64 {
		s.set(next)
	}
}

type natsTimers struct {
	s       *natsSystem
	seq     []uint64
	expires []int64
	f       []func()
}

func (t *natsTimers) Start(i int, delay time.Duration) {
	s := t.s
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last++
	t.seq[i], t.expires[i] = s.last, time.Now().Add(delay).UnixNano()
	s.f[s.last] = t.f[i]
	_ = s.wheel.Add(s.last, t.expires[i]) // always nil
	s.set(t.expires[i])
}

func (t *natsTimers) Stop(i int) bool {
	s := t.s
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.wheel.Remove(t.seq[i], t.expires[i]) != nil {
		return false
	}
	delete(s.f, t.seq[i])
	return true
}

func (t *natsTimers) Reset(i int, delay time.Duration) bool {
	s := t.s
	s.mu.Lock()
	defer s.mu.Unlock()
	expires := time.Now().Add(delay).UnixNano()
	if s.wheel.Update(t.seq[i], t.expires[i], expires) != nil {
		return false
	}
	t.expires[i] = expires
	s.set(expires)
	return true
}
