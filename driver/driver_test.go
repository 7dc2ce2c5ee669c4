package driver_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/timerbench/timerbench/driver"
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/auto"
	"github.com/timerbench/timerbench/structures/hwheel"
	"github.com/timerbench/timerbench/structures/hwheellist"
	"github.com/timerbench/timerbench/structures/quadheap"
	"github.com/timerbench/timerbench/structures/quadheaplazy"
	"github.com/timerbench/timerbench/structures/wheel"
)

type scheduler = structures.Scheduler[driver.Task]

// exact are structures that fire at the tick of the deadline. They differ in their results of Next.
var exact = []struct {
	name string
	new  func() scheduler
}{
	{"quadheap", func() scheduler { return quadheap.New[driver.Task]() }},
	{"quadheap-lazy", func() scheduler { return quadheaplazy.New[driver.Task]() }},
	{"wheel", func() scheduler { return wheel.New[driver.Task]() }},
	{"auto", func() scheduler { return auto.New[driver.Task]() }},
	{"hwheel", func() scheduler { return hwheel.New[driver.Task]() }},
	{"hwheel-list", func() scheduler { return hwheellist.New[driver.Task]() }},
}

// setups are the ways to set up a driver that behave differently.
var setups = []struct {
	name string
	opts []driver.Option
}{
	{"default", nil},
	{"one-shard", []driver.Option{driver.Shards(1)}},
	{"ticking", []driver.Option{driver.Ticking()}},
	{"inline", []driver.Option{driver.Inline()}},
	{"workers", []driver.Option{driver.Workers(3)}},
	{"worker", []driver.Option{driver.Workers(1), driver.Shards(64)}},
	{"budget", []driver.Option{driver.Budget(1), driver.Shards(3)}},
	{"heap", []driver.Option{driver.Structure(quadheap.New[driver.Task])}},
}

var newDriver = driver.Made

// bySetup runs a test with a driver of each setup, with these additional options.
func bySetup(t *testing.T, test func(t *testing.T, d *driver.Driver), opts ...driver.Option) {
	t.Helper()
	for _, s := range setups {
		t.Run(s.name, func(t *testing.T) { test(t, newDriver(t, append(opts, s.opts...)...)) })
	}
}

// inBubble is bySetup in virtual time.
func inBubble(t *testing.T, test func(t *testing.T, d *driver.Driver), opts ...driver.Option) {
	t.Helper()
	for _, s := range setups {
		driver.Bubble(t, s.name, func(t *testing.T) { test(t, newDriver(t, append(opts, s.opts...)...)) })
	}
}

var newLog = driver.NewLog

const (
	ms = time.Millisecond
	µs = time.Microsecond
)

// Deadlines are rounded up to ticks, so no timer is early, and none is late by more than a tick. A
// timer without a delay is not rounded.
func TestTimersFireAtTheTickAfterTheirDelay(t *testing.T) {
	for _, s := range exact {
		driver.Bubble(t, s.name, func(t *testing.T) {
			d := newDriver(t, driver.StructureFunc(s.new), driver.Tick(ms))
			time.Sleep(300 * µs)
			l := newLog() // 300 µs after a tick
			d.AfterFunc(0, l.Note("0"))
			d.AfterFunc(-time.Hour, l.Note("-1h"))
			d.AfterFunc(700*µs, l.Note("700µs"))
			d.Schedule(701*µs, l.Note("701µs"))
			d.Schedule(time.Second, l.Note("1s"))
			d.AfterFunc(time.Hour, l.Note("1h"))
			d.Schedule(30*24*time.Hour, l.Note("30d"))
			d.AfterFunc(1<<63-1, l.Note("never"))
			time.Sleep(60 * 24 * time.Hour)
			l.Want(t, "0s 0", "0s -1h", "700µs 700µs", "1.7ms 701µs", "1.0007s 1s", "1h0m0.0007s 1h", "720h0m0.0007s 30d")
			if d.Len() != 1 {
				t.Errorf("%d are pending, want 1", d.Len())
			}
		})
	}
}

func TestStaleHandlesDoNothing(t *testing.T) {
	var handle driver.Handle
	if handle.Stop() || handle.Reset(0) {
		t.Error("the zero Handle is pending")
	}

	// A timer that has the slot of a stopped one is not affected.
	inBubble(t, func(t *testing.T, d *driver.Driver) {
		l := newLog()
		var stale []driver.Handle
		for range 10 {
			for range 100 {
				h := d.Schedule(time.Second, l.Note("stale"))
				h.Stop()
				stale = append(stale, h)
			}
			d.Schedule(2*time.Second, l.Note("new"))
			for _, h := range stale {
				if h.Stop() || h.Reset(time.Hour) {
					t.Fatal("a stale handle names a timer")
				}
			}
		}
		time.Sleep(time.Minute)
		l.Want(t, slices.Repeat([]string{"2s new"}, 10)...)
	})
}

// After a stall all due timers fire once, in the order of the deadlines, across all shards. Timers
// without a delay fire after timers that were due before.
func TestFunctionsRunInOrder(t *testing.T) {
	for _, s := range exact {
		for name, opts := range map[string][]driver.Option{
			"inline": {driver.Inline(), driver.Shards(1)}, "shards": {driver.Inline(), driver.Shards(5)},
			"worker": {driver.Workers(1), driver.Budget(2)},
		} {
			driver.Bubble(t, s.name+"/"+name, func(t *testing.T) {
				d := newDriver(t, append(opts, driver.StructureFunc(s.new))...)
				var got []int
				note := func(at int) func() { return func() { got = append(got, at); time.Sleep(ms) } }
				d.AfterFunc(0, func() { time.Sleep(5 * time.Second) })
				var wg sync.WaitGroup
				for i := range 1000 { // from many goroutines, so in many shards
					at := time.Duration(1+i*7919%1000) * 2 * ms
					wg.Go(func() { d.AfterFunc(at/2, note(int(at/ms))).Reset(at) })
				}
				wg.Wait()
				time.Sleep(time.Second + 3*ms/2)
				for range 10 {
					d.Schedule(0, note(1001))
				}
				driver.Pass(time.Minute)
				if len(got) != 1010 || !slices.IsSorted(got) {
					t.Errorf("%d ran, in the order %v", len(got), got)
				}
			})
		}
	}
}

// The function of a timer may start other timers, even without a delay.
func TestFunctionsMayUseTheDriver(t *testing.T) {
	inBubble(t, func(t *testing.T, d *driver.Driver) {
		l := newLog()
		n := 0
		var again *driver.Timer
		again = d.AfterFunc(ms, func() {
			if n++; n < 5 {
				again.Reset(time.Second)
			}
			l.Note("again")()
			if again.Stop() && n == 5 {
				t.Error("pending while it fires")
			} else if n < 5 {
				again.Reset(time.Second)
			}
		})
		victim := d.AfterFunc(10*ms, l.Note("victim"))
		d.Schedule(5*ms, func() {
			if !victim.Stop() {
				t.Error("victim is not pending")
			}
			d.Schedule(0, l.Note("child"))
			d.AfterFunc(2*ms, func() { d.Schedule(ms, l.Note("grandchild")) })
		})
		time.Sleep(time.Minute)
		l.Want(t, "1ms again", "1.001s again", "2.001s again", "3.001s again", "4.001s again",
			"5ms child", "8ms grandchild")
	})
}

// Lateness counts from the deadline, or from the start of a timer without a delay.
func TestStatsTellHowLateTimersWere(t *testing.T) {
	driver.Alone(t, func(t *testing.T, d *driver.Driver) {
		d.Schedule(time.Second, func() { time.Sleep(time.Minute) })
		d.Schedule(11*time.Second, nothing)
		time.Sleep(31 * time.Second)
		d.Schedule(0, nothing)
		driver.Pass(time.Hour)
		l, want := d.Stats().Lateness, "pending 0, started 3, fired 3, stopped 0, wake-ups 1 (0 idle), lateness of 3 timers: p50 30.1s, p99 50s, max 50s"
		if got := fmt.Sprint(d.Stats()); got != want {
			t.Errorf("%s, want %s", got, want)
		}
		if half := l.Quantile(0.5); l.Count() != 3 || l.Max() != 50*time.Second || l.Quantile(0.1) != 0 ||
			half < 30*time.Second || half > 31*time.Second {
			t.Error(l, half)
		}
	}, driver.Inline(), driver.Budget(1), driver.Shards(1))
}

// A timer without a delay does not wait for the next tick, however it is started.
func TestWhatIsDueAtOnceFiresAtOnce(t *testing.T) {
	inBubble(t, func(t *testing.T, d *driver.Driver) {
		time.Sleep(300 * µs)
		l := newLog()
		var field driver.Timer
		d.Init(&field, l.Note("field"))
		moved, stopped := d.AfterFunc(time.Hour, l.Note("moved")), d.AfterFunc(time.Hour, l.Note("stopped"))
		stopped.Stop()
		c := d.NewTimer(time.Hour)
		wall := d.At(time.Now().Add(time.Hour), l.Note("wall moved"))

		a, h := d.AfterFunc(0, l.Note("timer")), d.Schedule(-time.Second, l.Note("handle"))
		if field.Reset(0) || !moved.Reset(0) || stopped.Reset(-1) || !wall.Reset(0) || !c.Reset(0) {
			t.Error("Reset does not tell what was pending")
		}
		synctest.Wait()
		if a.Stop() || h.Stop() || h.Reset(time.Second) || moved.Stop() || h == (driver.Handle{}) {
			t.Error("pending though it has fired")
		}
		d.At(time.Now(), l.Note("wall"))
		start := time.Now()
		mustReceive(t, c.C, start)
		mustReceive(t, d.After(0), start)
		l.Want(t, "0s timer", "0s handle", "0s field", "0s moved", "0s stopped", "0s wall", "0s wall moved")
		if s := d.Stats(); time.Since(start) != 0 || d.Len() != 0 || s.Fired != 9 || s.Lateness.Count() != 9 || s.Lateness.Max() != 0 {
			t.Errorf("after %v: %+v, %v", time.Since(start), s, s.Lateness)
		}
		if c = d.NewTimer(0); !c.Stop() || c.Stop() {
			t.Error("Stop of a timer whose value is not received")
		}
		mustBeEmpty(t, c.C)
	})
}

// A timer that is stopped before a pass comes to it, in any order, counts only as stopped.
func TestWhatIsDueAtOnceCanBeStopped(t *testing.T) {
	driver.Alone(t, func(t *testing.T, d *driver.Driver) {
		d.Schedule(ms, func() { // no pass comes while it runs
			var timers [50]*driver.Timer
			for i := range timers {
				timers[i] = d.AfterFunc(0, explode)
			}
			for _, i := range rand.New(rand.NewPCG(61, 4)).Perm(len(timers)) {
				if !timers[i].Stop() {
					t.Errorf("timer %d is not pending", i)
				}
			}
		})
		driver.Pass(time.Second)
		if s := d.Stats(); s.Fired != 1 || s.Stopped != 50 || s.Lateness.Count() != 1 {
			t.Errorf("%+v, want 50 stopped, and the lateness of the one that has fired", s)
		}
	}, driver.Inline())
}

// ResetAll does the same as a Reset of each timer, in any state of the timers.
func TestResetAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		drivers, l := []*driver.Driver{newDriver(t), newDriver(t)}, newLog()
		var timers []*driver.Timer
		for i := range 100 {
			timers = append(timers, drivers[i%2].AfterFunc(time.Duration(i%4)*10*time.Second, l.Note("")))
		}
		time.Sleep(15 * time.Second)
		l.Want(t, slices.Repeat([]string{"0s ", "10s "}, 25)...)
		for i := 3; i < 100; i += 8 {
			timers[i].Stop()
		}
		if got := driver.ResetAll(timers, time.Minute); got != 50-13 {
			t.Errorf("%d were pending, want 37", got)
		}
		time.Sleep(time.Hour)
		l.Want(t, slices.Repeat([]string{"1m15s "}, 100)...)
	})
}
