package auto_test

import (
	"fmt"
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

// The earliest timer fires, and stale IDs are refused, while timers are in lists, move to
// the wheel, are there, and move back: with many timers in a slot, and single ones before
// them.
func TestTimersFireInOrderInAllModes(t *testing.T) {
	for _, limit := range []int{300, auto.FewLimit} {
		t.Run(fmt.Sprint(limit), func(t *testing.T) {
			p := player{t: t, s: auto.NewFew[int](limit), rng: rand.New(rand.NewPCG(3, uint64(limit))), pending: make(map[structures.ID]structures.Tick)}
			modes := make(map[string]int)
			for round := range 60 {
				most := 500
				if round%2 == 1 {
					most = 20
				}
				for range 1200 {
					p.step(most)
					modes[fmt.Sprint(p.s.Many(), p.s.Changing())]++
				}
			}
			if len(modes) != 3 && limit == 300 {
				t.Errorf("operations by mode: %v, want three modes", modes)
			}
		})
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

// player does operations at random and knows what is pending.
type player struct {
	t       *testing.T
	s       *auto.Timers[int]
	rng     *rand.Rand
	now     structures.Tick
	pending map[structures.ID]structures.Tick
	ids     []structures.ID // also stale ones
	steps   int
}

func (p *player) step(most int) {
	p.steps++
	switch choice := p.rng.IntN(10); {
	case choice < 5 && len(p.pending) < most:
		at := p.deadline()
		id := p.s.Schedule(at, 0)
		p.pending[id] = at
		p.ids = append(p.ids, id)
	case choice < 7 && len(p.ids) > 0:
		id, at := p.id(), p.deadline()
		if _, ok := p.pending[id]; p.s.Reschedule(id, at) != ok {
			p.t.Fatalf("step %d: Reschedule(%#x) = %t", p.steps, id, !ok)
		} else if ok {
			p.pending[id] = at
		}
	case choice < 8 && len(p.ids) > 0:
		id := p.id()
		if _, ok := p.pending[id]; p.s.Cancel(id) != ok {
			p.t.Fatalf("step %d: Cancel(%#x) = %t", p.steps, id, !ok)
		}
		delete(p.pending, id)
	default:
		p.pop(most)
	}
	if p.s.Len() != len(p.pending) {
		p.t.Fatalf("step %d: %d timers, want %d", p.steps, p.s.Len(), len(p.pending))
	}
	if p.steps%97 == 0 {
		mustBeSound(p.t, p.s)
	}
}

// deadline returns a deadline soon, or in a slot with many, or far away.
func (p *player) deadline() structures.Tick {
	switch p.rng.IntN(3) {
	case 0:
		return p.now + 1 + structures.Tick(p.rng.IntN(40))
	case 1:
		return p.now | 0x3ff + 100 + structures.Tick(p.rng.IntN(60))
	}
	return p.now + 1 + structures.Tick(p.rng.IntN(20_000))
}

// id returns one of the last IDs, which may be stale.
func (p *player) id() structures.ID {
	return p.ids[max(0, len(p.ids)-600)+p.rng.IntN(min(len(p.ids), 600))]
}

// pop moves the clock a little, and further where many timers are to fire.
func (p *player) pop(most int) {
	p.now += structures.Tick(p.rng.IntN(12))
	if len(p.pending) > most {
		p.now += 500
	}
	earliest := structures.Tick(1 << 62)
	for _, at := range p.pending {
		earliest = min(earliest, at)
	}
	if at, ok := p.s.Next(); ok != (len(p.pending) > 0) || at > earliest {
		p.t.Fatalf("step %d: Next() = %d, %t; the earliest of %d is at %d", p.steps, at, ok, len(p.pending), earliest)
	}
	for {
		timer, ok := p.s.Pop(p.now)
		earliest, due := structures.Tick(1<<62), false
		for _, at := range p.pending {
			earliest = min(earliest, at)
			due = due || at <= p.now
		}
		if ok != due || ok && (timer.Deadline != earliest || p.pending[timer.ID] != earliest) {
			p.t.Fatalf("step %d: Pop(%d) = %+v, %t; the earliest is at %d", p.steps, p.now, timer, ok, earliest)
		}
		if !ok {
			return
		}
		delete(p.pending, timer.ID)
		if p.rng.IntN(4) == 0 {
			return
		}
	}
}
