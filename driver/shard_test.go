package driver

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"weak"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/hwheellist"
)

// crowdedDriver returns a driver whose shards have enough timers that stops may wait. The stops of a goroutine that has started no
// timer do.
func crowdedDriver(t *testing.T, shards int) (d *Driver, stopWaits func()) {
	d = Made(t, Shards(shards))
	for i := range shards * crowd {
		timer := new(Timer)
		d.Init(timer, func() {})
		timer.sh = &d.shards[i%shards]
		timer.Reset(h)
	}
	return d, func() {
		for i := range d.preferred {
			d.preferred[i].shard.Store(noShard)
		}
	}
}

// A stop that waits is as final as any other: its Timer may be overwritten or started again, and it is not counted as pending.
func TestAStopThatWaitsIsFinal(t *testing.T) {
	Bubble(t, "", func(t *testing.T) {
		d, stopWaits := crowdedDriver(t, 1)
		log := NewLog()
		again, overwritten := d.AfterFunc(s, log.Note("again")), make([]*Timer, together+1)
		for i := range overwritten {
			overwritten[i] = d.AfterFunc(s, log.Note("stopped"))
			if i%2 == 0 {
				overwritten[i].Reset(h)
				overwritten[i].Reset(2 * s) // hasty
			}
		}
		stopWaits()
		for _, timer := range append(overwritten, again) {
			if !timer.Stop() || timer.Stop() {
				t.Fatal("a Stop is wrong")
			}
		}
		for _, timer := range overwritten {
			*timer = Timer{}
		}
		if n := d.shards[0].pending - crowd; d.shards[0].boxed.Load() == 0 || n != 2 {
			t.Errorf("%d stops wait, want all, less the %d of a full box", n, together)
		}
		if again.Reset(2*s) || d.Len() != crowd+1 || d.Stats().Pending != crowd+1 || d.shards[0].boxed.Load() != 0 || hasty(&d.shards[0]) != 0 {
			t.Errorf("%d timers are pending, %d are hasty", d.Len(), hasty(&d.shards[0]))
		}
		stopWaits()
		if !again.Stop() || again.Reset(3*s) {
			t.Error("a second Stop is wrong")
		}
		Pass(2 * s)
		log.Want(t)
		Pass(s)
		log.Want(t, "3s again")
		stopWaits()
		if again.Stop() {
			t.Error("a Stop after the end is wrong")
		}
	})
}

// A stop that waits does not keep its timer in memory after two collections.
func TestManyStoppedTimersAreNotKept(t *testing.T) {
	d, stopWaits := crowdedDriver(t, 1)
	for refs.sweeps.Load() {
		runtime.GC() // for the shards of other tests
	}
	kept := make([]weak.Pointer[[1 << 10]byte], together-1)
	for i := range kept {
		value := new([1 << 10]byte)
		kept[i] = weak.Make(value)
		timer := d.AfterFunc(h, func() { value[0]++ })
		if stopWaits(); !d.shards[0].stopLater(timer) {
			t.Fatal("a stop does not wait")
		}
	}
	Collect(t, "a stopped timer", func() bool {
		return !slices.ContainsFunc(kept, func(p weak.Pointer[[1 << 10]byte]) bool { return p.Value() != nil })
	})
}

// moves is a structure that calls a function before it moves a timer.
type moves struct {
	structures.Scheduler[Task]
	before func()
}

func (m moves) Reschedule(id structures.ID, deadline structures.Tick) bool {
	m.before()
	return m.Scheduler.Reschedule(id, deadline)
}

// No stop passes a Reset that moves a hasty timer.
func TestAStopWaitsForAMove(t *testing.T) {
	d, stopWaits := crowdedDriver(t, 1)
	timer, sh, moved := d.AfterFunc(h, func() {}), &d.shards[0], 0
	timer.Reset(h / 2) // hasty
	stopWaits()
	sh.mu.Lock()
	sh.s = moves{sh.s, func() {
		if moved++; sh.stopLater(timer) {
			t.Error("a timer is stopped while it is moved")
		}
	}}
	sh.mu.Unlock()
	if timer.Reset(s / 2); moved != 1 {
		t.Errorf("%d moves, want one", moved)
	}
}

// Each start among many timers ends once, in a run or a Stop, whoever stops and restarts timers while others fire.
func TestStopsThatWaitRaceWithPassesAndResets(t *testing.T) {
	const shards, n, goroutines = 2, 4, 6
	d, _ := crowdedDriver(t, shards)
	var started, stopped, ran atomic.Int64
	timers := make([]*Timer, n)
	for i := range timers {
		timers[i] = d.AfterFunc(time.Millisecond, func() { ran.Add(1) })
		started.Add(1)
	}
	var all sync.WaitGroup
	for g := range goroutines {
		all.Go(func() {
			r := rand.New(rand.NewPCG(1, uint64(g)))
			for range 20_000 {
				timer := timers[r.IntN(n)]
				if r.IntN(2) == 0 {
					if timer.Stop() {
						stopped.Add(1)
					}
				} else if !timer.Reset([]time.Duration{0, time.Microsecond, time.Millisecond, time.Hour, 3 * s, 2 * s}[r.IntN(6)]) {
					started.Add(1)
				}
			}
		})
	}
	all.Wait()
	for _, timer := range timers {
		if timer.Stop() {
			stopped.Add(1)
		}
	}
	for ran.Load()+stopped.Load() < started.Load() {
		runtime.Gosched()
	}
	if ran.Load()+stopped.Load() > started.Load() || d.Len() != shards*crowd {
		t.Errorf("started %d times, stopped %d, ran %d, and %d are pending", started.Load(), stopped.Load(), ran.Load(), d.Len())
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

// A goroutine whose shard is busy moves to another group. It waits after a few tries that find only busy shards.
func TestGoroutinesPart(t *testing.T) {
	d := Made(t, Shards(4*shardsPerGroup))
	for i, want := range []uint32{0, 4, 8, 12, 1, 5} {
		if got := d.prefers(&d.preferred[i]); got != want {
			t.Errorf("the goroutines with hash %d prefer shard %d, want %d", i, got, want)
		}
	}
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

// The timers of one goroutine are spread over the shards as they grow: few over those of a group, and many over all.
func TestOneGoroutineUsesAllShards(t *testing.T) {
	for _, c := range []struct{ shards, n, used int }{
		{4, 4 * timersPerVisit, 4}, {8, 4 * timersPerVisit, 4}, {8, 16 * timersPerGroup, 8}, {6, 16 * timersPerGroup, 6}, {1, 64, 1},
	} {
		timers := make([]Timer, c.n)
		for name, start := range map[string]func(d *Driver, i int){
			"Init": func(d *Driver, i int) {
				d.Init(&timers[i], func() {})
				timers[i].Reset(h)
			},
			"Schedule":  func(d *Driver, _ int) { d.Schedule(h, func() {}) },
			"AfterFunc": func(d *Driver, _ int) { d.AfterFunc(h, func() {}) },
		} {
			d, used := Made(t, Shards(c.shards)), 0
			for i := range c.n {
				start(d, i)
			}
			for i := range d.shards {
				if d.shards[i].pending >= c.n/c.used/2 {
					used++
				}
			}
			if used != c.used && (name != "Init" || c.n > initsPerVisit) { // it has longer visits
				t.Errorf("%s: %d timers are in %d of %d shards, want %d", name, c.n, used, c.shards, c.used)
			}
		}
	}
}

// A driver without references is collected when no timer is pending, even if its handles still
// exist. They are then stale.
func TestADriverWithoutTimersGoes(t *testing.T) {
	const shards = 40
	var stale []Handle
	gone := func() weak.Pointer[Driver] {
		d, _ := New(Shards(shards)) // not kept by the test
		for range shards * timersPerGroup {
			h := d.Schedule(time.Hour, func() {})
			defer h.Stop()
			if len(stale) == 0 || stale[len(stale)-1].ref != h.ref {
				stale = append(stale, h)
			}
		}
		return weak.Make(d)
	}()
	Collect(t, "the driver", func() bool { return gone.Value() == nil })
	for _, h := range stale {
		if h.Stop() || h.Reset(time.Hour) {
			t.Fatal("a stale handle names a timer")
		}
	}
}

// A driver with a pending timer stays in memory without references.
func TestADriverWithATimerStays(t *testing.T) {
	fired := make(chan struct{})
	h := func() Handle {
		d, _ := New() // not kept by the test
		d.Schedule(50*time.Millisecond, func() { close(fired) })
		return d.Schedule(time.Hour, func() {})
	}()
	for range 5 {
		runtime.GC()
	}
	<-fired
	if !h.Stop() {
		t.Error("the timer is not pending")
	}
}

// The number of a shard is used again after the shard is collected, with another generation, so
// that no earlier handle refers to the new shard.
func TestShardRefsAreGivenOnce(t *testing.T) {
	var table refTable
	shards := make([][]shard, 2)
	seen := map[shardRef]bool{{}: true}
	for i := range shards {
		shards[i] = make([]shard, 1500)
		given, err := table.allocate(shards[i])
		if err != nil {
			t.Fatal(err)
		}
		for _, ref := range given {
			if seen[ref] || table.entry(ref) == nil {
				t.Fatalf("reference %v is given twice, or has no entry", ref)
			}
			seen[ref] = true
		}
		table.release(given[:1000])
	}
	if table.used != 2000 {
		t.Errorf("%d numbers are used, want 2000", table.used)
	}
	free := len(table.free)
	table.release([]shardRef{{number: 7, generation: 1<<32 - 1}})
	if len(table.free) != free {
		t.Error("a name whose generations are used up is given again")
	}
	table.free, table.used = nil, maxRefs-5
	if _, err := table.allocate(make([]shard, 5)); err == nil {
		t.Error("more names are given than there are")
	}
}

// A Ticker that is stopped has no value, also if the stop waits.
func TestAStopThatWaitsRemovesTheValueOfATicker(t *testing.T) {
	Bubble(t, "", func(t *testing.T) {
		d, stopWaits := crowdedDriver(t, 1)
		ticker := d.NewTicker(s)
		Pass(s)
		stopWaits()
		if ticker.Stop(); len(ticker.C) != 0 {
			t.Error("a value is left after Stop")
		}
	})
}

// again is a timer that is started again when it is due, and then tries to stop another one without the lock.
type again struct {
	internal
	other   *Timer
	stopped bool
}

func (a *again) due() bool {
	sh := a.t.sh
	sh.place(&a.t, 0, sh.clock.reach(int64(h)))
	a.stopped = sh.stopLater(a.other)
	return false
}

// No stop waits while a pass pops timers, also if the pass starts a timer that makes a crowd.
func TestNoStopWaitsDuringAPass(t *testing.T) {
	Bubble(t, "", func(t *testing.T) {
		d, fired := Made(t, Shards(1), Structure(hwheellist.New[Task])), false
		a := &again{other: new(Timer)}
		a.owner, a.t.sh = a, &d.shards[0]
		a.t.Reset(s)
		d.Init(a.other, func() { fired = true })
		a.other.Reset(s)
		for range crowd - 2 {
			d.AfterFunc(h, func() {})
		}
		Pass(s)
		if fired == a.stopped {
			t.Errorf("fired: %t, stopped: %t", fired, a.stopped)
		}
	})
}

// A function that was taken back stays so if its Timer gets another function and another shard, and waits there.
func TestATimerThatWaitsInAnotherShard(t *testing.T) {
	Alone(t, func(t *testing.T, d *Driver) {
		log, release := NewLog(), make(chan struct{})
		start := func(timer *Timer, shard int, f func()) {
			d.Init(timer, f)
			timer.sh = &d.shards[shard]
			timer.Reset(s)
			Pass(s)
		}
		var timer Timer
		start(new(Timer), 0, func() { <-release })
		start(&timer, 0, log.Note("old"))
		if !timer.Stop() {
			t.Error("not pending")
		}
		start(new(Timer), 1, func() {})
		start(&timer, 1, log.Note("new"))
		close(release)
		log.Want(t, "4s new")
	}, Workers(1), Shards(2))
}
