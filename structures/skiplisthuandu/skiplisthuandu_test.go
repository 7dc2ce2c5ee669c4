package skiplisthuandu_test

import (
	"math"
	"testing"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/checking"
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

func TestScheduleAllocates(t *testing.T) { whitebox.Allocates(t, skiplisthuandu.New[uint64](), 2) }

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
	checking.Sound(t, s)
	for want := range n {
		if timer, ok := s.Pop(math.MaxInt64); !ok || timer.Value != want || timer.Deadline != deadline(want) {
			t.Fatalf("%+v, %v, want timer %d at %d", timer, ok, want, deadline(want))
		}
	}
}
