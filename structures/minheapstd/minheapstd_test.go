package minheapstd

import (
	"testing"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/slotted"
	"github.com/timerbench/timerbench/structures/internal/whitebox"
	"github.com/timerbench/timerbench/structures/schedtest"
)

// An item is allocated for every timer, so that rule "Memory" is left out. The rest of it has tests below.
func TestConformance(t *testing.T) {
	whitebox.Suite(t, New[uint64], New[*schedtest.Payload], Capacity, schedtest.Allocates())
}

func FuzzAgainstModel(f *testing.F) { whitebox.Fuzz(f, New[uint64], schedtest.Allocates()) }

// An item for each Schedule, and nothing else.
func TestScheduleAllocatesOneItem(t *testing.T) {
	const n = 1000
	h := New[int](Capacity(n + 1))
	ids := make([]structures.ID, n)
	for i := range ids {
		ids[i] = h.Schedule(structures.Tick(i*7919%n), i)
	}
	now := structures.Tick(0)
	for _, op := range []struct {
		name string
		do   func()
		want float64
	}{
		{"Schedule and Cancel", func() { h.Cancel(h.Schedule(now+5, 0)) }, 1},
		{"Reschedule", func() { h.Reschedule(ids[n-1], now+n) }, 0},
		{"Next", func() { h.Next() }, 0},
		{"Pop and Schedule", func() { now, _ = h.Next(); h.Pop(now); h.Schedule(now+n, 0) }, 1},
		{"refused", func() { h.Cancel(0); h.Reschedule(0, 1) }, 0},
	} {
		if got := testing.AllocsPerRun(100, op.do); got != op.want {
			t.Errorf("%s: %v allocations, want %v", op.name, got, op.want)
		}
	}
	_, c := slotted.Parts(&h.Scheduler)
	if room := cap(c.queue.items); room != n+1 {
		t.Errorf("room for %d items, want %d: cancelled timers take none", room, n+1)
	}
	if c.queue.items = c.queue.items[:n-1]; h.CheckInvariants() == nil {
		t.Error("CheckInvariants does not find an item that is gone and kept")
	}
}
