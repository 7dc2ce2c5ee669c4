package driver

import (
	"math/rand/v2"
	"runtime"
	"sync"
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

// A stopped timer among many is not kept in memory after two collections, and is not counted.
func TestManyStoppedTimersAreNotKept(t *testing.T) {
	d := Made(t, Shards(1))
	for range crowd + 100 {
		d.AfterFunc(h, func() {})
	}
	gone := make([]bool, 20)
	for i := range gone {
		value := new([1 << 10]byte)
		timer := d.AfterFunc(h, func() { value[0]++ })
		runtime.AddCleanup(value, func(i int) { d.shards[0].mu.Lock(); gone[i] = true; d.shards[0].mu.Unlock() }, i)
		if !timer.Stop() || timer.Stop() || d.Len() != crowd+100 {
			t.Fatalf("%d timers are pending", d.Len())
		}
	}
	for i := range gone {
		for try := 0; ; try++ {
			d.shards[0].mu.Lock()
			kept := !gone[i]
			d.shards[0].mu.Unlock()
			if !kept {
				break
			} else if try > 100 {
				t.Fatalf("stopped timer %d is kept", i)
			}
			runtime.GC()
			runtime.Gosched()
		}
	}
}

// A start and a stop of an only timer leave the shard where a Handle finds it. TestADriverWithoutTimersGoes shows the end.
func TestAnEmptyShardIsEnteredOnce(t *testing.T) {
	d := Made(t)
	timer := d.AfterFunc(h, func() {})
	entry := refs.entry(timer.sh.ref)
	if !timer.Stop() || entry.Load() != timer.sh {
		t.Error("the shard is withdrawn at once")
	}
}

// A goroutine whose shard is busy moves to another group, and waits if those that it tries are busy, too.
func TestGoroutinesPart(t *testing.T) {
	d := Made(t, Shards(4*shardsPerGroup))
	p := &d.preferred[stackHash()]
	at := d.prefers(p)
	d.shards[at].mu.Lock()
	sh := d.lock()
	sh.mu.Unlock()
	d.shards[at].mu.Unlock()
	if got := p.shard.Load(); got == at || got/shardsPerGroup == at/shardsPerGroup || sh != &d.shards[got] {
		t.Errorf("the goroutine prefers shard %d and has locked shard %d, after shard %d", got, sh.index, at)
	}
	for i := range d.shards {
		d.shards[i].mu.Lock()
	}
	last := (sh.index + maxTries*(shardsPerGroup+1)) % uint32(len(d.shards))
	go func() {
		for p.shard.Load() != last {
			runtime.Gosched()
		}
		for i := range d.shards {
			d.shards[i].mu.Unlock()
		}
	}()
	d.lock().mu.Unlock()
}

// Stop of a job whose run waits for a worker leaves the count of the other timers as it is, and nothing in the queue.
func TestAJobThatWaitsIsStoppedAmongMany(t *testing.T) {
	Alone(t, func(t *testing.T, d *Driver) {
		release := make(chan struct{})
		d.AfterFunc(time.Millisecond, func() { <-release }) // keeps the only worker busy
		job := d.Every(Periodic(time.Now(), time.Second), func() { t.Error("a stopped job runs") })
		for range crowd {
			d.AfterFunc(time.Hour, func() {})
		}
		time.Sleep(2500 * time.Millisecond)
		if !job.Stop() || d.Len() != crowd || d.Stats().Pending != crowd {
			t.Errorf("%d timers are pending, %d by Stats, want %d", d.Len(), d.Stats().Pending, crowd)
		}
		for range 1000 {
			at := d.At(time.Now().Add(ms), func() { t.Error("a stopped timer runs") })
			if time.Sleep(2 * ms); !at.Stop() {
				t.Error("not pending while it waits")
			}
		}
		if n := d.pool.queue.len(); n > 2*helpEvery+2 {
			t.Errorf("%d runs wait, all of them stopped", n)
		}
		close(release)
		time.Sleep(2 * time.Hour)
		if n := d.Len(); n != 0 {
			t.Errorf("%d timers are left", n)
		}
	}, Workers(1))
}

// A goroutine that was interrupted may start a timer for a tick that a pass has served meanwhile. The alarm rings for it.
func TestTheAlarmRingsForATickThatWasServed(t *testing.T) {
	Alone(t, func(t *testing.T, d *Driver) {
		d.AfterFunc(time.Millisecond, func() {})
		time.Sleep(time.Second)
		a := &d.alarm
		a.mu.Lock()
		before := a.wakeups
		a.reset(a.served, a.clock.begin(a.served)-1)
		a.mu.Unlock()
		time.Sleep(time.Second)
		if a.mu.Lock(); a.wakeups == before {
			t.Errorf("no pass; the alarm is set to tick %d, and tick %d was served", a.at.Load(), a.served)
		}
		a.mu.Unlock()
	})
}
