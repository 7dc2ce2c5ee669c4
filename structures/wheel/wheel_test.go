package wheel

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/timerbench/timerbench/internal/longtest"
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/checking"
	"github.com/timerbench/timerbench/structures/internal/slab"
	"github.com/timerbench/timerbench/structures/internal/whitebox"
	"github.com/timerbench/timerbench/structures/schedtest"
)

// slotCounts are an odd number, a wheel in which each tick is a revolution, and powers of two.
var slotCounts = []int{7, 1, 2, 64, 512}

func TestConformance(t *testing.T) {
	whitebox.Suite(t, "wheel", slab.MaxCapacity,
		func(n int) structures.Scheduler[uint64] { return New[uint64](Capacity(n)) },
		func() structures.Scheduler[*schedtest.Payload] { return New[*schedtest.Payload](Slots(64)) }, schedtest.FIFO(), schedtest.Levels(1))
	for _, slots := range slotCounts[:longtest.Scale(t, 1, 1, 5)] {
		t.Run(fmt.Sprintf("slots=%d", slots), func(t *testing.T) {
			schedtest.Run(t, func() structures.Scheduler[uint64] {
				return New[uint64](Slots(slots))
			}, schedtest.FIFO(), schedtest.Levels(1))
		})
	}
}

func FuzzAgainstModel(f *testing.F) {
	schedtest.Fuzz(f, func() structures.Scheduler[uint64] {
		return New[uint64](Slots(7))
	}, schedtest.FIFO(), schedtest.Levels(1))
}

// drive pops until nothing is due at now and returns the deadlines.
func drive(s structures.Scheduler[int], now structures.Tick) (fired []structures.Tick) {
	for timer := range structures.Due(s, now) {
		fired = append(fired, timer.Deadline)
	}
	return fired
}

func TestWorkCountsVisitsAndRounds(t *testing.T) {
	w := New[int](Slots(4))
	visited := func(n, moved uint64) {
		t.Helper()
		if got, want := w.Work(), (structures.Work{SlotsVisited: n, Moved: moved}); got != want {
			t.Fatalf("work is %+v, want %+v", got, want)
		}
	}
	next := func(want structures.Tick) {
		t.Helper()
		if got, ok := w.Next(); got != want || !ok {
			t.Fatalf("Next() = %d, %t, want %d", got, ok, want)
		}
	}
	at := func(now structures.Tick, want ...structures.Tick) {
		t.Helper()
		if got := drive(w, now); !slices.Equal(got, want) {
			t.Fatalf("at %d fired %v, want %v", now, got, want)
		}
	}
	for _, deadline := range []structures.Tick{1, 1, 5, 6, 3} {
		w.Schedule(deadline, 0)
	}
	at(0)
	next(1)
	visited(0, 0)
	at(1, 1, 1) // 5 is in the slot, too, and stays
	visited(1, 1)
	at(2) // the slot of 6 is passed, nothing in it is looked at
	visited(2, 1)
	at(3, 3)
	next(5)
	visited(3, 1)
	at(100, 5, 6) // 24 revolutions, each occupied slot once
	visited(5, 1)

	early, late := w.Schedule(110, 0), w.Schedule(114, 0)
	next(110) // by which both are in their slots
	w.Cancel(early)
	next(110) // what the slot knows
	at(110)   // and finds out
	visited(6, 2)
	next(114)
	w.Schedule(1001, 0)
	w.Cancel(late)
	next(1001) // needs a search, of the one slot occupied
	visited(7, 2)
	next(1001)
	visited(7, 2)
}

// All pairs of ticks and all widths, compared with stepping from tick to tick.
func TestAheadNamesEachSlotOnceInTheOrderOfTime(t *testing.T) {
	for n := 1; n <= 9; n++ {
		r := newRing(n)
		for from := structures.Tick(0); from < 3*structures.Tick(n); from++ {
			for to := from + 1; to <= from+3*structures.Tick(n); to++ {
				var want, got []int
				for tick := from + 1; tick <= min(to, from+structures.Tick(n)); tick++ {
					want = append(want, int(tick)%n)
				}
				first, second := r.ahead(from, to)
				for _, part := range [...]span{first, second} {
					for i := part.from; i < part.to; i++ {
						got = append(got, i)
					}
				}
				if !slices.Equal(got, want) {
					t.Fatalf("%d slots, ticks %d to %d: %v, want %v", n, from+1, to, got, want)
				}
			}
		}
	}
}

func TestOccupiedAfterIsTheNextTickOfAnOccupiedSlot(t *testing.T) {
	for n := 1; n <= 7; n++ {
		for pattern := range 1 << n {
			r := newRing(n)
			for i := range n {
				if pattern>>i&1 == 1 {
					r.occupied.Set(i)
				}
			}
			for from := structures.Tick(0); from < 2*structures.Tick(n); from++ {
				want := structures.Tick(math.MaxInt64)
				if pattern != 0 {
					for want = from + 1; pattern>>(int(want)%n)&1 == 0; {
						want++
					}
				}
				if got := r.occupiedAfter(from); got != want {
					t.Fatalf("%d slots, pattern %b: %d after %d, want %d", n, pattern, got, from, want)
				}
			}
		}
	}
}

func TestBadOptionsPanic(t *testing.T) {
	for want, opt := range map[string]Option{
		"wheel: Slots(0): want a number from 1 to 67108864":        Slots(0),
		"wheel: Slots(-8): want a number from 1 to 67108864":       Slots(-8),
		"wheel: Slots(67108865): want a number from 1 to 67108864": Slots(1<<26 + 1),
	} {
		checking.Panics(t, want, func() { New[int](opt) })
	}
}

// The cursor is behind the clock when the last due timers are cancelled. Next must not
// return a bound between the two.
func TestNextIsAfterTheClockWhenTheLastDueTimersWereCancelled(t *testing.T) {
	w := New[int](Slots(4))
	w.Schedule(1, 0)
	w.Schedule(1, 0)
	cancelled := w.Schedule(5, 0)
	w.Schedule(13, 0) // in the slot of 5
	w.Pop(1)
	w.Pop(7) // the second one of tick 1; nothing beyond is gathered yet
	w.Cancel(cancelled)
	if at, _ := w.Next(); at <= 7 || at > 13 {
		t.Fatalf("Next() = %d at 7, want 8 to 13", at)
	}
}
