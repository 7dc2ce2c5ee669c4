package main

import (
	"sync/atomic"
	"time"

	"github.com/dgraph-io/ristretto/v2"
	"github.com/maypok86/otter/v2"

	"github.com/timerbench/timerbench/bench/live"
	"github.com/timerbench/timerbench/bench/results"
)

// cacheEntry is a timer as a value of a cache: its function runs when the entry expires. A delay of 0 is no TTL.
type cacheEntry struct {
	f     func()
	delay time.Duration
}

// cache is what a cache does for timers.
type cache interface {
	set(key uint64, e *cacheEntry)
	remove(key uint64) (removed bool)
	Close() error
}

// mover is a cache that moves the expiry of an entry only if it is there.
type mover interface {
	move(key uint64, e *cacheEntry) (moved bool)
}

// cacheContender returns a cache as a contender. Keys are new for each set of timers.
func cacheContender(c live.Contender, open func() (cache, error)) live.Contender {
	c.Role = results.RolePeer
	c.Open = func() (live.System, error) {
		opened, err := open()
		return &cacheSystem{cache: opened}, err
	}
	return c
}

type cacheSystem struct {
	cache
	keys atomic.Uint64
}

func (s *cacheSystem) Timers(form results.Form, n int, function func(i int) func()) live.Timers {
	if form != results.FormSchedule {
		return nil
	}
	t := &cacheTimers{cache: s.cache, base: s.keys.Add(uint64(n)) - uint64(n), entries: make([]cacheEntry, n)}
	for i := range t.entries {
		t.entries[i].f = function(i)
	}
	if m, ok := s.cache.(mover); ok {
		return cacheMovers{t, m}
	}
	return t
}

type cacheTimers struct {
	cache
	base    uint64
	entries []cacheEntry
}

func (t *cacheTimers) Start(i int, delay time.Duration) {
	t.entries[i].delay = delay
	t.set(t.base+uint64(i), &t.entries[i])
}

func (t *cacheTimers) Stop(i int) bool { return t.remove(t.base + uint64(i)) }

type cacheMovers struct {
	*cacheTimers
	mover
}

func (t cacheMovers) Reset(i int, delay time.Duration) bool {
	t.entries[i].delay = delay
	return t.move(t.base+uint64(i), &t.entries[i])
}

// otterCache is otter without a limit. It visits its wheel once a second, and a bucket of the lowest level, of 2^30 ns,
// is empty only after its end.
func otterCache(ttl bool) live.Contender {
	late := time.Second + 1<<30
	c := live.Contender{Name: "otter", Late: func(time.Duration) time.Duration { return late }}
	return cacheContender(c, func() (cache, error) {
		o := &otter.Options[uint64, *cacheEntry]{OnDeletion: func(e otter.DeletionEvent[uint64, *cacheEntry]) {
			if e.Cause == otter.CauseExpiration {
				e.Value.f()
			}
		}}
		if ttl {
			o.ExpiryCalculator = otter.ExpiryWritingFunc(func(e otter.Entry[uint64, *cacheEntry]) time.Duration { return e.Value.delay })
		}
		c, err := otter.New(o)
		return otterOf{c}, err
	})
}

type otterOf struct {
	c *otter.Cache[uint64, *cacheEntry]
}

func (o otterOf) set(key uint64, e *cacheEntry) { o.c.Set(key, e) }

func (o otterOf) move(key uint64, e *cacheEntry) bool {
	_, ok := o.c.ComputeIfPresent(key, func(*cacheEntry) (*cacheEntry, otter.ComputeOp) { return e, otter.WriteOp })
	return ok
}

func (o otterOf) remove(key uint64) bool {
	_, removed := o.c.Invalidate(key)
	return removed
}

func (o otterOf) Close() error {
	o.c.StopAllGoroutines()
	return nil
}

// ristrettoCache is ristretto with room for all entries. It removes buckets of five seconds after their end, every 2.5
// seconds. Del does not report whether the entry existed. Set drops an entry if a buffer is full; here it waits instead.
func ristrettoCache(ttl bool) live.Contender {
	late := 7500 * time.Millisecond
	c := live.Contender{Name: "ristretto", Silent: true, Late: func(time.Duration) time.Duration { return late }}
	return cacheContender(c, func() (cache, error) {
		r := &ristrettoOf{ttl: ttl}
		c, err := ristretto.NewCache(&ristretto.Config[uint64, *cacheEntry]{
			NumCounters: 1e7, MaxCost: 1 << 40, BufferItems: 64, IgnoreInternalCost: true,
			OnEvict: func(item *ristretto.Item[*cacheEntry]) {
				if !r.closing.Load() { // Close evicts all entries
					item.Value.f()
				}
			},
		})
		r.c = c
		return r, err
	})
}

type ristrettoOf struct {
	c       *ristretto.Cache[uint64, *cacheEntry]
	ttl     bool
	closing atomic.Bool
}

func (r *ristrettoOf) set(key uint64, e *cacheEntry) {
	delay := e.delay
	if !r.ttl {
		delay = 0
	}
	for !r.c.SetWithTTL(key, e, 1, delay) {
		r.c.Wait()
	}
	r.c.Wait()
}

func (r *ristrettoOf) remove(key uint64) bool {
	r.c.Del(key)
	return true
}

func (r *ristrettoOf) Close() error {
	r.closing.Store(true)
	r.c.Close()
	return nil
}
