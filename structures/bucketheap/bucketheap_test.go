package bucketheap_test

import (
	"testing"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/bucketheap"
	"github.com/timerbench/timerbench/structures/internal/slab"
	"github.com/timerbench/timerbench/structures/schedtest"
)

func TestConformance(t *testing.T) {
	schedtest.Run(t, func() structures.Scheduler[uint64] { return bucketheap.New[uint64]() }, schedtest.FIFO())
}

func TestRelease(t *testing.T) {
	schedtest.Releases(t, func() structures.Scheduler[*schedtest.Payload] { return bucketheap.New[*schedtest.Payload]() })
}

func FuzzAgainstModel(f *testing.F) {
	schedtest.Fuzz(f, func() structures.Scheduler[uint64] { return bucketheap.New[uint64]() }, schedtest.FIFO())
}

func TestCapacity(t *testing.T) {
	schedtest.Capacity(t, "bucketheap", slab.MaxCapacity, func(n int) structures.Scheduler[uint64] { return bucketheap.New[uint64](bucketheap.Capacity(n)) }, schedtest.Allocates()) // buckets are made as needed
}

// Six timers in three buckets, which come in the order 5, 9, 7: 9 and 7 are each compared
// with the root, 5, and stay below it. When 5 leaves, the last one, 7, is compared with 9.
func TestWorkCountsBuckets(t *testing.T) {
	s := bucketheap.New[int]()
	want := func(what string, comparisons, visited uint64) {
		t.Helper()
		if got, want := s.Work(), (structures.Work{Comparisons: comparisons, SlotsVisited: visited}); got != want {
			t.Fatalf("%s: %+v, want %+v", what, got, want)
		}
	}
	var ids []structures.ID
	for _, deadline := range []structures.Tick{5, 9, 5, 7, 7, 5} {
		ids = append(ids, s.Schedule(deadline, 0))
	}
	want("three buckets", 2, 0)
	s.Schedule(9, 0)
	want("a timer for a bucket that is there", 2, 0)
	s.Cancel(ids[0])
	s.Reschedule(ids[1], 7)
	want("no bucket opened or closed", 2, 0)
	s.Pop(5)
	s.Pop(5)
	want("both timers of the first bucket", 3, 1)
	s.Pop(6)
	s.Next()
	want("nothing is due", 3, 1)
	for range structures.Due(s, 100) {
	}
	want("the two others", 3, 3)
}
