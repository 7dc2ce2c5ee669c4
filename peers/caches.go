package main

import (
	"sync/atomic"
	"time"

	"github.com/dgraph-io/ristretto/v2"
	"github.com/maypok86/otter/v2"

	"github.com/timerbench/timerbench/bench/live"
	"github.com/timerbench/timerbench/bench/results"
)

// cacheEntry is a timer as a value of a cache. Its function runs when the entry expires.
type cacheEntry struct {
	f   func()
	ttl time.Duration
}

// cacheSystem is a cache as a system. Keys are new for each set of timers.
type cacheSystem struct {
	keys   atomic.Uint64
	set    func(key uint64, e *cacheEntry)
	move   func(key uint64, e *cacheEntry) bool // moves the expiry if there is an entry; nil: the cache cannot
	remove func(key uint64) bool
	close  func()
}

func (s *cacheSystem) Timers(form results.Form, n int, function func(i int) func()) live.Timers {
	if form != results.FormSchedule {
		return nil
	}
	t := &cacheTimers{s, s.keys.Add(uint64(n)) - uint64(n), make([]cacheEntry, n)}
	for i := range t.entries {
		t.entries[i].f = function(i)
	}
	if s.move == nil {
		return t
	}
	return cacheMovers{t}
}

func (s *cacheSystem) Close() error {
	s.close()
	return nil
}

type cacheTimers struct {
	s       *cacheSystem
	base    uint64
	entries []cacheEntry
}

// with returns the key and the entry of a timer, with another TTL.
func (t *cacheTimers) with(i int, ttl time.Duration) (uint64, *cacheEntry) {
	t.entries[i].ttl = ttl
	return t.base + uint64(i), &t.entries[i]
}

func (t *cacheTimers) Start(i int, ttl time.Duration) { t.s.set(t.with(i, ttl)) }
func (t *cacheTimers) Stop(i int) bool                { return t.s.remove(t.base + uint64(i)) }

type cacheMovers struct{ *cacheTimers }

func (t cacheMovers) Reset(i int, ttl time.Duration) bool { return t.s.move(t.with(i, ttl)) }

// otterCache is otter without a limit. It visits its wheel once a second, and a bucket of 2^30 ns after its end.
func otterCache(ttl bool) live.Subject {
	late := func(time.Duration) time.Duration { return time.Second + 1<<30 }
	return live.Subject{Name: "otter", Role: results.RolePeer, Late: late, Open: func() (live.System, error) {
		o := &otter.Options[uint64, *cacheEntry]{OnDeletion: func(e otter.DeletionEvent[uint64, *cacheEntry]) {
			if e.Cause == otter.CauseExpiration {
				e.Value.f()
			}
		}}
		if ttl {
			o.ExpiryCalculator = otter.ExpiryWritingFunc(func(e otter.Entry[uint64, *cacheEntry]) time.Duration { return e.Value.ttl })
		}
		c, err := otter.New(o)
		return &cacheSystem{
			set: func(key uint64, e *cacheEntry) { c.Set(key, e) },
			move: func(key uint64, e *cacheEntry) bool {
				_, ok := c.ComputeIfPresent(key, func(*cacheEntry) (*cacheEntry, otter.ComputeOp) { return e, otter.WriteOp })
				return ok
			},
			remove: func(key uint64) bool {
				_, ok := c.Invalidate(key)
				return ok
			},
			close: func() { c.StopAllGoroutines() },
		}, err
	}}
}

// ristrettoCache is ristretto with room for all entries. It visits buckets of five seconds after their end, every 2.5
// seconds. A goroutine applies sets later and drops some of them (see the tests), so each set waits for it. Del does not
// report whether the entry existed, and no call moves only an entry that exists.
func ristrettoCache(ttl bool) live.Subject {
	late := func(time.Duration) time.Duration { return 7500 * time.Millisecond }
	return live.Subject{Name: "ristretto", Role: results.RolePeer, Silent: true, Late: late, Open: func() (live.System, error) {
		var closing atomic.Bool // Close evicts all entries
		c, err := ristretto.NewCache(&ristretto.Config[uint64, *cacheEntry]{
			NumCounters: 1e7, MaxCost: 1 << 40, BufferItems: 64, IgnoreInternalCost: true,
			OnEvict: func(item *ristretto.Item[*cacheEntry]) {
				if !closing.Load() {
					item.Value.f()
				}
			},
		})
		return &cacheSystem{
			set: func(key uint64, e *cacheEntry) {
				d := e.ttl
				if !ttl {
					d = 0 // forever
				}
				for !c.SetWithTTL(key, e, 1, d) {
					c.Wait()
				}
				c.Wait()
			},
			remove: func(key uint64) bool {
				c.Del(key)
				return true
			},
			close: func() {
				closing.Store(true)
				c.Close()
			},
		}, err
	}}
}
