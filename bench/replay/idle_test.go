package replay

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/internal/fail"
	"github.com/timerbench/timerbench/internal/longtest"
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

// The script has three timers, at ticks 3, 3 and 7, and ends at tick 10. The wanted figures are counted by hand.
func TestWakeUpsOfAHandMadeScript(t *testing.T) {
	b := script.New(handMade{}, nil, 0).Fill()
	for ticking, idle := range map[bool]uint64{true: 8, false: 0} {
		w := newDriven(entry.Entry{New: func() structures.Scheduler[uint64] { return minheap.New[uint64]() }}, ticking)
		fail.If(t, w.replay([]*script.Block{b}))
		if want := (results.IdleTickOf{Firing: 2, Wakeups: idle}); w.of != want || w.fired != 3 {
			t.Errorf("ticking %t: %+v, want %+v", ticking, w.of, want)
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
		want results.IdleTickOf
	}{
		{structures.Work{}, results.IdleTickOf{}},
		{structures.Work{Moved: 2}, results.IdleTickOf{Moved: 3}},
		{structures.Work{Dropped: 1}, results.IdleTickOf{Dropped: 3}},
		{structures.Work{Moved: 1, Dropped: 1}, results.IdleTickOf{Moved: 3}},
	} {
		s := &idleWorker{Heap: minheap.New[uint64](), each: c.each}
		s.Schedule(2, 0)
		w := newDriven(entry.Entry{New: func() structures.Scheduler[uint64] { return s }}, true)
		w.advance(4)
		c.want.Wakeups, c.want.Firing = 3, 1
		fail.UnlessSame(t, fmt.Sprintf("work %+v", c.each), w.of, c.want)
	}
}

// timedHeap is a heap whose Pop takes a given time.
type timedHeap struct {
	*minheap.Heap[uint64]
	pop time.Duration
}

func (s *timedHeap) Pop(now structures.Tick) (structures.Timer[uint64], bool) {
	time.Sleep(s.pop)
	return s.Heap.Pop(now)
}

// Each stretch of idle ticks of the script counts with its fastest pass: one Pop at each tick.
func TestTheTimeOfAnIdleTickIsThatOfTheFastestPass(t *testing.T) {
	b := script.New(handMade{}, nil, 0).Fill()
	synctest.Test(t, func(t *testing.T) {
		slower := timedPasses
		e := entry.Entry{New: func() structures.Scheduler[uint64] {
			slower--
			return &timedHeap{minheap.New[uint64](), time.Microsecond + time.Duration(slower)}
		}}
		if got := idleTickNS(e, []*script.Block{b}); got != 1000 || slower != 0 {
			t.Errorf("%v ns after %d passes, want 1,000", got, timedPasses-slower)
		}
	})
}

// The classical wheel is simulated tick by tick. It must touch in vain as many timers as are computed from the script.
func TestTheRoundsOfAFlatWheelAreThoseOfASimulation(t *testing.T) {
	for _, shape := range shapes() {
		blocks, _ := blocksUntil(20_000, shape.Script(300, 5), 7)
		var want, firing uint64
		pending, now := make(map[uint32]structures.Tick), structures.Tick(0)
		for _, b := range blocks {
			for kind, op := range b.All() {
				switch kind {
				case script.KindSchedule, script.KindReschedule:
					pending[op.Key] = op.At
				case script.KindCancel:
					delete(pending, op.Key)
				case script.KindFire, script.KindWake:
					if kind == script.KindFire {
						firing++
					}
					for now < op.At {
						now++
						for key, deadline := range pending {
							switch {
							case deadline <= now:
								delete(pending, key)
							case deadline%flatSlots == now%flatSlots:
								want++
							}
						}
					}
				}
			}
		}
		if got, fires := count(blocks); got.FlatRounds != want || fires != firing || got.Fired == 0 && shape.Shape != results.RoundTimes {
			t.Errorf("%s: %+v, want %d rounds and %d ticks that fire", shape.Shape, got, want, firing)
		}
	}
}

// Spread starts make spread deadlines, whatever the shape of the delays: both shares of idle ticks are e^(-rate). Deadlines on
// round times leave more than 99.9 % of the ticks idle. A structure that knows its next deadline never wakes in vain, and coarse
// structures say how late they fire.
func TestTheAnalysisOfIdleTicksAddsUp(t *testing.T) {
	var out results.Run
	err := IdleTicks{N: 10_000, Ticks: 60_000, Seed: 3}.Run(t.Context(), entries(t, "hwheel", "quadheap-lazy", "minheap", "hwheel-linux"), &out)
	if err != nil || len(out.Failures) > 0 {
		t.Fatal(err, out.Failures)
	}
	for _, i := range out.IdleTicks {
		share, want := float64(i.Idle)/float64(i.Ticks), math.Exp(-float64(i.Fired)/float64(i.Ticks))
		if round := i.Shape == results.RoundTimes; round && share < 0.999 || !round && math.Abs(share-want) > 0.01 {
			t.Errorf("%s: %g of the ticks are idle, e^-rate is %g", i.Shape, share, want)
		}
		vain := make(map[string]uint64)
		for _, s := range i.Structures {
			vain[s.Structure] = s.Vain
			hold, coarse := i.Shape == results.Uniform, s.Structure == "hwheel-linux"
			if timed := s.Structure == "hwheel" || s.Structure == "minheap"; (hold && timed) != (s.NS > 0) || (hold && coarse) != (s.Lateness != nil) {
				t.Errorf("%s: an idle tick of %s takes %g ns, lateness %+v", i.Shape, s.Structure, s.NS, s.Lateness)
			}
			if hold && !coarse && (s.Firing != i.Ticks-i.Idle || s.Wakeups > 0 && s.Structure != "hwheel") {
				t.Errorf("%s wakes up at %d and %d ticks, and timers are due at %d of %d", s.Structure, s.Firing, s.Wakeups, i.Ticks-i.Idle, i.Ticks)
			}
		}
		if i.Shape == results.HalfCancelled && (vain["hwheel"] == 0 || vain["quadheap-lazy"] == 0 || vain["minheap"] != 0) {
			t.Errorf("touched in vain: %v, want cascades and stale entries, and none of a heap that keeps no stale entries", vain)
		}
	}
	tooLate := entries(t, "hwheel-linux")
	tooLate[0].MaxLate = func(structures.Tick) structures.Tick { return 1 }
	err = IdleTicks{N: 1000, Ticks: 20_000, Seed: 1}.Run(t.Context(), tooLate, &out)
	if err != nil || len(out.Failures) == 0 {
		t.Errorf("beyond its bound: %v, failures %v", err, out.Failures)
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

func TestPercentilesCarryTheRangeOfInstances(t *testing.T) {
	l := NewLatencies()
	for _, ns := range []time.Duration{100, 300} {
		for range 1000 {
			l.record(script.KindFire, ns)
		}
		if l.EndInstance(); ns == 100 && l.Summary()[0].P99Range != nil {
			t.Error("one instance has a range")
		}
	}
	l.EndInstance() // without samples: none
	got := l.Summary()[0]
	fail.UnlessSame(t, "instances", l.instances, 2)
	if *got.P99Range != [2]float64{100, 300} || got.Samples != 2000 || got.P99 != 300 || got.P50 != 100 {
		t.Errorf("%+v, range %v", got, *got.P99Range)
	}
}

func TestEveryStructureTakesTheMemoryThatItDeclares(t *testing.T) {
	c := Memory{N: longtest.Scale(t, 25_000, 25_000, 1_000_000), Replaced: longtest.Scale(t, 50_000, 50_000, 1<<20), Seed: 1}
	entries := slices.DeleteFunc(catalog.All(), func(e entry.Entry) bool { return e.Limit > 0 && c.N > e.Limit })
	var out results.Run
	if err := c.Run(context.Background(), entries, &out); err != nil || len(out.Memory)+len(out.Failures) != len(entries) {
		t.Fatalf("%d structures measured, error %v", len(out.Memory), err)
	}
	for _, f := range out.Failures {
		t.Error(f)
	}
	for _, m := range out.Memory {
		e, _ := catalog.Find(m.Structure)
		if e.MaxBytes == 0 {
			t.Errorf("%s declares no MaxBytes", e.Name)
		}
		// Arrays whose size does not depend on the number of timers come on top. Some structures declare room for a heap, in
		// which no timer of this population is.
		fixed := max(m.EmptyBytes, 256<<10) / float64(m.N)
		if taken, declared := m.AgedBytes, float64(e.MaxBytes); taken-fixed > declared || taken < 0.4*declared {
			t.Errorf("%s takes %.1f bytes a timer, and declares %d", e.Name, taken, e.MaxBytes)
		}
	}
}
