package advise

import (
	"bytes"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/trace"
	"github.com/timerbench/timerbench/trace/tracestat"
)

// recorded writes a trace of a program with functions and a tick of a millisecond.
func recorded(t *testing.T, form trace.Form, run func(w *trace.Writer)) (string, *tracestat.Summary) {
	t.Helper()
	var out bytes.Buffer
	w, err := trace.NewWriter(&out, trace.Header{Name: "test", Tick: time.Millisecond, Sites: true})
	if err != nil {
		t.Fatal(err)
	}
	w.From(trace.Site{Place: "main.run main.go:7", Form: form})
	w.Advance(0)
	run(w)
	return saved(t, &out, w.Close())
}

// The calls and wake-ups of each change are counted by hand.
func TestChangesAreCounted(t *testing.T) {
	path, s := recorded(t, trace.FuncForm, func(w *trace.Writer) {
		moved := w.Schedule(100)
		w.Advance(50)
		w.Reschedule(moved, 150) // the process wakes up at 100, too
		w.Cancel(w.Schedule(500))
		w.Advance(150, moved)
		w.Advance(160)
		a, b, c := w.Schedule(201), w.Schedule(203), w.Schedule(205)
		w.Advance(201, a)
		w.Advance(203, b)
		w.Advance(205, c)
		w.Advance(400)
	})
	for _, c := range []struct {
		name    string
		change  Change
		driver  bool
		calls   [3]float64
		wakeups uint64
		atOnce  int
		latest  time.Duration
	}{
		{"now", Change{}, false, [3]float64{1, 1, 4}, 5, 1, 0},
		{"lazily", Change{Lazy: true}, false, [3]float64{1, 0, 5}, 5, 1, 0},
		{"on the driver", Change{}, true, [3]float64{1, 1, 4}, 5, 1, 0},
		{"rounded", Change{Tick: 100 * time.Millisecond}, false, [3]float64{1, 1, 4}, 3, 3, 99 * time.Millisecond},
		{"rounded, on the driver", Change{Tick: 100 * time.Millisecond}, true, [3]float64{1, 1, 4}, 3, 3, 99 * time.Millisecond},
	} {
		got, err := count(path, s, c.change, c.driver)
		if err != nil {
			t.Fatal(err)
		}
		of := got.Calls[Function]
		if [3]float64{of.Stopped, of.Moved, of.Fired} != c.calls || got.Wakeups != c.wakeups || got.AtOnce != c.atOnce || time.Duration(got.Latest) != c.latest || got.Most[Function] != 3 {
			t.Errorf("%s: %+v, want %+v", c.name, got, c)
		}
	}
}

func TestSpreadParts(t *testing.T) {
	path, s := recorded(t, trace.FuncForm, func(w *trace.Writer) {
		var keys []uint32
		for range 1000 {
			keys = append(keys, w.Schedule(1000))
		}
		w.Advance(1000, keys...)
	})
	c, err := count(path, s, Change{Spread: 0.05}, false)
	if late := time.Duration(c.Latest); err != nil || c.AtOnce > 60 || c.Wakeups < 40 || late < 40*time.Millisecond || late > 50*time.Millisecond {
		t.Errorf("%+v, %v", c, err)
	}
}

// Channels that nobody waits for are not in the heap of Go, and wake nobody. The driver does not know.
func TestUnreadChannelsWakeNobody(t *testing.T) {
	path, s := recorded(t, trace.ChannelForm, func(w *trace.Writer) {
		for i := range structures.Tick(100) {
			w.Advance(11+10*i, w.Schedule(11+10*i))
		}
	})
	s.Totals.Heaped = 25
	for driver, want := range map[bool]uint64{false: 25, true: 100} {
		if c, err := count(path, s, Change{}, driver); err != nil || c.Wakeups != want || c.Calls[Channel].Fired != 100 {
			t.Errorf("driver %t: %+v, %v, want %d wake-ups", driver, c, err, want)
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
