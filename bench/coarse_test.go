package bench

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/bench/workload"
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/catalog"
	"github.com/timerbench/timerbench/structures/minheap"
)

// rounding is a simple coarse structure: a heap that rounds deadlines up to multiples of
// grain. early is subtracted from the rounded deadline.
type rounding struct {
	*minheap.Heap[rounded]
	grain, early structures.Tick
}

type rounded struct {
	deadline structures.Tick
	value    uint64
}

func newRounding(grain, early structures.Tick) *rounding {
	return &rounding{minheap.New[rounded](), grain, early}
}

func (s *rounding) up(deadline structures.Tick) structures.Tick {
	return (deadline+s.grain-1)/s.grain*s.grain - s.early
}

func (s *rounding) Schedule(deadline structures.Tick, value uint64) structures.ID {
	return s.Heap.Schedule(s.up(deadline), rounded{deadline, value})
}

func (s *rounding) Reschedule(structures.ID, structures.Tick) bool { panic("not used") }

func (s *rounding) Pop(now structures.Tick) (t structures.Timer[uint64], ok bool) {
	r, ok := s.Heap.Pop(now)
	return structures.Timer[uint64]{ID: r.ID, Deadline: r.Value.deadline, Value: r.Value.value}, ok
}

func roundingEntry(grain, early, declared structures.Tick) catalog.Entry {
	return catalog.Entry{
		Name:    "rounding",
		MaxLate: func(structures.Tick) structures.Tick { return declared },
		New:     func() structures.Scheduler[uint64] { return newRounding(grain, early) },
	}
}

func TestACoarseStructurePassesWithinItsBound(t *testing.T) {
	for _, name := range []string{"hold", "grid-clustered-50", "kafka-purgatory", "periodic", "idle"} {
		w, _ := workload.Find(name)
		if err := allReplays(contenderOf(roundingEntry(8, 0, 7)), w, 1); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestACoarseStructureFailsBeyondItsBound(t *testing.T) {
	for fault, e := range map[string]catalog.Entry{
		"later than declared": roundingEntry(8, 0, 6),
		"early":               roundingEntry(8, 1, 7),
	} {
		for _, d := range []string{"uniform", "clustered"} {
			if _, err := counted(idleCase{d, 1000, 20_000, 1}, []catalog.Entry{e}); err == nil {
				t.Errorf("%s, %s: the idle analysis passes it", fault, d)
			}
		}
		// This workload pops at each tick, so the timed replay must find the fault too.
		w, _ := workload.Find("kafka-purgatory")
		if err := allReplays(contenderOf(e), w, 1); err == nil {
			t.Errorf("%s: the replay passes it", fault)
		}
	}
}

// keepsTimers is a coarse structure that never fires every tenth timer.
type keepsTimers struct {
	*rounding
	calls int
}

func (s *keepsTimers) Schedule(deadline structures.Tick, value uint64) structures.ID {
	if s.calls++; s.calls%10 == 0 {
		return s.Heap.Schedule(math.MaxInt64, rounded{deadline, value})
	}
	return s.rounding.Schedule(deadline, value)
}

func TestACoarseStructureMayNotKeepATimer(t *testing.T) {
	e := roundingEntry(8, 0, 7)
	e.New = func() structures.Scheduler[uint64] { return &keepsTimers{rounding: newRounding(8, 0)} }
	w, _ := workload.Find("hold")
	if err := allReplays(contenderOf(e), w, 1); err == nil || !strings.Contains(err.Error(), "has not fired by tick") {
		t.Errorf("error %v", err)
	}
}

// Each of the two instances keeps its bound, but they fire timers at different ticks.
func TestInstancesOfACoarseStructureMustAgree(t *testing.T) {
	e := roundingEntry(8, 0, 7)
	made := 0
	e.New = func() structures.Scheduler[uint64] {
		made++
		return newRounding(structures.Tick(4*made), 0)
	}
	w, _ := workload.Find("hold")
	if err := allReplays(contenderOf(e), w, 1); err == nil || !strings.Contains(err.Error(), "two instances") {
		t.Errorf("error %v", err)
	}
}

func TestTheBoundOfACoarseStructureEndsWithTime(t *testing.T) {
	c := newCoarseReplayer(nil, func(delay structures.Tick) structures.Tick { return delay / 8 })
	for _, x := range []struct{ at, delay, want structures.Tick }{
		{100, 80, 110},
		{math.MaxInt64 - 5, 80, math.MaxInt64},
		{math.MaxInt64, math.MaxInt64, math.MaxInt64},
	} {
		if got := c.latestFire(script.Fire{At: x.at, Delay: x.delay}); got != x.want {
			t.Errorf("deadline %d, delay %d: the last tick is %d, want %d", x.at, x.delay, got, x.want)
		}
	}
}

func TestLatenessIsThatOfTheRounding(t *testing.T) {
	counts, err := counted(idleCase{"uniform", 1000, 50_000, 1}, []catalog.Entry{roundingEntry(8, 0, 7)})
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range counts {
		if i.Driver == results.Tickless {
			if i.Lateness != nil {
				t.Error("lateness is given for both drivers")
			}
			continue
		}
		l := i.Lateness
		if l == nil || l.Mean < 3.3 || l.Mean > 3.7 || l.P99 != 7 || l.Max != 7 {
			t.Fatalf("lateness %+v, want a mean of about 3.5 and at most 7", l)
		}
		if l.MaxShare <= l.MeanShare || l.MeanShare <= 0 {
			t.Errorf("shares %+v", l)
		}
	}
}

func TestARunWithACoarseStructureCompletes(t *testing.T) {
	cfg := tinyRun(t, []string{"minheap"}, []string{"hold", "grid-uniform-50", "idle"})
	cfg.Structures = append(cfg.Structures, roundingEntry(4, 0, 3))
	r, err := Run(context.Background(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	cfg.Structures[1] = roundingEntry(4, 0, 1)
	if _, err = Run(context.Background(), cfg); err == nil || !strings.Contains(err.Error(), "rounding") {
		t.Errorf("beyond its bound: error %v", err)
	}
	if err := r.Validate(); err != nil {
		t.Error(err)
	}
}
