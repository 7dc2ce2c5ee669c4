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
			s := &natsWheel{wheel: thw.NewHashWheel(), f: make(map[uint64]func()), at: math.MaxInt64}
			s.timer = time.AfterFunc(math.MaxInt64, s.expire)
			timers := &keyed{start: s.start, reset: s.reset, stop: s.stop, end: s.close}
			return timers.system(), nil
		},
	}
}

type natsWheel struct {
	mu    sync.Mutex
	wheel *thw.HashWheel
	f     map[uint64]func()
	timer *time.Timer
	at    int64 // the time that timer is set to, or math.MaxInt64
}

func (s *natsWheel) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.timer.Stop()
	s.at = math.MinInt64
}

// set sets the timer to an earlier expiration. The caller holds the lock.
func (s *natsWheel) set(expires int64) {
	if expires < s.at {
		s.at = expires
		s.timer.Reset(time.Duration(expires - time.Now().UnixNano()))
	}
}

// expire runs the functions of expired timers, each in its own goroutine, like time.AfterFunc.
func (s *natsWheel) expire() {
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

func (s *natsWheel) start(key uint64, t *keyedTimer, delay time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t.data, s.f[key] = time.Now().Add(delay).UnixNano(), t.f
	_ = s.wheel.Add(key, t.data) // always nil
	s.set(t.data)
}

func (s *natsWheel) stop(key uint64, t *keyedTimer) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.wheel.Remove(key, t.data) != nil {
		return false
	}
	delete(s.f, key)
	return true
}

func (s *natsWheel) reset(key uint64, t *keyedTimer, delay time.Duration) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	expires := time.Now().Add(delay).UnixNano()
	if s.wheel.Update(key, t.data, expires) != nil {
		return false
	}
	t.data = expires
	s.set(expires)
	return true
}
