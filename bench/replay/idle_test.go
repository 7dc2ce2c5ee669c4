package replay

import (
	"context"
	"errors"
	"testing"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/catalog"
	"github.com/timerbench/timerbench/structures/entry"
	"github.com/timerbench/timerbench/structures/minheap"
)

type handMade struct{}

func (handMade) Fill(w *script.Writer, _ *script.Rand) {
	w.Schedule(3)
	w.Schedule(3)
	w.Schedule(7)
	w.Advance(3)
	w.Advance(7)
	w.Advance(10)
}

func (handMade) Step(*script.Writer, *script.Rand) {}

// entryOf is a catalog entry of a structure for tests.
func entryOf[S structures.Scheduler[uint64], O any](newS func(...O) S) entry.Entry {
	return entry.Entry{Name: "tested", New: func() structures.Scheduler[uint64] { return newS() }}
}

// The script has three timers, at ticks 3, 3 and 7, and ends at tick 10. The wanted figures are counted by hand.
func TestWakeUpsOfAHandMadeScript(t *testing.T) {
	b := script.New(handMade{}, nil).Fill()
	for driver, want := range map[results.Driver]results.Idle{
		results.Ticking:  {Wakeups: 10, Empty: 8},
		results.Tickless: {Wakeups: 2},
	} {
		k := newDriven(entryOf(minheap.New[uint64]), driver)
		if err := k.replay([]*script.Block{b}); err != nil {
			t.Error(err)
		}
		want.Fired = 3
		if k.idle != want {
			t.Errorf("%s: %+v, want %+v", driver, k.idle, want)
		}
	}
}

// idleWorker reports work of one kind on each Pop that finds nothing.
type idleWorker struct {
	*minheap.Heap[uint64]
	each, sum structures.Work
}

func (b *idleWorker) Pop(now structures.Tick) (structures.Timer[uint64], bool) {
	t, ok := b.Heap.Pop(now)
	if !ok {
		b.sum.Moved += b.each.Moved
		b.sum.Dropped += b.each.Dropped
	}
	return t, ok
}

func (b *idleWorker) Work() structures.Work { return b.sum }

func TestIdleWakeUpsAreSplitByCause(t *testing.T) {
	for _, c := range []struct {
		each structures.Work
		want results.Idle
	}{
		{structures.Work{}, results.Idle{Wakeups: 4, Empty: 3}},
		{structures.Work{Moved: 2}, results.Idle{Wakeups: 4, Moved: 3}},
		{structures.Work{Dropped: 1}, results.Idle{Wakeups: 4, Dropped: 3}},
		{structures.Work{Moved: 1, Dropped: 1}, results.Idle{Wakeups: 4, Moved: 3}},
	} {
		s := &idleWorker{Heap: minheap.New[uint64](), each: c.each}
		s.Schedule(2, 0)
		k := newDriven(entry.Entry{New: func() structures.Scheduler[uint64] { return s }}, results.Ticking)
		k.advance(4)
		c.want.Fired = 1
		if k.idle != c.want {
			t.Errorf("work %+v: %+v, want %+v", c.each, k.idle, c.want)
		}
	}
}

// counted runs the idle analysis; a structure that fails is an error.
func counted(c Idle, entries []entry.Entry) ([]results.Idle, error) {
	var out results.Run
	err := c.Run(context.Background(), entries, &out)
	for _, f := range out.Failures {
		err = errors.Join(err, f)
	}
	return out.Idle, err
}

// For any script, a heap, a tree or a list has no idle wake-ups under the tickless
// driver, and the ticking driver wakes once per tick.
func TestIdleCountsAddUp(t *testing.T) {
	for _, n := range IdlePopulations {
		counts, err := counted(Idle{"clustered", n, 10_000, 3}, catalog.All())
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range counts {
			e, _ := catalog.Find(i.Structure)
			if i.Driver == results.Ticking && i.Wakeups != i.Ticks {
				t.Errorf("%s wakes %d times in %d ticks", i.Structure, i.Wakeups, i.Ticks)
			}
			if i.Driver == results.Tickless && e.Family != entry.Wheels && i.Total() != 0 {
				t.Errorf("%s wakes %d times in vain although it knows its next deadline", i.Structure, i.Total())
			}
			if i.Wakeups-i.Total() > i.Fired {
				t.Errorf("%s: %d wake-ups that fire, but only %d timers fired", i.Structure, i.Wakeups-i.Total(), i.Fired)
			}
			if e.Exact() && i.Fired != counts[0].Fired || i.Ticks != counts[0].Ticks {
				t.Errorf("%s under the %s driver fired %d in %d ticks, %s %d in %d", i.Structure, i.Driver, i.Fired, i.Ticks, counts[0].Structure, counts[0].Fired, counts[0].Ticks)
			}
		}
	}
}

func TestACoarseStructureFailsTheIdleAnalysisBeyondItsBound(t *testing.T) {
	e := entries(t, "hwheel-linux")
	e[0].MaxLate = func(structures.Tick) structures.Tick { return 1 }
	if _, err := counted(Idle{"clustered", 1000, 20_000, 1}, e); err == nil {
		t.Error("the idle analysis passes it")
	}
}

func TestMeanP99Max(t *testing.T) {
	values := make([]float64, 200)
	for i := range values {
		values[i] = float64(200 - i)
	}
	if mean, p99, largest := meanP99Max(values); mean != 100.5 || p99 != 198 || largest != 200 {
		t.Errorf("%g, %g, %g", mean, p99, largest)
	}
}
