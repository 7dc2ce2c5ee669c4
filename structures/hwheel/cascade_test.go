package hwheel_test

import (
	"testing"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/hwheel"
)

func mustHaveDone[T any](t *testing.T, w *hwheel.Wheel[T], want structures.Work) {
	t.Helper()
	if got := w.Work(); got != want {
		t.Fatalf("Work() = %+v, want %+v", got, want)
	}
}

func TestWorkCountsVisitsAndCascades(t *testing.T) {
	// Level 0 reaches 4 ticks ahead. Level 1 has slots of 4 ticks and reaches at
	// least 32 ahead. Level 2 has slots of 16 ticks.
	w := hwheel.NewShape[int](2, 3)
	for _, deadline := range []structures.Tick{1, 1, 5, 6, 17, 40} {
		w.Schedule(deadline, 0)
	}
	for _, step := range []struct {
		now   structures.Tick
		fired []structures.Tick
		work  structures.Work
	}{
		{0, nil, structures.Work{}},
		{3, []structures.Tick{1, 1}, structures.Work{SlotsVisited: 1}},
		{4, nil, structures.Work{SlotsVisited: 2, Moved: 2}}, // slot 4..7 cascades
		{5, []structures.Tick{5}, structures.Work{SlotsVisited: 3, Moved: 2}},
		{6, []structures.Tick{6}, structures.Work{SlotsVisited: 4, Moved: 2}},
		{15, nil, structures.Work{SlotsVisited: 4, Moved: 2}},
		{16, nil, structures.Work{SlotsVisited: 5, Moved: 3}}, // slot 16..31 of level 2
		{17, []structures.Tick{17}, structures.Work{SlotsVisited: 6, Moved: 3}},
		// 40 cascades at 32 and at 40, and fires there.
		{100, []structures.Tick{40}, structures.Work{SlotsVisited: 9, Moved: 5}},
		{1 << 60, nil, structures.Work{SlotsVisited: 9, Moved: 5}},
	} {
		mustFire(t, w, step.now, step.fired...)
		mustHaveDone(t, w, step.work)
	}
}

func TestWorkCountsDeadEntriesAndMovedTimers(t *testing.T) {
	w := hwheel.New[int]()
	var ids [4]structures.ID
	for i := range ids {
		ids[i] = w.Schedule(100, 0)
	}
	mustName(t, w, 100)
	w.Cancel(ids[0])
	w.Reschedule(ids[1], 50)  // leaves an entry at 100
	w.Reschedule(ids[2], 200) // leaves its entry where it is
	mustFire(t, w, 99, 50)
	mustHaveDone(t, w, structures.Work{SlotsVisited: 1})
	mustFire(t, w, 100, 100)
	mustHaveDone(t, w, structures.Work{SlotsVisited: 2, Dropped: 2, Moved: 1})
	mustFire(t, w, 200, 200)
	mustHaveDone(t, w, structures.Work{SlotsVisited: 3, Dropped: 2, Moved: 1})
}

// A slot one revolution ahead has the number of the slot that the clock is in. It
// does not cascade with the levels below.
func TestOnlySlotsThatStartCascade(t *testing.T) {
	w := hwheel.NewShape[int](2, 3)
	mustFire(t, w, 3)
	w.Schedule(10, 0)  // slot 8..11 of level 1
	w.Schedule(130, 0) // slot 128..143 of level 2, in the place of 0..15
	mustName(t, w, 10)
	mustFire(t, w, 9)
	mustHaveDone(t, w, structures.Work{SlotsVisited: 1, Moved: 1})
}

// The cascade to level 0 loads no record, so it does not know which entries are dead.
func TestDeadEntriesCascadeToLevel0(t *testing.T) {
	w := hwheel.New[int]()
	id := w.Schedule(300, 0)
	w.Schedule(301, 0)
	mustName(t, w, 300)
	w.Cancel(id)
	mustFire(t, w, 256)
	mustHaveDone(t, w, structures.Work{SlotsVisited: 1, Moved: 2})
	mustFire(t, w, 300)
	mustHaveDone(t, w, structures.Work{SlotsVisited: 2, Moved: 2, Dropped: 1})
	mustFire(t, w, 301, 301)
	mustHaveDone(t, w, structures.Work{SlotsVisited: 3, Moved: 2, Dropped: 1})
}

// A timer gets the level that its delay calls for, counted from the clock and not
// from the last tick at which anything happened. On level 0 it does not cascade.
func TestNewTimersArePlacedAsSeenFromTheClock(t *testing.T) {
	fires := structures.Work{SlotsVisited: 1}

	w := hwheel.New[int]()
	w.Schedule(1<<20, 0)
	mustFire(t, w, 5000)
	w.Schedule(5001, 0)
	mustFire(t, w, 5001, 5001)
	mustHaveDone(t, w, fires)

	w = hwheel.New[int]()
	w.Schedule(1<<19+300, 0)
	mustFire(t, w, 1<<19)
	for range 40 { // the first 32 move to slots with nothing else happening
		w.Schedule(1<<19+100, 0)
	}
	if got := popAll(w, 1<<19+100); len(got) != 40 {
		t.Fatalf("%d timers fired, want 40", len(got))
	}
	mustHaveDone(t, w, fires)

	w = hwheel.New[int]()
	id := w.Schedule(1<<19, 0)
	mustName(t, w, 1<<19)
	mustFire(t, w, 10_000)
	w.Reschedule(id, 10_200)
	mustFire(t, w, 10_200, 10_200)
	mustHaveDone(t, w, fires)

	// Next moves a timer on to its later deadline, which has its slot on level 1.
	w = hwheel.New[int]()
	id = w.Schedule(1<<19, 0)
	mustName(t, w, 1<<19)
	w.Reschedule(id, 1<<20+1<<18)
	mustFire(t, w, 1<<19-1)
	mustName(t, w, 1<<20+1<<18)
	mustHaveDone(t, w, structures.Work{Moved: 1})
	mustFire(t, w, 1<<20+1<<18, 1<<20+1<<18)
	mustHaveDone(t, w, structures.Work{SlotsVisited: 2, Moved: 2})
}

// A timer that moves on to a later deadline is placed as seen from the tick at which
// its old deadline comes. From tick 0, 300 is too far for level 0.
func TestMovedTimersArePlacedAsSeenFromTheTickThatFires(t *testing.T) {
	w := hwheel.New[int]()
	id := w.Schedule(200, 0)
	w.Schedule(200, 0)
	mustName(t, w, 200)
	w.Reschedule(id, 300)
	mustFire(t, w, 1000, 200, 300)
	mustHaveDone(t, w, structures.Work{SlotsVisited: 2, Moved: 1})
}

// A timer that is moved to its own deadline keeps its entry. That includes ticks that
// count as this deadline because they are in the past.
func TestReschedulingToTheSameTickLeavesNoDeadEntry(t *testing.T) {
	w := hwheel.New[int]()
	mustFire(t, w, 100)
	id := w.Schedule(101, 0)
	mustName(t, w, 101)
	for _, deadline := range []structures.Tick{101, 100, 7, -1, 101} {
		if !w.Reschedule(id, deadline) {
			t.Fatalf("Reschedule(%d) = false", deadline)
		}
	}
	mustFire(t, w, 101, 101)
	mustHaveDone(t, w, structures.Work{SlotsVisited: 1})
}
