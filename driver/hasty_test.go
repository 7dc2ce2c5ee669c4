package driver

import (
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// Timers that are moved to any time fire at their last deadline, though the structure does not hear of all moves.
func TestMovedTimersFireOnTime(t *testing.T) {
	for name, opts := range map[string][]Option{
		"default": nil, "one shard": {Shards(1)}, "long ticks": {Tick(700 * time.Millisecond)},
		"budget": {Budget(2), Shards(2)}, "ticking": {Ticking(), Tick(500 * time.Millisecond)}, "watched": {Profiling(1)},
		"in order": {Inline()},
	} {
		Bubble(t, name, func(t *testing.T) {
			d, rng := Made(t, opts...), rand.New(rand.NewPCG(63, 3))
			const n = 500
			var mu sync.Mutex
			var due [n]time.Time // zero: not pending
			timers, fired, most := make([]*Timer, n), 0, 0
			set := func(i int, delay time.Duration) { due[i] = time.Now().Add(delay) }
			for i := range timers {
				timers[i] = d.AfterFunc(h, func() {
					mu.Lock()
					defer mu.Unlock()
					if late := time.Since(due[i]); due[i].IsZero() || late < 0 || late > time.Duration(d.clock.tick+d.clock.ahead) {
						t.Errorf("timer %d fires %v after its deadline, %v", i, late, due[i])
					}
					due[i] = time.Time{}
					fired++
				})
				set(i, h)
			}
			for range 4 * n {
				mu.Lock()
				i, delay := rng.IntN(n), h
				switch rng.IntN(8) {
				case 0:
					delay = 1 + time.Duration(rng.Int64N(int64(5*ms)))
				case 1, 2:
					delay = 1 + time.Duration(rng.Int64N(int64(3*s)))
				case 3, 4, 5:
					delay = 1 + time.Duration(rng.Int64N(int64(h)))
				case 6:
					if pending := timers[i].Stop(); pending == due[i].IsZero() {
						t.Errorf("timer %d is pending: %t, due at %v", i, pending, due[i])
					}
					due[i], delay = time.Time{}, 0
				}
				if delay > 0 {
					if pending := timers[i].Reset(delay); pending == due[i].IsZero() {
						t.Errorf("timer %d is pending: %t, due at %v", i, pending, due[i])
					}
					set(i, delay)
				}
				mu.Unlock()
				for j := range d.shards {
					most = max(most, hasty(&d.shards[j]))
				}
				if rng.IntN(4) == 0 {
					Pass(time.Duration(rng.Int64N(int64(2 * s))))
				}
			}
			Pass(2 * h)
			for i := range d.shards {
				if n := hasty(&d.shards[i]); n > 0 || d.shards[i].settles.Load() != int64(never) {
					t.Errorf("shard %d: %d timers are hasty, and none is pending", i, n)
				}
			}
			if d.Len() > 0 || fired < n || (most == 0) != (name == "watched" || name == "in order") {
				t.Errorf("%d fired, %d are pending, at most %d were hasty", fired, d.Len(), most)
			}
		})
	}
}

// hasty returns the number of hasty timers of a shard.
func hasty(sh *shard) int {
	sh.mu.Lock()
	defer sh.mu.Unlock()
	return len(sh.hasty.ids) - sh.hasty.free
}

// A Reset to an earlier time that is far away does not take the lock a second time, and it costs one wake-up at most.
func TestHastyTimersNeedNoLock(t *testing.T) {
	Alone(t, func(t *testing.T, d *Driver) {
		timer := d.AfterFunc(2*h, func() {})
		timer.Reset(h)
		sh := timer.sh
		sh.mu.Lock() // a Reset that takes it would hang
		for i := range 100 {
			timer.Reset(h + time.Duration(i*7919%100)*s)
		}
		sh.mu.Unlock()
		timer.Reset(h + 10*s)
		Pass(h + 9*s)
		if got := d.Stats(); got.Wakeups != 1 || got.Pending != 1 {
			t.Errorf("%+v", got)
		}
		Pass(s + ms)
		if got := d.Stats(); got.Wakeups != 2 || got.Fired != 1 {
			t.Errorf("%+v", got)
		}
	})
}

// Hasty timers fire on time, however many of them were stopped, before the first one is settled and afterwards.
func TestManyHastyTimersFireOnTime(t *testing.T) {
	for name, settling := range map[string]bool{"before": false, "while others are settled": true} {
		Bubble(t, name, func(t *testing.T) {
			d := Made(t, Tick(ms), Shards(1))
			var late atomic.Int64
			start := func(n int) []*Timer {
				timers := make([]*Timer, n)
				for i := range timers {
					due := time.Now().Add(2 * s)
					timers[i] = d.AfterFunc(h, func() {
						if time.Since(due) > ms {
							late.Add(1)
						}
					})
					timers[i].Reset(2 * s)
				}
				return timers
			}
			all := start(16_000)
			if settling {
				time.Sleep(2*s - haste + 10*ms)
			}
			for i, timer := range all {
				if i%4 > 0 {
					timer.Stop()
				}
			}
			for n := 0; settling && n < 80_000; n++ {
				start(1)[0].Stop()
			}
			start(12_000)
			Pass(3 * s)
			if n := late.Load(); n > 0 || d.Len() > 0 {
				t.Errorf("%d timers were late, %d are pending", n, d.Len())
			}
		})
	}
}
