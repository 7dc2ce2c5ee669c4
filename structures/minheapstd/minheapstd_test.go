package minheapstd

import (
	"testing"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/slab"
	"github.com/timerbench/timerbench/structures/internal/slotted"
	"github.com/timerbench/timerbench/structures/internal/whitebox"
	"github.com/timerbench/timerbench/structures/schedtest"
)

// An item is allocated for every timer, so that rule "Memory" is left out. The rest of it
// has tests below.
func TestConformance(t *testing.T) {
	whitebox.Suite(t, "minheapstd", slab.MaxCapacity,
		func(n int) structures.Scheduler[uint64] { return New[uint64](Capacity(n)) },
		func() structures.Scheduler[*schedtest.Payload] { return New[*schedtest.Payload]() }, schedtest.Allocates())
}

func FuzzAgainstModel(f *testing.F) {
	schedtest.Fuzz(f, func() structures.Scheduler[uint64] { return New[uint64]() }, schedtest.Allocates())
}

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
	_, c := slotted.Parts(&h.scheduler)
	if room := cap(c.queue.items); room != n+1 {
		t.Errorf("room for %d items, want %d: cancelled timers take none", room, n+1)
	}
}

// The comparisons are counted by hand, after container/heap: up compares with
// the parent, down the two children and then the earlier one with the item that goes
// down; Fix and Remove go up if they could not go down. Beside each step is
// the heap after it, a parent with each of its pairs of children in turn.
func TestWorkCountsEveryComparison(t *testing.T) {
	h := New[int]()
	n := whitebox.NewNamed(h)
	schedule, cancel, move := n.Schedule, n.Cancel, n.Move
	popAll := func() {
		for h.Len() > 0 {
			h.Pop(90)
		}
	}

	whitebox.CountsComparisons(t, h, []whitebox.Step{
		{"schedule 10", func() { schedule(10) }, 0},                             // 10
		{"schedule 20", func() { schedule(20) }, 1},                             // 10, 20
		{"schedule 30", func() { schedule(30) }, 1},                             // 10, 20 30
		{"schedule 5", func() { schedule(5) }, 2},                               // 5, 10 30, 20
		{"pop nothing", func() { h.Pop(4); h.Next() }, 0},                       // 5, 10 30, 20
		{"pop 5", func() { h.Pop(5) }, 2},                                       // 10, 20 30
		{"schedule 40, 50, 60", func() { schedule(40, 50, 60) }, 3},             // 10, 20 30, 40 50, 60
		{"cancel the last", func() { cancel(60) }, 0},                           // 10, 20 30, 40 50
		{"cancel 20", func() { cancel(20) }, 1},                                 // 10, 40 30, 50
		{"cancel a stale ID", func() { cancel(60) }, 0},                         // 10, 40 30, 50
		{"move 50 to 35", func() { move(50, 35) }, 2},                           // 10, 35 30, 40: no child, up 2
		{"move 10 to 70", func() { move(10, 70) }, 2},                           // 30, 35 70, 40
		{"pop all", popAll, 3},                                                  // nothing
		{"schedule anew", func() { schedule(110, 200, 120, 210, 220, 130) }, 5}, // 110, 200 120, 210 220, 130
		{"cancel 210: the last goes up", func() { cancel(210) }, 2},             // 110, 130 120, 200 220
	})
}

func TestCheckInvariantsNamesWhatIsBroken(t *testing.T) {
	sound := func() *scheduler[int] { return &whitebox.Nine(New[int]()).scheduler }
	whitebox.FindsDamageToQueue(t, sound, map[string]func(*core){
		"order":   func(c *core) { c.queue.items[1].deadline = 0 },
		"index":   func(c *core) { c.queue.items[1].index++ },
		"slot":    func(c *core) { c.queue.items[1].slot++ },
		"nil":     func(c *core) { c.queue.items[1] = nil },
		"kept":    func(c *core) { c.queue.items = c.queue.items[:len(c.queue.items)-1] },
		"length":  func(c *core) { c.queue.Pop() },
		"by slot": func(c *core) { c.bySlot[1] = nil },
	})
}
