package auto_test

import (
	"math/rand/v2"
	"testing"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/auto"
)

// No call moves many timers from the lists to the wheel, unless they are due.
func TestTimersMoveToTheWheelInSteps(t *testing.T) {
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
		if moved := s.Work().Moved - before; moved > auto.MovesPerCall {
			t.Fatalf("Schedule moved %d timers, want at most %d", moved, auto.MovesPerCall)
		}
	}
	if want := auto.FewLimit / auto.MovesPerCall; calls < want || calls > want+1 {
		t.Errorf("all timers are in the wheel after %d calls, want %d", calls, want)
	}
	mustBeSound(t, s)
}

// A timer that is counted and nowhere is noticed, in all modes.
func TestCheckInvariantsMissesALostTimer(t *testing.T) {
	for n, mode := range map[int]string{10: "lists", 101: "changing", 400: "wheel"} {
		s := auto.NewFew[int](100)
		for i := range n {
			s.Schedule(structures.Tick(1000+i), 0)
		}
		mustBeSound(t, s)
		s.Lose()
		if s.CheckInvariants() == nil {
			t.Errorf("%s: a lost timer is not noticed", mode)
		}
	}
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
	if s.Len() != 0 {
		t.Errorf("%d timers are left", s.Len())
	}
}

// While timers move, the earliest one may be in a list of which some are in the wheel already.
func TestNextSeesTheListsWhileTimersMove(t *testing.T) {
	const limit, earliest = 100, 70
	s := auto.NewFew[int](limit)
	s.Schedule(earliest, 0)
	for i := range limit {
		s.Schedule(structures.Tick(100+i%20), 0)
	}
	if at, ok := s.Next(); !s.Changing() || at > earliest || !ok {
		t.Errorf("Next() = %d, %t while timers move: %t, want at most %d", at, ok, s.Changing(), earliest)
	}
}
