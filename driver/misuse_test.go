package driver_test

import (
	"context"
	"fmt"
	"maps"
	"math"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/timerbench/timerbench/driver"
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/quadheap"
)

// mustPanic checks that a call panics with a sentence.
func mustPanic(t *testing.T, sentence string, call func()) {
	t.Helper()
	defer func() {
		t.Helper()
		if got := fmt.Sprint(recover()); !strings.HasPrefix(got, "driver: ") || !strings.Contains(got, sentence) {
			t.Errorf("panicked with %q, want %q", got, sentence)
		}
	}()
	call()
}

// stuck is a recurrence that returns its argument.
type stuck struct{}

func (stuck) Next(t time.Time) time.Time { return t }

// starts returns the ways to start a timer.
func starts(d *driver.Driver) map[string]func() {
	return map[string]func(){
		"AfterFunc":   func() { d.AfterFunc(time.Hour, nothing) },
		"AfterWindow": func() { d.AfterWindow(0, time.Hour, nothing) },
		"Schedule":    func() { d.Schedule(time.Hour, nothing) },
		"At":          func() { d.At(time.Now(), nothing) },
		"Every":       func() { d.Every(driver.Periodic(time.Now(), 1), nothing) },
		"NewTimer":    func() { d.NewTimer(time.Hour) },
		"NewTicker":   func() { d.NewTicker(time.Hour) },
		"WithTimeout": func() { d.WithTimeout(context.Background(), time.Hour) },
	}
}

func TestWrongArgumentsAreRefused(t *testing.T) {
	d := newDriver(t)
	var timer driver.Timer
	var none context.Context
	ticker, periodic := d.NewTicker(1<<63-1), driver.Periodic(time.Now(), 1)
	for sentence, call := range map[string]func(){
		"non-positive period of a Ticker":  func() { d.NewTicker(-1) },
		"period of a Ticker":               func() { ticker.Reset(0) },
		"AfterFunc: the function is nil":   func() { d.AfterFunc(time.Hour, nil) },
		"AfterWindow: the function is nil": func() { d.AfterWindow(0, time.Hour, nil) },
		"AfterWindow(2s, 1s)":              func() { d.AfterWindow(2*time.Second, time.Second, nothing) },
		"ResetWindow(2s, 1s)":              func() { timer.ResetWindow(2*time.Second, time.Second) },
		"Schedule: the function is nil":    func() { d.Schedule(time.Hour, nil) },
		"Init: the function is nil":        func() { d.Init(&timer, nil) },
		"At: the function is nil":          func() { d.At(time.Now(), nil) },
		"Every: the function is nil":       func() { d.Every(periodic, nil) },
		"Every: the recurrence is nil":     func() { d.Every(driver.OnMissed(nil, driver.Skip), nothing) },
		"want a later time":                func() { d.Every(stuck{}, nothing) },
		"NewKeyed: the function is nil":    func() { driver.NewKeyed[int, int](d, nil) },
		"NewKeyed: the driver is nil":      func() { driver.NewKeyed(nil, func(int, int) {}) },
		"NewQueue: the driver is nil":      func() { driver.NewQueue[int](nil) },
		"OnMissed(7): want Coalesce":       func() { driver.OnMissed(periodic, 7) },
		"Periodic(0s): want a period":      func() { driver.Periodic(time.Now(), 0) },
		"Spread(-1ns): want a duration":    func() { driver.Spread(periodic, -1) },
		"context from nil parent":          func() { d.WithDeadline(none, time.Now()) },
	} {
		mustPanic(t, sentence, call)
	}
	ticker.Stop() // no lock is held
	if d.Len() != 0 {
		t.Errorf("%d are pending", d.Len())
	}
}

// A zero Timer would never run. So it panics, as in package time, but for Ticker.Stop, and so does a zero Driver.
func TestZeroValuesAreRefused(t *testing.T) {
	var d driver.Driver
	var timer driver.Timer
	var c driver.ChanTimer
	var ticker driver.Ticker
	ticker.Stop()
	calls := starts(&d)
	maps.Copy(calls, map[string]func(){
		"Init": func() { d.Init(new(driver.Timer), nothing) }, "Jitter": func() { d.Jitter(time.Minute, time.Second) },
		"NewQueue": func() { driver.NewQueue[int](&d) }, "NewKeyed": func() { driver.NewKeyed(&d, func(int, int) {}) },
		"Close": func() { _ = d.Close() }, "Now": func() { d.Now() },
	})
	for sentence, calls := range map[string]map[string]func(){
		"is the zero value: make one with New": calls,
		"is the zero value: make it by AfterFunc, Init": {
			"Stop": func() { timer.Stop() }, "Reset": func() { timer.Reset(0) }, "ResetWindow": func() { timer.ResetWindow(0, 1) },
			"ResetAll": func() { driver.ResetAll([]*driver.Timer{&timer}, 1) }, "StopWait": func() { _ = timer.StopWait(t.Context()) },
			"ChanTimer.Stop": func() { c.Stop() }, "ChanTimer.Reset": func() { c.Reset(0) }, "Ticker.Reset": func() { ticker.Reset(1) },
		},
	} {
		for name, call := range calls {
			t.Run(name, func(t *testing.T) { mustPanic(t, sentence, call) })
		}
	}
}

// A driver is for goroutines in the bubble in which it was made, or for goroutines outside of all bubbles.
func TestADriverFromOutsideABubbleIsRefusedInside(t *testing.T) {
	outside := newDriver(t)
	timer, ticker := outside.AfterFunc(time.Hour, nothing), outside.NewTicker(time.Hour)
	for start := time.Now(); time.Since(start) < 10*µs; { // until no shared reading of the clock is valid
	}
	synctest.Test(t, func(t *testing.T) {
		calls := starts(outside)
		calls["Reset"] = func() { timer.Reset(time.Second) }
		calls["Ticker.Reset"] = func() { ticker.Reset(time.Second) }
		for name, call := range calls {
			t.Log(name)
			mustPanic(t, "inside a testing/synctest bubble", call)
		}
	})
	if !timer.Stop() {
		t.Error("the timer is not pending")
	}
}

func TestInitRefusesATimerThatIsPending(t *testing.T) {
	inBubble(t, func(t *testing.T, d *driver.Driver) {
		var timer driver.Timer
		n := 0
		count := func() { n++ }
		d.Init(&timer, count)
		d.Init(&timer, count)
		timer.Reset(time.Second)
		mustPanic(t, "Init: the Timer is pending", func() { d.Init(&timer, explode) })
		driver.Pass(time.Minute)
		d.Init(&timer, count)
		timer.Reset(time.Second)
		timer.Stop()
		d.Init(&timer, count)
		timer.Reset(time.Second)
		_ = d.Close()

		// No timer is pending after Close.
		other := newDriver(t)
		other.Init(&timer, count)
		if timer.Stop() || timer.Reset(time.Hour) || !timer.Reset(time.Second) {
			t.Error("pending after Init")
		}
		driver.Pass(time.Minute)
		if n != 2 {
			t.Errorf("ran %d times, want 2", n)
		}
	})
}

// If a struct with a pending timer is set to zero, as before a Put of sync.Pool, the driver panics, even if the
// struct is used again by the same driver or another one. Timers that were started properly fire.
func TestATimerThatIsOverwrittenIsHeardOf(t *testing.T) {
	type conn struct {
		timer driver.Timer
		c     *driver.ChanTimer
	}
	var mu sync.Mutex
	heard := 0
	inBubble(t, func(t *testing.T, d *driver.Driver) {
		heard = 0
		l := newLog()
		for i, again := range []*driver.Driver{d, d, newDriver(t), nil} {
			c := new(conn)
			d.Init(&c.timer, l.Note("old"))
			c.timer.Reset(time.Second)
			c.c = d.NewTimer(time.Second)
			*c.c = driver.ChanTimer{}
			*c = conn{}
			mustPanic(t, "is the zero value", func() { c.timer.Stop() })
			if again != nil {
				again.Init(&c.timer, l.Note(fmt.Sprint("new ", i)))
				c.timer.Reset(2 * time.Second)
			}
		}
		d.Len() // locks each shard, so the passes see the writes
		time.Sleep(time.Minute)
		l.Want(t, "2s new 0", "2s new 1", "2s new 2")
		if heard != 8 || d.Len() != 0 {
			t.Errorf("heard of %d, want 8; %d are pending", heard, d.Len())
		}
	}, driver.OnPanic(func(value any, _ []byte) {
		mu.Lock()
		defer mu.Unlock()
		if heard++; !strings.Contains(fmt.Sprint(value), "overwritten while it was pending") {
			t.Errorf("panicked with %v", value)
		}
	}))
}

func nothing() {}

func TestInvalidOptionsAreNamedWithTheirValue(t *testing.T) {
	shared := quadheap.New[driver.Task]()
	for _, c := range []struct {
		opts []driver.Option
		want string
	}{
		{[]driver.Option{driver.Tick(0)}, "driver: Tick(0s): want a duration from 1ns to 24h0m0s"},
		{[]driver.Option{driver.Tick(-time.Second)}, "driver: Tick(-1s)"},
		{[]driver.Option{driver.Tick(24*time.Hour + 1)}, "driver: Tick(24h0m0.000000001s)"},
		{[]driver.Option{driver.Shards(0)}, "driver: Shards(0): want a number from 1 to 4096"},
		{[]driver.Option{driver.Shards(4097)}, "driver: Shards(4097)"},
		{[]driver.Option{driver.Workers(0)}, "driver: Workers(0)"},
		{[]driver.Option{driver.Workers(math.MaxInt32)}, "driver: Workers(2147483647)"},
		{[]driver.Option{driver.Budget(-1)}, "driver: Budget(-1): want a number from 1 to 1048576"},
		{[]driver.Option{driver.Budget(1<<20 + 1)}, "driver: Budget(1048577)"},
		{[]driver.Option{driver.Profiling(0)}, "driver: Profiling(0): want a number of at least 1"},
		{[]driver.Option{driver.OnPanic(nil)}, "driver: OnPanic(nil)"},
		{[]driver.Option{driver.StructureFunc(nil)}, "driver: Structure(nil)"},
		{[]driver.Option{driver.Structure[*quadheap.Heap[driver.Task], quadheap.Option](nil)}, "driver: Structure(nil)"},
		{[]driver.Option{driver.Inline(), nil}, "driver: option 2 of 2 is nil"},
		{[]driver.Option{driver.Inline(), driver.Shards(-3), driver.Ticking()}, "driver: Shards(-3)"},
		{[]driver.Option{driver.StructureFunc(func() structures.Scheduler[driver.Task] { return nil })}, "driver: Structure: the function returned nil"},
		{[]driver.Option{driver.Shards(2), driver.StructureFunc(func() structures.Scheduler[driver.Task] { return shared })}, "driver: Structure: the function returned the same *quadheap.Heap"},
		{[]driver.Option{driver.StructureFunc(func() structures.Scheduler[driver.Task] {
			s := quadheap.New[driver.Task]()
			s.Schedule(1, driver.Task{})
			return s
		})}, "with 1 timers pending"},
	} {
		d, err := driver.New(c.opts...)
		if err == nil || !strings.Contains(err.Error(), c.want) || d != nil {
			t.Errorf("error %v, want one that says %q", err, c.want)
		}
	}
}

// The constructor of the structure is called once for each shard.
func TestStructureIsCalledOnceForEachShard(t *testing.T) {
	for _, shards := range []int{1, 2, 9, 64} {
		n := 0
		d, err := driver.New(driver.Shards(shards), driver.StructureFunc(func() structures.Scheduler[driver.Task] {
			n++
			return quadheap.New[driver.Task]()
		}))
		if err != nil || n != shards {
			t.Errorf("%d structures, error %v, want %d", n, err, shards)
		}
		_ = d.Close()
	}
}
