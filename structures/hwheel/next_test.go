package hwheel_test

import (
	"testing"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/hwheel"
)

// mustName fails unless Next names a tick.
func mustName(t *testing.T, w *hwheel.Wheel[int], want structures.Tick) {
	t.Helper()
	if got, ok := w.Next(); got != want || !ok {
		t.Fatalf("Next() = %d, %t, want %d", got, ok, want)
	}
	mustBeSound(t, w)
}

func TestNextIsExactWhereTimersAreFew(t *testing.T) {
	w := hwheel.NewShape[int](2, 3)
	w.Schedule(70, 0) // slot 64..79 of level 2
	mustName(t, w, 70)
	far := w.Schedule(39, 0) // slot 32..47 of level 2
	mustName(t, w, 39)
	w.Cancel(far)
	mustName(t, w, 70)
	near := w.Schedule(11, 0) // slot 8..11 of level 1
	mustName(t, w, 11)
	due := w.Schedule(2, 0) // level 0
	mustName(t, w, 2)
	w.Reschedule(due, 3)
	mustName(t, w, 3)
	w.Cancel(due)
	mustName(t, w, 11)
	w.Reschedule(near, 1<<40)
	mustName(t, w, 70)
}

// A slot of a higher level may start before one of a lower level and end after it.
func TestNextFindsSlotsWithinALongerOne(t *testing.T) {
	w := hwheel.NewShape[int](2, 4)
	w.Schedule(79, 0) // slot 64..79 of level 2
	mustName(t, w, 79)
	mustFire(t, w, 20)
	w.Schedule(70, 0) // slot 68..71 of level 1
	mustName(t, w, 68)
	w.Schedule(67, 0) // slot 64..67 of level 1, which starts with that of level 2
	mustName(t, w, 64)
}

func TestNextNamesTheStartOfASlotWithManyTimers(t *testing.T) {
	w := hwheel.NewShape[int](2, 3)
	for range 15 {
		w.Schedule(70, 0)
	}
	mustName(t, w, 70)
	w.Schedule(70, 0)
	mustName(t, w, 64)
}

// A slot that holds nothing but dead entries is not named.
func TestNextPassesOverDeadEntries(t *testing.T) {
	w := hwheel.NewShape[int](2, 3)
	id := w.Schedule(75, 0) // slot 64..79 of level 2
	mustName(t, w, 75)
	mustFire(t, w, 40)
	w.Reschedule(id, 70) // slot 68..71 of level 1, and a dead entry where it was
	mustName(t, w, 70)
	if got := w.Work().Dropped; got != 1 {
		t.Errorf("%d dead entries were dropped, want 1", got)
	}
}

// A free record keeps its deadline, and may have the version of a dead entry.
func TestNextPassesOverEntriesOfFreeRecords(t *testing.T) {
	w := hwheel.NewShape[int](2, 3)
	id := w.Schedule(74, 0)
	w.Schedule(75, 0) // both in slot 64..79 of level 2
	mustName(t, w, 74)
	w.RepeatVersion(id)
	w.Reschedule(id, 61)
	mustFire(t, w, 60)
	w.RepeatVersion(id)
	w.Cancel(id)
	mustName(t, w, 75)
	mustFire(t, w, 75, 75)
}

// Slots of each lower level that start within the slot that comes first are seen.
func TestNextSeesAllLevelsBelow(t *testing.T) {
	s := shape{2, 6}
	for level := uint(2); level < 8; level++ {
		for below := range level {
			w := hwheel.NewShape[int](s.levelBits, s.ringBits)
			width := structures.Tick(1) << (s.levelBits * level)
			// A slot of the level that is too far for the levels below.
			start := (1<<(s.levelBits*(level-1)+s.ringBits)/width + 1) * width
			first := start - 1 + 1<<(s.levelBits*below)
			w.Schedule(start+width-1, 0)
			mustName(t, w, start+width-1)
			mustFire(t, w, start-1)
			w.Schedule(first, 0)
			if at, ok := w.Next(); !ok || at > first || at < start {
				t.Errorf("level %d: Next() = %d, %t, want a tick from %d to %d", level, at, ok, start, first)
			}
			mustFire(t, w, first, first)
		}
	}
}
