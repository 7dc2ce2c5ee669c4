package skiplisthuandu_test

import (
	"math"
	"testing"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/whitebox"
	"github.com/timerbench/timerbench/structures/schedtest"
	"github.com/timerbench/timerbench/structures/skiplisthuandu"
)

func TestConformance(t *testing.T) {
	whitebox.Suite(t, skiplisthuandu.New[uint64], skiplisthuandu.New[*schedtest.Payload], skiplisthuandu.Capacity, schedtest.FIFO(), schedtest.Allocates())
}

func FuzzAgainstModel(f *testing.F) {
	whitebox.Fuzz(f, skiplisthuandu.New[uint64], schedtest.FIFO(), schedtest.Allocates())
}

// AllocsPerRun runs the function once more than it is told to.
func TestScheduleAllocates(t *testing.T) {
	const n = 1000
	s := skiplisthuandu.New[int](skiplisthuandu.Capacity(2*n + 1))
	ids := make([]structures.ID, 0, n+1)
	for i := range n + 1 {
		ids = append(ids, s.Schedule(structures.Tick(i+1), i))
	}
	for _, id := range ids {
		s.Cancel(id)
	}
	i := 0
	if got := testing.AllocsPerRun(n, func() { i++; s.Schedule(structures.Tick(i*7919%n), i) }); got != 2 {
		t.Errorf("%v allocations a Schedule in slots that were used before, want 2", got)
	}
}

// A float64 holds 53 bits, so that these deadlines have few different scores.
func TestDeadlinesOfTheSameScore(t *testing.T) {
	const n = 1000
	deadline := func(i int) structures.Tick { return math.MaxInt64 - 5000 + structures.Tick(i) }
	s := skiplisthuandu.New[int]()
	ids := make([]structures.ID, n)
	for i := range ids {
		ids[i] = s.Schedule(deadline(i*7919%n), i*7919%n)
	}
	for i := 0; i < n; i += 3 {
		s.Cancel(ids[i])
		ids[i] = s.Schedule(deadline(i*7919%n), i*7919%n)
	}
	if err := s.CheckInvariants(); err != nil {
		t.Fatal(err)
	}
	for want := range n {
		if timer, ok := s.Pop(math.MaxInt64); !ok || timer.Value != want || timer.Deadline != deadline(want) {
			t.Fatalf("%+v, %v, want timer %d at %d", timer, ok, want, deadline(want))
		}
	}
}
