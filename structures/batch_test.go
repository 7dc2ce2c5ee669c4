package structures_test

import (
	"testing"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/hwheel"
	"github.com/timerbench/timerbench/structures/quadheap"
)

// told counts how many IDs a structure was told of at a time, and checks that it is told before.
type told struct {
	*hwheel.Wheel[int]
	t     *testing.T
	known map[structures.ID]bool
	most  int
}

func (s *told) Prefetch(ids []structures.ID) {
	for _, id := range ids {
		s.known[id] = true
	}
	s.most = max(s.most, len(ids))
	s.Wheel.Prefetch(ids)
}

func (s *told) Cancel(id structures.ID) bool {
	if !s.known[id] {
		s.t.Errorf("ID %#x is cancelled, and was not named before", id)
	}
	return s.Wheel.Cancel(id)
}

func TestAllOfABatchAreMovedAndCancelled(t *testing.T) {
	wheel := &told{Wheel: hwheel.New[int](), t: t, known: map[structures.ID]bool{}}
	for _, s := range []structures.Scheduler[int]{wheel, quadheap.New[int]()} {
		var ids []structures.ID
		for i := range 100 {
			ids = append(ids, s.Schedule(50, i))
		}
		if n := structures.RescheduleAll(s, ids[:70], 90); n != 70 {
			t.Errorf("%T: %d timers were moved, want 70", s, n)
		}
		due := 0
		for range structures.Due(s, 60) {
			due++
		}
		if due != 30 {
			t.Errorf("%T: %d timers are due, want the 30 that were not moved", s, due)
		}
		if n := structures.CancelAll(s, ids[20:]); n != 50 || s.Len() != 20 {
			t.Errorf("%T: %d timers were cancelled and %d are left, want 50 and 20", s, n, s.Len())
		}
		if structures.CancelAll(s, nil) != 0 {
			t.Errorf("%T: timers of no IDs were cancelled", s)
		}
	}
	if wheel.most != 32 {
		t.Errorf("the wheel was told of %d timers at once, want 32", wheel.most)
	}
}
