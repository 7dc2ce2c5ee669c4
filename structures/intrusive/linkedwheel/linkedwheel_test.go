package linkedwheel

import (
	"testing"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/whitebox"
	"github.com/timerbench/timerbench/structures/intrusive"
	"github.com/timerbench/timerbench/structures/schedtest"
)

func withIDs[T any]() structures.Scheduler[T] {
	return intrusive.WithIDs(New[intrusive.Item[T]](), func(t *Timer[intrusive.Item[T]]) *intrusive.Item[T] { return &t.Value })
}

func TestConformance(t *testing.T) {
	schedtest.Run(t, withIDs[uint64], schedtest.FIFO(), schedtest.Levels(8))
}
func TestRelease(t *testing.T) { schedtest.Releases(t, withIDs[*schedtest.Payload]) }
func FuzzModel(f *testing.F) {
	schedtest.Fuzz(f, withIDs[uint64], schedtest.FIFO(), schedtest.Levels(8))
}

func TestChanges(t *testing.T) { whitebox.Changes(t, "intrusive linkedwheel", withIDs[uint64]()) }

func TestEachTimerIsCounted(t *testing.T) {
	w := New[int]()
	if w.count++; w.CheckInvariants() == nil {
		t.Error("CheckInvariants does not find a timer that is counted and in no slot")
	}
}

// Next passes over a slot whose timers were all cancelled.
func TestNextNamesNoEmptySlot(t *testing.T) {
	w, timers := New[int](), make([]Timer[int], 2)
	w.Schedule(&timers[0], 1000)
	w.Schedule(&timers[1], 100_000)
	w.Cancel(&timers[0])
	if at, ok := w.Next(); at != 1<<16 || !ok {
		t.Errorf("Next() = %d, %t, want %d, the start of the slot of the only timer", at, ok, 1<<16)
	}
}
