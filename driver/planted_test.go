package driver

import (
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

// The list of a shard keeps no timer by the wall clock that was stopped.
func TestTheListOfAShardReleasesWhatHasLeft(t *testing.T) {
	Alone(t, func(t *testing.T, d *Driver) {
		var timers []*Timer
		for range 5 {
			timers = append(timers, d.At(time.Now().Add(h), func() {}))
		}
		for _, timer := range timers[1:] {
			timer.Stop()
		}
		list := d.shards[0].wall.list
		if len(list) != 1 {
			t.Fatalf("%d timers", len(list))
		}
		for _, w := range list[1:cap(list)] {
			if w != nil {
				t.Error("a stopped timer is kept")
			}
		}
	}, Shards(1))
}
