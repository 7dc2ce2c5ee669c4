package driver

import (
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/timerbench/timerbench/structures"
)

// crowdedDriver returns a driver whose shards have so many timers that stops may wait, as those of a goroutine that has started
// none do.
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
