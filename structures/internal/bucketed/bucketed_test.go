package bucketed

import (
	"testing"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/whitebox"
	"github.com/timerbench/timerbench/structures/quadheap"
)

// The conformance suite is run by the packages that choose an order.

func TestBucketsAreUsedAgain(t *testing.T) {
	s := New[int](quadheap.New[uint32](), 0)
	for now := structures.Tick(0); now < 1000; now++ {
		s.Schedule(now+1, 0)
		s.Schedule(now+5, 0)
		s.Cancel(s.Schedule(now+7, 0))
		for range structures.Due(&s, now) {
		}
	}
	if n := len(s.buckets) - 1; n > 7 {
		t.Errorf("%d buckets made for timers up to 7 ticks away", n)
	}
}

// A bucket that is being served has left the order and the table, but its timers may
// still be cancelled and moved, also to the very tick that it stands for, at the end of
// time: then they go to a bucket of their own, behind it.
func TestTheBucketBeingServedIsNotJoined(t *testing.T) {
	const end = 1<<63 - 1
	s := New[int](quadheap.New[uint32](), 0)
	var ids []structures.ID
	for i := range 4 {
		ids = append(ids, s.Schedule(end, i))
	}
	pop := func(want int) {
		t.Helper()
		if err := s.CheckInvariants(); err != nil {
			t.Fatal(err)
		}
		if timer, ok := s.Pop(end); !ok || timer.Value != want {
			t.Fatalf("Pop = %d, %t, want %d", timer.Value, ok, want)
		}
	}
	pop(0)
	s.Reschedule(ids[1], 0)
	s.Schedule(0, 4)
	pop(2)
	s.Cancel(ids[3]) // the last one of the bucket
	pop(1)
	pop(4)
	if _, ok := s.Pop(end); ok || s.Len() != 0 {
		t.Fatalf("%d timers are left", s.Len())
	}
}

func TestCheckInvariantsNamesWhatIsBroken(t *testing.T) {
	whitebox.FindsDamage(t, func() *Scheduler[int] {
		s := New[int](quadheap.New[uint32](), 0)
		for _, deadline := range []structures.Tick{10, 10, 20} {
			s.Schedule(deadline, 0)
		}
		return &s
	}, map[string]func(*Scheduler[int]){
		"table":           func(s *Scheduler[int]) { s.table.Put(0) },
		"order":           func(s *Scheduler[int]) { s.order.Cancel(s.buckets[1].id) },
		"tick of bucket":  func(s *Scheduler[int]) { s.buckets[1].tick++ },
		"found by tick":   func(s *Scheduler[int]) { s.byTick.Delete(10); s.byTick.Put(10, 2) },
		"not found":       func(s *Scheduler[int]) { s.byTick.Delete(10) },
		"bucket of timer": func(s *Scheduler[int]) { s.in[1] = 2 },
		"deadline":        func(s *Scheduler[int]) { s.lists.SetDeadline(1, 11) },
		"timer is gone":   func(s *Scheduler[int]) { s.table.Free(1) },
		"empty bucket":    func(s *Scheduler[int]) { s.lists.PopFront(&s.buckets[2].list); s.table.Free(3) },
		"freed bucket":    func(s *Scheduler[int]) { s.free = append(s.free, 2) },
		"being served":    func(s *Scheduler[int]) { s.due = 1 },
	})
}
