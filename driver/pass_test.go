package driver

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/timerbench/timerbench/structures"
)

// A fifo keeps no item that has left it, by pop, by remove, or by a move within its memory.
func TestAFifoReleasesItsItems(t *testing.T) {
	rng := rand.New(rand.NewPCG(48, 15))
	var q fifo[*int]
	var model []*int
	for range 5000 {
		switch n := rng.IntN(20); rng.IntN(5) {
		case 0, 1:
			for range n {
				item := new(int)
				*item = rng.IntN(3)
				q.push(item)
				model = append(model, item)
			}
		case 2, 3:
			for range n {
				item, ok := q.pop()
				if ok != (len(model) > 0) || ok && item != model[0] {
					t.Fatalf("popped %p, %t of %d", item, ok, len(model))
				}
				model = model[min(1, len(model)):]
			}
		default:
			unwanted := func(item *int) bool { return *item == n%3 }
			model = slices.DeleteFunc(slices.Clone(model), unwanted)
			q.remove(unwanted)
		}
		if q.len() != len(model) {
			t.Fatalf("%d items, want %d", q.len(), len(model))
		}
		all := q.all[:cap(q.all)]
		for i, item := range all {
			if (i < q.head || i >= len(q.all)) && item != nil {
				t.Fatalf("slot %d of %d keeps an item; the queue is from %d to %d", i, len(all), q.head, len(q.all))
			}
		}
	}
}

// collect pops no more than budget timers and functions that are due at once, in all.
func TestCollectKeepsItsBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for budget := 1; budget <= 9; budget++ {
			for timers := range 7 {
				d := Made(t, Inline(), Shards(1), Budget(100), Tick(ms))
				sh := &d.shards[0]
				d.alarm.close() // no pass runs
				for range timers {
					d.Schedule(ms, func() {})
				}
				for range 4 {
					d.Schedule(0, func() {})
				}
				sh.mu.Lock()
				left := timers + 4
				for more := true; more; {
					before := len(d.pass.batch)
					more = sh.collect(2, budget)
					got := len(d.pass.batch) - before
					if left -= got; got > budget || !more && left > 0 {
						t.Errorf("budget %d, %d timers: %d at a time, %d left, more %t", budget, timers, got, left, more)
						more = false
					}
				}
				sh.mu.Unlock()
			}
		}
	})
}

// popped notes the clock of a structure.
type popped struct {
	structures.Scheduler[Task]
	clock structures.Tick
}

func (p *popped) Pop(now structures.Tick) (structures.Timer[Task], bool) {
	p.clock = now
	return p.Scheduler.Pop(now)
}

// If a pass is late, the clock of the structure goes on to the tick before that of the timer that is due.
func TestTheClockOfAStructureIsNotFarBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &popped{Scheduler: defaultStructure(false)}
		d := Made(t, Shards(1), Tick(ms), StructureFunc(func() structures.Scheduler[Task] { return p }))
		d.alarm.close() // no pass runs
		d.Schedule(10*ms, func() {})
		time.Sleep(20 * ms)
		d.Schedule(ms, func() {})
		if p.clock != 9 {
			t.Errorf("the clock shows %d, want 9", p.clock)
		}
	})
}

// Timers that a pass has not popped yet, for want of budget, are not lost if another one is started in the next tick.
func TestAStartDuringAPassLosesNoTimer(t *testing.T) {
	const n = 5
	Alone(t, func(t *testing.T, d *Driver) {
		d.alarm.close() // no pass runs
		sh := &d.shards[0]
		for range n {
			d.Schedule(10*ms, func() {})
		}
		time.Sleep(15 * ms)
		for more := true; more; {
			sh.mu.Lock()
			more = sh.collect(sh.clock.ticks(sh.clock.now()), 1)
			sh.mu.Unlock()
			time.Sleep(ms)
			d.Schedule(h, func() {})
		}
		if got := len(d.pass.batch); got != n {
			t.Errorf("%d of %d timers have fired", got, n)
		}
	}, Shards(1), Tick(ms), Inline())
}

// Functions that fire while or after the pool closes count as dropped. A timer of Every has not fired before its run.
func TestAClosedPoolCountsWhatItDrops(t *testing.T) {
	var p pool
	p.init(execution{workers: 1})
	calls := []call{{f: func() {}}, {t: new(Timer)}, {f: func() {}}}
	p.submit(calls, false)
	p.close()
	for want := 2; want < 8; want += 2 {
		if got := p.left(); got != want {
			t.Errorf("%d functions dropped, want %d", got, want)
		}
		p.submit(calls, true)
	}
	if p.queue.len() != 0 || p.coming != 0 {
		t.Errorf("%d functions wait for %d goroutines", p.queue.len(), p.coming)
	}
}

// Each timer that has fired has its lateness, also among several of a tick.
func TestLatenessOfAPass(t *testing.T) {
	p := pass{due: []int64{5, 5, 9, 12, 12, 12}, fired: 1}
	p.count(20)
	p.countAtOnce()
	got := fmt.Sprint(p.lateness.counts[:20], p.lateness.n, p.lateness.max, p.fired, len(p.due))
	if want := "[1 0 0 0 0 0 0 0 3 0 0 1 0 0 0 2 0 0 0 0] 7 15 7 0"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// A timer that is stopped or moved while it waits for a worker is not counted as fired, and leaves nothing in the queue.
func TestFunctionsThatAreTakenBackLeaveNothing(t *testing.T) {
	Alone(t, func(t *testing.T, d *Driver) {
		release, log := make(chan struct{}), NewLog()
		d.AfterFunc(ms, func() { <-release }) // keeps the only worker busy
		job := d.Every(Periodic(time.Now(), s), log.Note("the stopped job"))
		for range crowd {
			d.AfterFunc(h, func() {})
		}
		time.Sleep(2500 * ms)
		if !job.Stop() || d.Len() != crowd || d.Stats().Pending != crowd {
			t.Errorf("%d timers are pending, %d by Stats, want %d", d.Len(), d.Stats().Pending, crowd)
		}
		moving := d.AfterFunc(ms, log.Note("moved"))
		for range 1000 {
			handle, at := d.Schedule(ms, log.Note("a stopped handle")), d.At(time.Now().Add(ms), log.Note("a stopped At"))
			time.Sleep(2 * ms)
			if !moving.Reset(ms) || !handle.Stop() || handle.Stop() || !at.Stop() || d.Len() != crowd+1 {
				t.Fatalf("%d timers are pending, or something that waits is not", d.Len())
			}
		}
		if n := d.pool.queue.len(); n > 2*helpEvery+4 {
			t.Errorf("%d functions wait, all of them taken back", n)
		}
		close(release)
		Pass(2 * h)
		if log.Want(t, "4.501s moved"); d.Len() != 0 {
			t.Errorf("%d timers are left", d.Len())
		}
	}, Workers(1))
}
