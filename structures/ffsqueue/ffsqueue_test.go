package ffsqueue

import (
	"slices"
	"testing"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/rules"
	"github.com/timerbench/timerbench/structures/internal/whitebox"
	"github.com/timerbench/timerbench/structures/schedtest"
)

func TestConformance(t *testing.T) {
	whitebox.Suite(t, small[uint64], small[*schedtest.Payload], Capacity)
	whitebox.Variants(t, []int{1 << 16, 2}, func(slots int) structures.Scheduler[uint64] { return newQueue[uint64](slots, 0) })
}

func small[T any](opts ...Option) *Queue[T] {
	return newQueue[T](64, rules.Apply(rules.Room{}, opts).Capacity)
}

func FuzzAgainstModel(f *testing.F) { whitebox.Fuzz(f, small[uint64]) }

// Timers that have come into the span fire before those of their tick that came later.
func TestOldTimersOfATickComeFirst(t *testing.T) {
	q := newQueue[int](8, 0)
	q.Schedule(10, 0)
	q.Pop(5)
	q.Schedule(10, 1)
	q.Schedule(9, 2)
	var fired []int
	for timer := range structures.Due(q, 20) {
		fired = append(fired, timer.Value)
	}
	if want := []int{2, 0, 1}; !slices.Equal(fired, want) {
		t.Fatalf("fired %v, want %v", fired, want)
	}
}

// Timers within the span never cost a comparison or a move, whatever is done to them.
func TestWithinTheSpanNothingMoves(t *testing.T) {
	const n, slots = 500, 1024
	q := newQueue[int](slots, 0)
	var ids [n]structures.ID
	for now := structures.Tick(0); now < 10*slots; now++ {
		for range structures.Due(q, now) {
		}
		i := int(now) % n
		q.Cancel(ids[i])
		ids[i] = q.Schedule(now+slots-1, i)
		q.Reschedule(ids[(i+n/2)%n], now+1+structures.Tick(i))
		q.Next()
	}
	if w := q.Work(); w.Moved != 0 || w.Comparisons != 0 || w.SlotsVisited == 0 {
		t.Fatalf("%+v", w)
	}
}
