package radixheap

import (
	"testing"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/slab"
	"github.com/timerbench/timerbench/structures/internal/whitebox"
	"github.com/timerbench/timerbench/structures/schedtest"
)

func TestConformance(t *testing.T) {
	whitebox.Suite(t, "radixheap", slab.MaxCapacity,
		func(n int) structures.Scheduler[uint64] { return New[uint64](Capacity(n)) },
		func() structures.Scheduler[*schedtest.Payload] { return New[*schedtest.Payload]() }, schedtest.FIFO(), schedtest.Levels(63))
}

func FuzzAgainstModel(f *testing.F) {
	schedtest.Fuzz(f, func() structures.Scheduler[uint64] { return New[uint64]() }, schedtest.FIFO(), schedtest.Levels(63))
}

// Deadlines 5 (101), 6 (110) and 7 (111) share bucket 3 while the base is 0.
func TestWorkOfAHandMadeCase(t *testing.T) {
	h := New[int]()
	five := h.Schedule(5, 0)
	h.Schedule(6, 0)
	h.Schedule(7, 0)
	want := structures.Work{}
	check := func(what string) {
		t.Helper()
		if got := h.Work(); got != want {
			t.Fatalf("after %s: %+v, want %+v", what, got, want)
		}
	}
	next := func(want structures.Tick) {
		t.Helper()
		if got, ok := h.Next(); got != want || !ok {
			t.Fatalf("Next() = %d, %t, want %d", got, ok, want)
		}
	}
	h.Pop(4)
	check("a Pop before anything is due")
	h.Cancel(five)
	next(5) // the bound stays
	check("Next after the earliest was cancelled")
	h.Pop(5) // base 5: bucket 3 is spread, 6 and 7 go to bucket 2
	next(6)
	want.SlotsVisited, want.Moved = 1, 2
	check("a Pop at the tick of the one that was cancelled")
	h.Pop(6) // 6 goes to bucket 0 and 7 to bucket 1
	want.SlotsVisited, want.Moved = 2, 4
	check("a Pop that spreads a bucket and fires")
	h.Pop(7) // and 7 from bucket 1 to bucket 0
	want.SlotsVisited, want.Moved = 3, 5
	check("the last Pop")

	for range 2 {
		h.Schedule(8, 0)
	}
	nine := h.Schedule(9, 0)
	h.Cancel(nine)
	next(8)
	check("Next after one that is not the earliest was cancelled")
	h.Pop(8) // both go to bucket 0
	want.SlotsVisited, want.Moved = 4, 7
	check("a Pop of the first of two at one tick")
	h.Pop(8)
	check("a Pop of the second")
}

// The base is 8, and slots 2, 1, 3, 4 and 5 hold timers due at 8, 9, 12, 13 and 100: in
// bucket 0, 1, 3, 3 and 7.
func TestCheckInvariantsNamesWhatIsBroken(t *testing.T) {
	sound := func() *scheduler[int] {
		h := New[int]()
		h.Schedule(8, 0)
		h.Schedule(8, 0)
		h.Pop(8)
		for _, deadline := range []structures.Tick{9, 12, 13, 100} {
			h.Schedule(deadline, 0)
		}
		return &h.scheduler
	}
	whitebox.FindsDamageToQueue(t, sound, map[string]func(*core){
		"timer unlinked":  func(c *core) { c.Remove(3) },
		"not marked":      func(c *core) { c.occupied &^= 1 << 3 },
		"marked":          func(c *core) { c.occupied |= 1 << 20 },
		"links":           func(c *core) { c.lists.PushBack(&c.buckets[7], 3) },
		"before the base": func(c *core) { c.lists.SetDeadline(5, 7) },
		"other bucket":    func(c *core) { c.lists.SetDeadline(4, 17) },
		"base too late":   func(c *core) { c.base = 99 },
		"base":            func(c *core) { c.base = 7 },
		"bound too early": func(c *core) { c.bound[3] = 11 },
		"bound too late":  func(c *core) { c.bound[3] = 13 },
	})
}
