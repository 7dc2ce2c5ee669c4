package hwheel_test

import (
	"math/rand/v2"
	"testing"

	"github.com/timerbench/timerbench/internal/longtest"
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/hwheel"
	core "github.com/timerbench/timerbench/structures/internal/hwheel"
	"github.com/timerbench/timerbench/structures/internal/records"
)

// timersPerTick is how many timers of a level are moved at a tick where they are few.
const timersPerTick = core.ChunksPerTick * records.Places

// Two full slots that follow one another are emptied together: the second one has only 256
// ticks after the first.
func TestTwoFullSlotsAreEmptiedTogether(t *testing.T) {
	t.Parallel()
	const n = 600_000
	s := hwheel.New[int]()
	for i := range n {
		s.Schedule(structures.Tick(80+i%2)<<8, i)
	}
	const bound = n/3840 + timersPerTick
	for now := structures.Tick(1); now < 81<<8; now++ {
		before := s.Work().Moved
		for _, ok := s.Pop(now); ok; _, ok = s.Pop(now) {
		}
		if moved := s.Work().Moved - before; moved > bound {
			t.Fatalf("%d timers of %d moved at tick %d, want at most %d", moved, n, now, bound)
		}
	}
}

// If the clock goes tick by tick, no Pop moves more than its share of the timers, and
// what a few slots that start at once may hold.
func TestNoPopMovesManyTimersTickByTick(t *testing.T) {
	t.Parallel()
	n := longtest.Scale(t, 15_000, 30_000, 3_000_000)
	const slot, above = 1 << 8, 1 << 16
	for name, deadline := range map[string]func(rng *rand.Rand, i int) structures.Tick{
		"one tick of level 1":         func(*rand.Rand, int) structures.Tick { return 20_000 },
		"the first tick of a slot":    func(*rand.Rand, int) structures.Tick { return 80 * slot },
		"the last tick of a slot":     func(*rand.Rand, int) structures.Tick { return 81*slot - 1 },
		"one slot of level 1":         func(r *rand.Rand, _ int) structures.Tick { return 80*slot + structures.Tick(r.IntN(slot)) },
		"one slot of level 2":         func(r *rand.Rand, _ int) structures.Tick { return 20*above + structures.Tick(r.IntN(above)) },
		"first tick of level 2":       func(*rand.Rand, int) structures.Tick { return 20 * above },
		"starts of slots":             func(_ *rand.Rand, i int) structures.Tick { return structures.Tick(20+i%32) * slot },
		"slots next to one another":   func(r *rand.Rand, _ int) structures.Tick { return 20_000 + structures.Tick(r.IntN(4000)) },
		"uniform over 60,000 ticks":   func(r *rand.Rand, _ int) structures.Tick { return 1 + structures.Tick(r.IntN(60_000)) },
		"most in the later of slots":  func(_ *rand.Rand, i int) structures.Tick { return 80*slot + structures.Tick(min(i%8, 1))*slot },
		"two levels at the same tick": func(_ *rand.Rand, i int) structures.Tick { return 20*above - structures.Tick(i%2)*10_000 },
	} {
		for _, how := range []string{"scheduled", "moved"} {
			t.Run(name+", "+how, func(t *testing.T) {
				s := hwheel.New[int]()
				rng := rand.New(rand.NewPCG(7, 8))
				latest := structures.Tick(0)
				for i := range n {
					at := deadline(rng, i)
					latest = max(latest, at)
					if how == "scheduled" {
						s.Schedule(at, i)
						continue
					}
					// Before the others, and then to later. It stays where it is.
					id := s.Schedule(1+structures.Tick(rng.Int64N(int64(at))), i)
					s.Next()
					s.Reschedule(id, at)
				}
				mustBeSound(t, s)
				// Each slot has 3840 ticks. One that holds few cascades when it starts,
				// on each of the two levels.
				bound := uint64(n/3840) + 2*timersPerTick
				if how == "moved" {
					// More slots are emptied ahead, and each share is rounded up.
					bound += timersPerTick
				}
				fired := 0
				for now := structures.Tick(1); now <= latest; now++ {
					for {
						before := s.Work().Moved
						timer, ok := s.Pop(now)
						if moved := s.Work().Moved - before; moved > bound {
							t.Fatalf("Pop(%d) moved %d of %d timers, want at most %d", now, moved, n, bound)
						}
						if !ok {
							break
						}
						fired++
						if timer.Deadline != now {
							t.Fatalf("Pop(%d) returned deadline %d", now, timer.Deadline)
						}
					}
					if now%100_000 == 0 {
						mustBeSound(t, s)
					}
				}
				if fired != n {
					t.Errorf("%d timers fired, want %d", fired, n)
				}
			})
		}
	}
}

// Few timers are not moved before their slot starts: they may be cancelled until then.
func TestFewTimersCascadeWhenTheirSlotStarts(t *testing.T) {
	s := hwheel.New[int]()
	for i := range 500 {
		s.Schedule(80<<8+structures.Tick(i%256), i)
	}
	s.Next() // none is left in the arrival buffer
	s.Pop(80<<8 - 1)
	if moved := s.Work().Moved; moved != 0 {
		t.Errorf("%d timers were moved before their slot starts", moved)
	}
	s.Pop(80 << 8)
	if moved := s.Work().Moved; moved != 500 {
		t.Errorf("%d timers were moved when their slot starts, want 500", moved)
	}
}

// A cascade makes chunks, so that the first page of them grows and moves.
func TestTimersOfOneSlotThatSpreadOverMany(t *testing.T) {
	for _, n := range []int{1, 14, 15, 50, 100, 200, 300} {
		s := hwheel.New[int]()
		for i := range n {
			s.Schedule(80<<8+structures.Tick(i%256), i)
		}
		fired := 0
		for _, ok := s.Pop(1 << 20); ok; _, ok = s.Pop(1 << 20) {
			fired++
			if fired%10 == 1 {
				mustBeSound(t, s)
			}
		}
		if fired != n {
			t.Fatalf("%d of %d timers fired", fired, n)
		}
	}
}

// Next names the first deadline in a slot of few timers, not the start of the slot.
func TestNextIsExactWhereTimersAreFew(t *testing.T) {
	s := hwheel.New[int]()
	for _, at := range []structures.Tick{20_077, 20_050, 20_099, 900_000} {
		s.Schedule(at, 0)
	}
	if at, ok := s.Next(); at != 20_050 || !ok {
		t.Errorf("Next() = %d, %t, want 20050", at, ok)
	}
}
