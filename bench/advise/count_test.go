package advise

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/trace"
)

// The calls and wake-ups of each change are counted by hand.
func TestChangesAreCounted(t *testing.T) {
	p := newProgram(t)
	moved := p.set(100)
	p.now = 50
	p.reset(moved, 100) // the process wakes up at 100, too
	p.stop(p.set(450))
	p.now = 160
	p.set(41)
	p.set(43)
	p.set(45)
	path, s := p.end(400)
	for _, c := range []struct {
		name    string
		change  Change
		driver  bool
		calls   [3]float64
		wakeups uint64
		atOnce  int
		latest  time.Duration
		late    time.Duration
	}{
		{"now", Change{}, false, [3]float64{1, 1, 4}, 5, 1, 0, 0},
		{"lazily", Change{Lazy: true}, false, [3]float64{1, 0, 5}, 5, 1, 0, 0},
		{"on the driver", Change{}, true, [3]float64{1, 1, 4}, 5, 1, 0, 0},
		{"rounded", Change{Tick: 100 * time.Millisecond}, false, [3]float64{1, 1, 4}, 3, 3, 99 * time.Millisecond, (50 + 99 + 97 + 95) * time.Millisecond / 4},
		{"rounded, on the driver", Change{Tick: 100 * time.Millisecond}, true, [3]float64{1, 1, 4}, 3, 3, 99 * time.Millisecond, (50 + 99 + 97 + 95) * time.Millisecond / 4},
	} {
		got, err := count(path, s, c.change, c.driver)
		if err != nil {
			t.Fatal(err)
		}
		of := got.Calls[Function]
		if [3]float64{of.Stopped, of.Moved, of.Fired} != c.calls || got.Wakeups != c.wakeups || got.AtOnce != c.atOnce || time.Duration(got.Latest) != c.latest || time.Duration(got.Late) != c.late || got.Most[Function] != 3 {
			t.Errorf("%s: %+v, want %+v", c.name, got, c)
		}
	}
}

func TestSpreadParts(t *testing.T) {
	p := newProgram(t)
	for range 1000 {
		p.set(1000)
	}
	path, s := p.end(1001)
	c, err := count(path, s, Change{Spread: 0.05}, false)
	if late := time.Duration(c.Latest); err != nil || c.AtOnce > 60 || c.Wakeups < 40 || late < 40*time.Millisecond || late > 50*time.Millisecond {
		t.Errorf("%+v, %v", c, err)
	}
}

// Channels that nobody waits for when they are due are not in the heap of Go, and wake nobody. The driver does not know.
func TestUnreadChannelsWakeNobody(t *testing.T) {
	p := newProgram(t)
	p.place.Form = trace.ChannelForm
	for i := 0; p.now < 1000; p.now += 10 {
		p.set(1)
		p.now++
		p.waits = i%4 == 0
		p.fire()
		p.now--
		i++
	}
	path, s := p.end(1100)
	for driver, want := range map[bool]uint64{false: 25, true: 100} {
		if c, err := count(path, s, Change{}, driver); err != nil || c.Wakeups != want || c.Calls[Channel].Fired != 100 {
			t.Errorf("driver %t: %+v, %v, want %d wake-ups", driver, c, err, want)
		}
		if c, err := count(path, s, Change{Tick: 10 * time.Millisecond}, driver); err != nil || c.Late != 9e6 || c.Latest != 9e6 {
			t.Errorf("driver %t: late by %v, at most %v, %v, want 9ms", driver, c.Late, c.Latest, err)
		}
	}
}

func TestChangesOfFarTimesDoNotWrapAround(t *testing.T) {
	for _, change := range []Change{{Spread: 1}, {Tick: math.MaxInt64}} {
		c := &counter{change: change, tick: max(1, structures.Tick(change.Tick)), random: rand.New(rand.NewPCG(1, 1))}
		for _, clock := range []structures.Tick{0, math.MaxInt64 / 2, math.MaxInt64 - 100} {
			for _, deadline := range []structures.Tick{clock + 99, math.MaxInt64 - 1} {
				if got := c.changed(deadline, clock); got < deadline {
					t.Errorf("%+v: deadline %d becomes %d", change, deadline, got)
				}
			}
		}
	}
}

func TestDeadlinesAreRoundedUp(t *testing.T) {
	c := &counter{tick: 100}
	for deadline, want := range map[structures.Tick]structures.Tick{
		200: 200, 201: 300, 299: 300, math.MaxInt64 - 1: math.MaxInt64 - 1, math.MaxInt64 - 99: math.MaxInt64 - 99, math.MaxInt64 - 108: math.MaxInt64 - 107,
	} {
		if got := c.changed(deadline, 0); got != want {
			t.Errorf("%d is rounded to %d, want %d", deadline, got, want)
		}
	}
	c = &counter{change: Change{Spread: math.SmallestNonzeroFloat64}, tick: 1, random: rand.New(rand.NewPCG(1, 1))}
	if got := c.changed(math.MaxInt64-5, 0); got != math.MaxInt64-5 {
		t.Errorf("a spread of next to nothing makes %d", got)
	}
}

// The deadlines of package net and sleeps stay on package time, which fires one that is moved lazily at its old deadline, too. If
// nothing fires, nothing is late.
func TestWhatStaysOnPackageTime(t *testing.T) {
	p := newProgram(t)
	p.place.Form = trace.DeadlineForm
	kept := p.set(100)
	p.place = trace.Site{Place: "main.f main.go:9", Form: trace.FuncForm}
	p.set(300)
	p.now = 50
	p.reset(kept, 240) // to 290
	path, s := p.end(400)
	for driver, change := range map[bool]Change{false: {}, true: {Lazy: true}} {
		moved, fired := 1.0, 1.0
		if driver {
			moved, fired = 0, 2
		}
		c, err := count(path, s, change, driver)
		if err != nil || c.Wakeups != 3 || c.Calls[Kept].Moved != moved || c.Calls[Kept].Fired != fired || c.Wakes[Kept] < 2 || c.Wakes[Function] != 1 || c.BySite[2] != 1 {
			t.Errorf("driver %t: %+v, %v", driver, c, err)
		}
	}
	p = newProgram(t)
	p.set(1000)
	path, s = p.end(400)
	if c, err := count(path, s, Change{Tick: time.Second}, false); err != nil || c.Late != 0 || c.Wakeups != 0 || c.Calls[Function].Stopped != 1 {
		t.Errorf("nothing fires: %+v, %v", c, err)
	}
}
