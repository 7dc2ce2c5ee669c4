package heap

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

func TestConformance(t *testing.T) { schedtest.Run(t, withIDs[uint64]) }
func TestRelease(t *testing.T)     { schedtest.Releases(t, withIDs[*schedtest.Payload]) }
func FuzzModel(f *testing.F)       { schedtest.Fuzz(f, withIDs[uint64]) }

func TestChanges(t *testing.T) { whitebox.Changes(t, "intrusive heap", withIDs[uint64]()) }

func TestAVacantEntryKeepsNoTimer(t *testing.T) {
	h := New[int]()
	h.Schedule(new(Timer[int]), 5)
	if h.entries = h.entries[:0]; h.CheckInvariants() == nil {
		t.Error("CheckInvariants does not find a vacant entry with a timer")
	}
}
