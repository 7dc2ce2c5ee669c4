package bucketed

import (
	"testing"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/slotted"
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
	_, q := slotted.Parts(&s)
	if n := len(q.buckets) - 1; n > 7 {
		t.Errorf("%d buckets made for timers up to 7 ticks away", n)
	}
}

// A bucket that is firing has left the order, but its timers may still be
// cancelled and moved, at the last tick also to the tick of that bucket. Then they go to
// a new bucket behind it.
func TestTheBucketThatFiresIsNotJoined(t *testing.T) {
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
	sound := func() *Scheduler[int] {
		s := New[int](quadheap.New[uint32](), 0)
		for _, deadline := range []structures.Tick{10, 10, 20} {
			s.Schedule(deadline, 0)
		}
		return &s
	}
	whitebox.FindsDamageToQueue(t, sound, map[string]func(*Queue){
		"order":           func(q *Queue) { q.order.Cancel(q.buckets[1].id) },
		"tick of bucket":  func(q *Queue) { q.buckets[1].tick++ },
		"found by tick":   func(q *Queue) { q.byTick.Delete(10); q.byTick.Put(10, 2) },
		"not found":       func(q *Queue) { q.byTick.Delete(10) },
		"bucket of timer": func(q *Queue) { q.in[1] = 2 },
		"deadline":        func(q *Queue) { q.lists.SetDeadline(1, 11) },
		"empty bucket":    func(q *Queue) { q.lists.PopFront(&q.buckets[2].list) },
		"freed bucket":    func(q *Queue) { q.free = append(q.free, 2) },
		"firing":          func(q *Queue) { q.firing = 1 },
	})
}
