package wheel

import (
	"math"
	"slices"
	"testing"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/checking"
	"github.com/timerbench/timerbench/structures/internal/whitebox"
	"github.com/timerbench/timerbench/structures/schedtest"
)

func TestConformance(t *testing.T) {
	whitebox.Suite(t, New[uint64], New[*schedtest.Payload], Capacity, schedtest.FIFO(), schedtest.Levels(1))
	// An odd number, a wheel in which each tick is a revolution, and powers of two.
	whitebox.Variants(t, []int{7, 1, 2, 64, 512}, sized, schedtest.FIFO(), schedtest.Levels(1))
}

func FuzzAgainstModel(f *testing.F) {
	schedtest.Fuzz(f, func() structures.Scheduler[uint64] { return sized(7) }, schedtest.FIFO(), schedtest.Levels(1))
}

func sized(slots int) structures.Scheduler[uint64] { return New[uint64](Slots(slots)) }

// All pairs of ticks and all widths, compared with stepping from tick to tick.
func TestVisitNamesEachSlotOnceInTheOrderOfTime(t *testing.T) {
	for n := 1; n <= 9; n++ {
		r := newRing(n)
		for i := range n {
			r.occupied.Set(i)
		}
		for from := structures.Tick(0); from < 3*structures.Tick(n); from++ {
			for to := from + 1; to <= from+3*structures.Tick(n); to++ {
				var want, got []int
				for tick := from + 1; tick <= min(to, from+structures.Tick(n)); tick++ {
					want = append(want, int(tick)%n)
				}
				for i := range r.visit(from, to) {
					got = append(got, i)
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
