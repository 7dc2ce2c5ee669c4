package hwheel

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/longtest"
	"github.com/timerbench/timerbench/structures/schedtest"
)

// shapes are a wheel of the most levels, two small ones that cascade all the time,
// one whose levels overlap a lot, and the default.
var shapes = []struct{ fine, ring uint }{{1, 2}, {2, 3}, {2, 6}, {5, 6}, {8, 12}}

func TestConformance(t *testing.T) {
	for _, shape := range shapes {
		t.Run(fmt.Sprintf("fine=%d/ring=%d", shape.fine, shape.ring), func(t *testing.T) {
			if testing.Short() && shape == shapes[2] {
				t.Skip("the other shapes show most of what this one does")
			}
			g := newGeometry(shape.fine, shape.ring)
			schedtest.Run(t, func() structures.Scheduler[uint64] { return newWheel[uint64](g) }, schedtest.Levels(g.levels))
		})
	}
}

func TestRelease(t *testing.T) {
	schedtest.Releases(t, func() structures.Scheduler[*schedtest.Payload] {
		return New[*schedtest.Payload]()
	})
}

func TestMany(t *testing.T) {
	schedtest.Many(t, longtest.Scale(t, 20_000, 5<<18, 5<<20), func() structures.Scheduler[uint64] { return New[uint64]() })
}

func FuzzAgainstModel(f *testing.F) {
	g := newGeometry(2, 3)
	schedtest.Fuzz(f, func() structures.Scheduler[uint64] { return newWheel[uint64](g) }, schedtest.Levels(g.levels))
}

// The default shape reaches further on each level, and has hardly any slot in use.
func FuzzDefaultAgainstModel(f *testing.F) {
	schedtest.Fuzz(f, func() structures.Scheduler[uint64] { return New[uint64]() }, schedtest.Levels(newGeometry(8, 12).levels))
}

// drive pops until nothing is due at now and returns the deadlines.
func drive(s structures.Scheduler[int], now structures.Tick) (fired []structures.Tick) {
	for timer := range structures.Due(s, now) {
		fired = append(fired, timer.Deadline)
	}
	return fired
}

func TestCapacity(t *testing.T) {
	schedtest.Capacity(t, "hwheel", maxTimers, func(n int) structures.Scheduler[uint64] {
		return New[uint64](Capacity(n))
	})
}

func TestWorkCountsVisitsAndCascades(t *testing.T) {
	// Level 0 reaches 4 ticks ahead, level 1 has slots of 4 ticks and reaches 32
	// ahead or more, level 2 has slots of 16 ticks.
	w := newWheel[int](newGeometry(2, 3))
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
		if got := drive(w, step.now); !slices.Equal(got, step.fired) {
			t.Fatalf("at %d fired %v, want %v", step.now, got, step.fired)
		}
		if got := w.Work(); got != step.work {
			t.Fatalf("at %d work is %+v, want %+v", step.now, got, step.work)
		}
	}
}

func TestWorkCountsDeadEntriesAndTimersMoved(t *testing.T) {
	w := New[int]()
	var ids [4]structures.ID
	for i := range ids {
		ids[i] = w.Schedule(100, 0)
	}
	w.insertArrivals()
	w.Cancel(ids[0])
	w.Reschedule(ids[1], 50)  // leaves an entry at 100
	w.Reschedule(ids[2], 200) // leaves its entry where it is
	for _, step := range []struct {
		now   structures.Tick
		fired int
		work  structures.Work
	}{
		{99, 1, structures.Work{SlotsVisited: 1}},
		{100, 1, structures.Work{SlotsVisited: 2, Dropped: 2, Moved: 1}},
		{200, 1, structures.Work{SlotsVisited: 3, Dropped: 2, Moved: 1}},
	} {
		if got := drive(w, step.now); len(got) != step.fired {
			t.Fatalf("at %d fired %v, want %d", step.now, got, step.fired)
		}
		if got := w.Work(); got != step.work {
			t.Fatalf("at %d work is %+v, want %+v", step.now, got, step.work)
		}
	}
}

// A slot one turn of the ring ahead has the place of the one that the clock is in,
// and does not cascade with those below.
func TestOnlySlotsThatStartCascade(t *testing.T) {
	w := newWheel[int](newGeometry(2, 3))
	drive(w, 3)
	w.Schedule(10, 0)  // in slot 8..11 of level 1
	w.Schedule(130, 0) // in slot 128..143 of level 2, which is where 0..15 was
	w.insertArrivals()
	if ahead := w.lists[w.slotAt(2, 3)]; ahead == 0 {
		t.Fatal("the slot of level 2 is not a turn ahead")
	}
	drive(w, 9)
	if got, want := w.Work(), (structures.Work{SlotsVisited: 1, Moved: 1}); got != want {
		t.Errorf("work is %+v, want %+v", got, want)
	}
	mustHold(t, w)
}

// The cascade to level 0 touches no record: it does not know who is dead.
func TestDeadEntriesCascadeToTheLowestLevel(t *testing.T) {
	w := New[int]()
	id := w.Schedule(300, 0)
	w.Schedule(301, 0)
	w.insertArrivals()
	w.Cancel(id)
	for _, step := range []struct {
		now  structures.Tick
		work structures.Work
	}{
		{256, structures.Work{SlotsVisited: 1, Moved: 2}},
		{300, structures.Work{SlotsVisited: 2, Moved: 2, Dropped: 1}},
		{301, structures.Work{SlotsVisited: 3, Moved: 2, Dropped: 1}},
	} {
		drive(w, step.now)
		if got := w.Work(); got != step.work {
			t.Errorf("at %d work is %+v, want %+v", step.now, got, step.work)
		}
	}
}

func TestNextIsExactWhereTimersAreFew(t *testing.T) {
	w := newWheel[int](newGeometry(2, 3))
	next := func(want structures.Tick) {
		t.Helper()
		if got, ok := w.Next(); got != want || !ok {
			t.Fatalf("Next() = %d, %t, want %d", got, ok, want)
		}
		if err := w.CheckInvariants(); err != nil {
			t.Fatal(err)
		}
	}
	w.Schedule(70, 0) // in slot 64..79 of level 2
	next(70)
	far := w.Schedule(39, 0) // in slot 32..47 of level 2
	next(39)
	w.Cancel(far)
	next(70)
	near := w.Schedule(11, 0) // in slot 8..11 of level 1
	next(11)
	due := w.Schedule(2, 0) // on level 0
	next(2)
	w.Reschedule(due, 3)
	next(3)
	w.Cancel(due)
	next(11)
	w.Reschedule(near, 1<<40)
	next(70)
}

// A slot of a higher level may start before one of a lower level and end after it.
func TestNextFindsWhatIsDueWithinALongerSlot(t *testing.T) {
	w := newWheel[int](newGeometry(2, 4))
	w.Schedule(79, 0) // in slot 64..79 of level 2, as seen from tick 0
	w.insertArrivals()
	drive(w, 20)
	w.Schedule(70, 0) // in slot 68..71 of level 1
	if got, _ := w.Next(); got != 68 {
		t.Fatalf("Next() = %d, want 68, where the slot of 70 starts", got)
	}
	w.Schedule(67, 0) // in slot 64..67 of level 1, which starts with that of level 2
	if got, _ := w.Next(); got != 64 {
		t.Fatalf("Next() = %d, want 64, where two slots start", got)
	}
}

func TestNextNamesTheStartOfASlotWithManyTimers(t *testing.T) {
	w := newWheel[int](newGeometry(2, 3))
	for range chunkLen {
		w.Schedule(70, 0)
	}
	if got, _ := w.Next(); got != 64 {
		t.Fatalf("Next() = %d, want 64", got)
	}
}

func TestIdlePopMovesTheCursor(t *testing.T) {
	w := New[int]()
	w.Schedule(1_000_000, 0)
	drive(w, 5000)
	w.Schedule(5001, 0)
	if got := drive(w, 5001); len(got) != 1 {
		t.Fatalf("fired %v, want 5001", got)
	}
	if got, want := w.Work(), (structures.Work{SlotsVisited: 1}); got != want {
		t.Fatalf("work is %+v, want %+v", got, want)
	}
}

// schedtest stays with a few thousand timers. This is for what only shows with
// many: pages of all kinds, the sweep of long slots, records that come back in any
// order.
func TestManyTimers(t *testing.T) {
	const n = 50_000
	rng := rand.New(rand.NewPCG(3, 4))
	w := New[int]()
	pending := make(map[structures.ID]structures.Tick)
	var ids []structures.ID
	var now structures.Tick
	check := func(what string) {
		t.Helper()
		if err := w.CheckInvariants(); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		if w.Len() != len(pending) {
			t.Fatalf("%s: %d pending, want %d", what, w.Len(), len(pending))
		}
		if bound := w.inSlots + sweepFloor + w.inSlots/2; w.dead > bound {
			t.Fatalf("%s: %d dead entries, %d live ones", what, w.dead, w.inSlots)
		}
	}
	add := func() {
		deadline := now + 1 + structures.Tick(rng.Int64N(60_000))
		id := w.Schedule(deadline, 0)
		pending[id] = deadline
		ids = append(ids, id)
	}
	pop := func(to structures.Tick) {
		for ; now < to; now++ {
			for timer := range structures.Due(w, now+1) {
				if want, ok := pending[timer.ID]; !ok || want != now+1 || timer.Deadline != want {
					t.Fatalf("at %d fired %+v, want deadline %d, pending %t", now+1, timer, want, ok)
				}
				delete(pending, timer.ID)
			}
		}
	}
	for range 3 {
		for len(pending) < n {
			add()
		}
		check("filled")
		for range 3 * n {
			i := rng.IntN(len(ids))
			id := ids[i]
			_, is := pending[id]
			if rng.IntN(4) == 0 {
				deadline := now + 1 + structures.Tick(rng.Int64N(60_000))
				if w.Reschedule(id, deadline) != is {
					t.Fatalf("Reschedule = %t of a timer that is pending: %t", !is, is)
				}
				if is {
					pending[id] = deadline
				}
				continue
			}
			if w.Cancel(id) != is {
				t.Fatalf("Cancel = %t of a timer that is pending: %t", !is, is)
			}
			delete(pending, id)
			ids[i] = ids[len(ids)-1]
			ids = ids[:len(ids)-1]
			add()
			if rng.IntN(100) == 0 {
				pop(now + 3)
			}
		}
		check("churned")
		for id := range pending {
			if rng.IntN(3) > 0 {
				w.Cancel(id)
				delete(pending, id)
			}
		}
		check("mostly cancelled")
		pop(now + 70_000)
		check("drained")
		if len(pending) != 0 {
			t.Fatalf("%d timers never fired", len(pending))
		}
		ids = ids[:0]
	}
}
