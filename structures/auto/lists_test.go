package auto_test

import (
	"testing"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/auto"
)

// Timers that are due before those of a slot that was emptied fire first, also when they are
// too many for the front.
func TestTimersBeforeThoseOfAnEmptiedSlot(t *testing.T) {
	s := auto.New[int]()
	first := s.Schedule(4096, 0)
	for i := range 100 {
		s.Schedule(structures.Tick(8000+i), 0)
	}
	s.Cancel(first)
	s.Pop(4096) // the slot from 4096 to 8191 is emptied
	for i := range 100 {
		s.Schedule(structures.Tick(4200-i), 0)
		mustBeSound(t, s)
	}
	mustFireInOrder(t, s, 200)
}

// A timer that is moved to and fro has many entries in the front, and is pending once.
func TestTimersMovedToAndFro(t *testing.T) {
	s := auto.New[int]()
	first := s.Schedule(4096, 0)
	ids := make([]structures.ID, 16)
	for i := range ids {
		ids[i] = s.Schedule(structures.Tick(5000+i), 0)
	}
	s.Cancel(first)
	s.Pop(4096) // the slot from 4096 to 8191 is emptied into the front
	for range 5 {
		for i, id := range ids {
			s.Reschedule(id, structures.Tick(5100+i))
			s.Reschedule(id, structures.Tick(5000+i))
			mustBeSound(t, s)
		}
	}
	mustFireInOrder(t, s, len(ids))
}

// Timers of one slot fire at their ticks also while they move to the wheel.
func TestTimersOfASlotMoveToTheWheelBeforeTheyFire(t *testing.T) {
	const limit = 300
	s := auto.NewFew[int](limit)
	for i := range limit + 1 {
		s.Schedule(structures.Tick(64+i*37%64), 0)
	}
	for now := structures.Tick(1); now < 128; now++ {
		for timer := range structures.Due(s, now) {
			if timer.Deadline != now {
				t.Fatalf("deadline %d fired at %d", timer.Deadline, now)
			}
		}
	}
	mustFireInOrder(t, s, 0)
}

// mustFireInOrder pops n timers, which must be all.
func mustFireInOrder(t *testing.T, s *auto.Timers[int], n int) {
	t.Helper()
	last := structures.Tick(0)
	for timer := range structures.Due(s, 1<<20) {
		if timer.Deadline < last {
			t.Fatalf("deadline %d fired after %d", timer.Deadline, last)
		}
		last = timer.Deadline
		n--
	}
	if n != 0 || s.Len() != 0 {
		t.Errorf("%d timers did not fire, %d are left", n, s.Len())
	}
}
