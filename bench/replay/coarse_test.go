package replay_test

import (
	"math"
	"testing"

	"github.com/timerbench/timerbench/bench/workload"
	"github.com/timerbench/timerbench/internal/fail"
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/entry"
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

func roundingEntry(grain, early, declared structures.Tick) entry.Entry {
	return entry.Entry{
		Name:    "rounding",
		MaxLate: func(structures.Tick) structures.Tick { return declared },
		New:     func() structures.Scheduler[uint64] { return newRounding(grain, early) },
	}
}

func TestACoarseStructurePassesWithinItsBound(t *testing.T) {
	for _, name := range []string{"hold", "grid-clustered-50", "kafka-purgatory", "periodic", "idle"} {
		w, _ := workload.Find(name)
		fail.If(t, allReplays(roundingEntry(8, 0, 7), write(w, 1)), name)
	}
}

// This workload pops at each tick.
func TestACoarseStructureFailsBeyondItsBound(t *testing.T) {
	w, _ := workload.Find("kafka-purgatory")
	for fault, e := range map[string]entry.Entry{
		"later than declared": roundingEntry(8, 0, 6),
		"early":               roundingEntry(8, 1, 7),
	} {
		if err := allReplays(e, write(w, 1)); err == nil {
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
	fail.UnlessError(t, allReplays(e, write(w, 1)), "has not fired by tick")
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
	fail.UnlessError(t, allReplays(e, write(w, 1)), "two instances")
}
