package catalog

import (
	"math/rand/v2"
	"testing"

	"github.com/timerbench/timerbench/internal/longtest"
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/checking"
	"github.com/timerbench/timerbench/structures/internal/hwheel"
	"github.com/timerbench/timerbench/structures/internal/records"
)

// With n timers, no Pop of a wheel that empties its slots in steps moves more than bound if the clock goes tick by tick,
// whatever the deadlines: the timers of a step, what a few slots that start at once may hold, and what is rounded up.
func TestWheelsEmptySlotsInSteps(t *testing.T) {
	few := longtest.Scale(t, 15_000, 15_000, 3_000_000)
	many := longtest.Scale(t, 40_000, 40_000, 3_000_000)
	for name, c := range map[string]struct{ n, bound int }{
		"hwheel":           {few, few/3840 + 3*hwheel.ChunksPerTick*records.Places},
		"hwheel-list":      {many, 4 * 2048},
		"intrusive-hwheel": {many, max(1<<12, many/256) + 64},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e, _ := Find(name)
			testSteps(t, c.n, uint64(c.bound), e.New)
		})
	}
}

func testSteps(t *testing.T, n int, bound uint64, newWheel func() structures.Scheduler[uint64]) {
	const slot, above = 1 << 8, 1 << 16
	for name, deadline := range map[string]func(rng *rand.Rand, i int) structures.Tick{
		"one tick of level 1":         func(*rand.Rand, int) structures.Tick { return 20_000 },
		"the first tick of a slot":    func(*rand.Rand, int) structures.Tick { return 80 * slot },
		"the last tick of a slot":     func(*rand.Rand, int) structures.Tick { return 81*slot - 1 },
		"one slot of level 1":         func(r *rand.Rand, _ int) structures.Tick { return 80*slot + structures.Tick(r.IntN(slot)) },
		"one slot of level 2":         func(r *rand.Rand, _ int) structures.Tick { return 20*above + structures.Tick(r.IntN(above)) },
		"first tick of level 2":       func(*rand.Rand, int) structures.Tick { return 20 * above },
		"first tick of level 3":       func(*rand.Rand, int) structures.Tick { return 2 << 24 },
		"starts of slots":             func(_ *rand.Rand, i int) structures.Tick { return structures.Tick(20+i%32) * slot },
		"slots next to one another":   func(r *rand.Rand, _ int) structures.Tick { return 20_000 + structures.Tick(r.IntN(4000)) },
		"uniform over 60,000 ticks":   func(r *rand.Rand, _ int) structures.Tick { return 1 + structures.Tick(r.IntN(60_000)) },
		"most in the later of slots":  func(_ *rand.Rand, i int) structures.Tick { return 80*slot + structures.Tick(min(i%8, 1))*slot },
		"two slots next to another":   func(_ *rand.Rand, i int) structures.Tick { return structures.Tick(80+i%2) * slot },
		"two levels at the same tick": func(_ *rand.Rand, i int) structures.Tick { return 20*above - structures.Tick(i%2)*10_000 },
	} {
		for _, how := range []string{"scheduled", "moved"} {
			t.Run(name+", "+how, func(t *testing.T) {
				s, rng := newWheel(), rand.New(rand.NewPCG(7, 8))
				work := s.(interface{ Work() structures.Work }).Work
				earliest, latest := deadline(rng, 0), structures.Tick(0)
				for i := range n {
					at := deadline(rng, i)
					earliest, latest = min(earliest, at), max(latest, at)
					if how == "scheduled" {
						s.Schedule(at, uint64(i))
						continue
					}
					// Before the others, and then to later. It may stay where it is.
					id := s.Schedule(1+structures.Tick(rng.Int64N(int64(at))), uint64(i))
					s.Next()
					s.Reschedule(id, at)
				}
				checking.Sound(t, s)
				start := max(1, earliest-1<<20) // the clock jumps over ticks at which nothing is emptied ahead
				if start > 1 && how == "moved" {
					t.Skip("the jump would empty slots")
				}
				fired := 0
				for now := start; now <= latest; now++ {
					most := uint64(0)
					for ok := true; ok; {
						var timer structures.Timer[uint64]
						before := work().Moved
						timer, ok = s.Pop(now)
						most = max(most, work().Moved-before)
						if ok && timer.Deadline != now {
							t.Fatalf("Pop(%d) returned deadline %d", now, timer.Deadline)
						}
						if ok {
							fired++
						}
					}
					if most > bound {
						t.Fatalf("Pop(%d) moved %d of %d timers, want at most %d", now, most, n, bound)
					}
					if now%100_000 == 0 || now == earliest-10 {
						checking.Sound(t, s)
					}
				}
				if fired != n {
					t.Errorf("%d timers fired, want %d", fired, n)
				}
			})
		}
	}
}
