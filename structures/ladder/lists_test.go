package ladder_test

import (
	"testing"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/ladder"
)

// Timers that are due before those of a slot that was emptied fire first, also when they are
// too many for the front.
func TestTimersBeforeThoseOfAnEmptiedSlot(t *testing.T) {
	s := ladder.New[int]()
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
	s := ladder.New[int]()
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

// A timer goes to the level for its distance from the clock, wherever the timers before it were.
func TestTheBaseFollowsTheClock(t *testing.T) {
	const now, n = 3<<18 + 2<<12, 1000
	l := ladder.New[int]()
	l.Schedule(1<<40, 0)
	l.Schedule(now, 0) // from a slot that starts at 3<<18
	for range structures.Due(l, now) {
	}
	before := l.Work().Moved
	for i := range n {
		l.Schedule(structures.Tick(now+1+i%63), 0)
	}
	mustBeSound(t, l)
	for range structures.Due(l, now+63) {
	}
	if moved := l.Work().Moved - before; moved > n*5/4 || l.Len() != 1 {
		t.Errorf("%d timers of one tick each were moved %d times, want hardly more than once each", n, moved)
	}
}

// mustFireInOrder pops n timers, which must be all.
func mustFireInOrder(t *testing.T, s *ladder.Ladder[int], n int) {
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
