package auto_test

import (
	"math/rand/v2"
	"testing"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/auto"
	"github.com/timerbench/timerbench/structures/internal/checking"
)

// No call moves many timers from the lists to the wheel, unless they are due.
func TestTimersMoveToTheWheelInSteps(t *testing.T) {
	const most = 16 // as the documentation says
	s := auto.New[int]()
	rng := rand.New(rand.NewPCG(1, 2))
	fresh := func() structures.Tick { return 1000 + structures.Tick(rng.IntN(60_000)) }
	for range auto.FewLimit {
		s.Schedule(fresh(), 0)
	}
	calls := 0
	for ; calls == 0 || s.Changing(); calls++ {
		before := s.Work().Moved
		s.Schedule(fresh(), 0)
		if moved := s.Work().Moved - before; moved > most {
			t.Fatalf("Schedule moved %d timers, want at most %d", moved, most)
		}
	}
	if want := auto.FewLimit / most; calls < want || calls > want+1 {
		t.Errorf("all timers are in the wheel after %d calls, want %d", calls, want)
	}
	checking.Sound(t, s)
}

// Next is never late while timers that are due before those in the wheel have yet to move there.
func TestNextIsNotLateWhileTimersMove(t *testing.T) {
	s, rng, earliest := auto.New[int](), rand.New(rand.NewPCG(3, 4)), structures.Tick(1<<62)
	for range auto.FewLimit + 1000 {
		deadline := 1<<20 + structures.Tick(rng.IntN(1<<20))
		earliest = min(earliest, deadline)
		s.Schedule(deadline, 0)
		if at, _ := s.Next(); at > earliest {
			t.Fatalf("Next() = %d among %d timers, the first of which is due at %d", at, s.Len(), earliest)
		}
	}
}

// A jump of the clock while timers move fires the earliest first, though most of those that are due have yet to move.
func TestAJumpWhileTimersMoveFiresInOrder(t *testing.T) {
	s, rng, last := auto.New[int](), rand.New(rand.NewPCG(5, 6)), structures.Tick(0)
	for range auto.FewLimit + 1 {
		s.Schedule(1<<20+structures.Tick(rng.IntN(1<<20)), 0)
	}
	fired := 0
	for timer := range structures.Due(s, 1<<20+1<<19) {
		if fired++; timer.Deadline < last {
			t.Fatalf("deadline %d fires after deadline %d", timer.Deadline, last)
		}
		last = timer.Deadline
	}
	if at, _ := s.Next(); fired < auto.FewLimit/3 || at <= 1<<20+1<<19 {
		t.Errorf("%d timers fired, and the next is due at %d", fired, at)
	}
}

// Timers that are due and were not popped fire in order, and no other timer fires, if all move to the wheel between two calls of Pop.
func TestTimersThatAreDueMoveToTheWheel(t *testing.T) {
	s := auto.New[int]()
	for i := range 600 {
		s.Schedule(1<<40-structures.Tick(i*1000), 0)
	}
	for i := range 100 {
		s.Schedule(structures.Tick(8060-40*i), 0)
	}
	s.Pop(4096)
	x := s.Schedule(6000, 0)
	s.Schedule(8000, 0)
	s.Reschedule(x, 4200)
	for range 50 {
		s.Pop(8100)
	}
	for i := range 50 {
		s.Schedule(structures.Tick(8200+i*77), 0)
	}
	for i := 0; s.Len() <= auto.FewLimit; i++ {
		s.Schedule(1<<41-structures.Tick(i*1000), 0)
	}
	checking.Sound(t, s)
	fired, last := 0, structures.Tick(0)
	for timer := range structures.Due(s, 8100) {
		if fired++; timer.Deadline > 8100 || timer.Deadline < last {
			t.Errorf("Pop(8100) fires deadline %d after deadline %d", timer.Deadline, last)
		}
		last = timer.Deadline
	}
	if fired != 52 {
		t.Errorf("%d timers fired, want 52", fired)
	}
	checking.Sound(t, s)
}
