package main

import (
	"sync/atomic"
	"time"

	"github.com/dgraph-io/ristretto/v2"
	"github.com/maypok86/otter/v2"

	"github.com/timerbench/timerbench/bench/live"
	"github.com/timerbench/timerbench/bench/results"
)

// cacheEntry is a timer as a value of a cache, with its time to live. Its function runs when the entry expires.
type cacheEntry = keyedTimer[time.Duration]

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
			o.ExpiryCalculator = otter.ExpiryWritingFunc(func(e otter.Entry[uint64, *cacheEntry]) time.Duration { return e.Value.data })
		}
		c, err := otter.New(o)
		s := &keyed[time.Duration]{
			start: func(key uint64, e *cacheEntry, ttl time.Duration) {
				e.data = ttl
				c.Set(key, e)
			},
			reset: func(key uint64, e *cacheEntry, ttl time.Duration) bool {
				e.data = ttl
				_, ok := c.ComputeIfPresent(key, func(*cacheEntry) (*cacheEntry, otter.ComputeOp) { return e, otter.WriteOp })
				return ok
			},
			stop: func(key uint64, _ *cacheEntry) bool {
				_, ok := c.Invalidate(key)
				return ok
			},
			end: func() { c.StopAllGoroutines() },
		}
		return s.system(), err
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
		s := &keyed[time.Duration]{
			start: func(key uint64, e *cacheEntry, d time.Duration) {
				if !ttl {
					d = 0 // forever
				}
				for !c.SetWithTTL(key, e, 1, d) {
					c.Wait()
				}
				c.Wait()
			},
			stop: func(key uint64, _ *cacheEntry) bool {
				c.Del(key)
				return true
			},
			end: func() {
				closing.Store(true)
				c.Close()
			},
		}
		return s.system(), err
	}}
}
