package hwheel

import (
	"testing"

	"github.com/timerbench/timerbench/structures"
)

// A slot in which nothing is left but entries that are dead is not named, and
// neither is the start of another one in which there are few timers.
func TestNextPassesOverDeadEntries(t *testing.T) {
	w := newWheel[int](newGeometry(2, 3))
	id := w.Schedule(75, 0) // in slot 64..79 of level 2, as seen from tick 0
	w.insertArrivals()
	drive(w, 40)
	w.Reschedule(id, 70) // in slot 68..71 of level 1: its entry in the other one is dead
	if w.dead != 1 || w.occupiedSlots != [maxLevels]int{1: 1, 2: 1} {
		t.Fatalf("%d dead entries, slots in use by level: %v", w.dead, w.occupiedSlots)
	}
	if got, _ := w.Next(); got != 70 || w.dead != 0 {
		t.Errorf("Next() = %d, want 70, and %d dead entries are left", got, w.dead)
	}
	mustHold(t, w)
}

// A record that is free may have the very stamp that an entry has, and still the
// deadline of its last timer.
func TestNextPassesOverEntriesOfFreeRecords(t *testing.T) {
	w := newWheel[int](newGeometry(2, 3))
	id := w.Schedule(74, 0)
	w.Schedule(75, 0) // both in slot 64..79 of level 2
	w.insertArrivals()
	keepStamp(w, id)
	w.Reschedule(id, 61)
	drive(w, 60)
	keepStamp(w, id)
	w.Cancel(id)
	if got, _ := w.Next(); got != 75 {
		t.Errorf("Next() = %d, want 75", got)
	}
	if fired := drive(w, 75); len(fired) != 1 || w.dead != 0 {
		t.Errorf("fired %v at 75, and %d dead entries are left", fired, w.dead)
	}
	mustHold(t, w)
}

// What Next has looked up it does not look up again, and neither does Pop.
func TestNextNotesWhatItHasFound(t *testing.T) {
	w := New[int]()
	id := w.Schedule(10, 0)
	w.Schedule(1<<18+5, 0)
	w.insertArrivals()
	w.Cancel(id)
	drive(w, 5)
	if got, _ := w.Next(); got != 1<<18+5 {
		t.Fatalf("Next() = %d, want %d", got, 1<<18+5)
	}
	// Pop has work to do where the slot starts.
	if w.nextWork != 1<<18 {
		t.Errorf("there is nothing to do before %d, and the wheel looks at %d", 1<<18, w.nextWork)
	}
	drive(w, 100_000)
	w.Schedule(100_100, 0)
	w.insertArrivals()
	if got := w.occupiedSlots; got != [maxLevels]int{0: 1, 1: 1} {
		t.Errorf("slots in use by level: %v", got)
	}
	mustHold(t, w)
}

// Slots that start within the one that comes first, on every level below it.
func TestNextSeesAllLevelsBelow(t *testing.T) {
	g := newGeometry(2, 6)
	for level := 2; level < 8; level++ {
		for below := range level {
			w := newWheel[int](g)
			width := structures.Tick(1) << g.widthBits(level)
			// From tick 0 this is too far for the levels below.
			start := (1<<(g.widthBits(level-1)+g.ringBits)/width + 1) * width
			first := start - 1 + 1<<g.widthBits(below)
			w.Schedule(start+width-1, 0)
			w.insertArrivals()
			drive(w, start-1)
			w.Schedule(first, 0)
			if slot, _ := w.slotFor(first, w.clock); w.levelOf(slot) > below {
				t.Fatalf("deadline %d is on level %d as seen from %d", first, w.levelOf(slot), w.clock)
			}
			w.insertArrivals()
			at, ok := w.Next()
			if !ok || at > first || at < start {
				t.Errorf("level %d: Next() = %d, %t, and something is due at %d in slot %d", level, at, ok, first, start)
			}
			mustHold(t, w)
			if fired := drive(w, first); len(fired) != 1 || fired[0] != first {
				t.Errorf("level %d: fired %v, want %d", level, fired, first)
			}
		}
	}
}

// A timer that is moved to where it is, by the rule for the past too, keeps its
// entry.
func TestReschedulingToTheSameTickLeavesNothingBehind(t *testing.T) {
	w := New[int]()
	drive(w, 100)
	id := w.Schedule(101, 0)
	w.insertArrivals()
	for _, deadline := range []structures.Tick{101, 100, 7, -1, 101} {
		if !w.Reschedule(id, deadline) || w.dead != 0 {
			t.Fatalf("moved to %d: %d dead entries", deadline, w.dead)
		}
	}
	mustHold(t, w)
	if fired := drive(w, 101); len(fired) != 1 {
		t.Fatalf("fired %v", fired)
	}
}
