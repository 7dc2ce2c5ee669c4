package bucketheap_test

import (
	"testing"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/bucketheap"
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

func TestInvalidOptionPanics(t *testing.T) {
	defer func() {
		want := "bucketheap: Capacity(-1): want a number from 0 to "
		if got, ok := recover().(string); !ok || len(got) < len(want) || got[:len(want)] != want {
			t.Errorf("panic %q, want %q and the limit", got, want)
		}
	}()
	bucketheap.New[int](bucketheap.Capacity(-1))
}

// Six timers in three buckets: three of them are served, none is empty.
func TestWorkCountsBuckets(t *testing.T) {
	s := bucketheap.New[int]()
	for _, deadline := range []structures.Tick{5, 9, 5, 7, 7, 5} {
		s.Schedule(deadline, 0)
	}
	inserts := s.Work().Comparisons
	if inserts < 2 || inserts > 6 {
		t.Errorf("%d comparisons to order three buckets", inserts)
	}
	s.Schedule(9, 0) // its bucket is there
	if got := s.Work().Comparisons; got != inserts {
		t.Errorf("%d comparisons to add a timer to a bucket, want none", got-inserts)
	}
	for range structures.Due(s, 100) {
	}
	if w := s.Work(); w.SlotsVisited != 3 || w.EmptySlots != 0 || w.Moved != 0 {
		t.Errorf("%+v, want 3 slots visited and none empty", w)
	}
}
