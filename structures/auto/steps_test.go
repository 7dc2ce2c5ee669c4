package auto_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/timerbench/timerbench/internal/longtest"
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/auto"
)

// Two full slots that follow one another are emptied together: the second one has only 256
// ticks after the first.
func TestTwoFullSlotsAreEmptiedTogether(t *testing.T) {
	t.Parallel()
	const n = 1_200_000
	s := auto.NewWheel[int]()
	for i := range n {
		s.Schedule(structures.Tick(80+i%2)<<8, i)
	}
	const bound = n/3840 + auto.TimersPerTick
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
	n := longtest.Scale(t, 30_000, 150_000, 3_000_000)
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
				s := auto.NewWheel[int]()
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
				bound := uint64(n/3840) + 2*auto.TimersPerTick
				if how == "moved" {
					// More slots are emptied ahead, and each share is rounded up.
					bound += auto.TimersPerTick
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
					if now%20_000 == 0 {
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
	s := auto.NewWheel[int]()
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
		s := auto.NewWheel[int]()
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
	s := auto.NewWheel[int]()
	for _, at := range []structures.Tick{20_077, 20_050, 20_099, 900_000} {
		s.Schedule(at, 0)
	}
	if at, ok := s.Next(); at != 20_050 || !ok {
		t.Errorf("Next() = %d, %t, want 20050", at, ok)
	}
}

// Random operations among many timers, the clock going by steps of all widths.
func TestManyTimersAgreeWithAMap(t *testing.T) {
	t.Parallel()
	for _, step := range []structures.Tick{1, 3, 40, 1000, 30_000} {
		t.Run(fmt.Sprint(step), func(t *testing.T) {
			t.Parallel()
			for _, few := range []int{0, 1000, auto.FewLimit} {
				agreeWithAMap(t, auto.NewFew[int](few), step, longtest.Scale(t, 200, 400, 10_000))
			}
		})
	}
}

func agreeWithAMap(t *testing.T, s *auto.Timers[int], step structures.Tick, steps int) {
	rng := rand.New(rand.NewPCG(3, uint64(step)))
	type timer struct {
		value    int
		deadline structures.Tick
	}
	pending := make(map[structures.ID]timer)
	var ids []structures.ID // those that were ever issued, and may be pending
	clock := structures.Tick(0)
	delay := func() structures.Tick { return 1 + structures.Tick(rng.Uint64()>>40>>rng.IntN(24)) }
	for now := range steps {
		for range rng.IntN(200) {
			deadline := clock + delay()
			if rng.IntN(2) == 0 {
				deadline = clock + 20*step // many at one tick
			}
			id := s.Schedule(deadline, now)
			pending[id] = timer{now, deadline}
			ids = append(ids, id)
		}
		for range min(rng.IntN(150), len(ids)) {
			i := rng.IntN(len(ids))
			id := ids[i]
			_, is := pending[id]
			if rng.IntN(2) == 0 {
				if got := s.Cancel(id); got != is {
					t.Fatalf("Cancel(%#x) = %t, want %t", id, got, is)
				}
				delete(pending, id)
				ids[i] = ids[len(ids)-1]
				ids = ids[:len(ids)-1]
				continue
			}
			deadline := clock + delay()
			if got := s.Reschedule(id, deadline); got != is {
				t.Fatalf("Reschedule(%#x) = %t, want %t", id, got, is)
			}
			if is {
				pending[id] = timer{pending[id].value, deadline}
			}
		}
		clock += 1 + structures.Tick(rng.Int64N(int64(2*step)))
		last := structures.Tick(0)
		for n := rng.IntN(400); n != 1; n-- { // mostly all that is due
			got, ok := s.Pop(clock)
			if !ok {
				break
			}
			if want, is := pending[got.ID]; !is || got.Value != want.value || got.Deadline != want.deadline || got.Deadline > clock || got.Deadline < last {
				t.Fatalf("Pop(%d) = %+v after deadline %d, want %+v, %t", clock, got, last, want, is)
			}
			last = got.Deadline
			delete(pending, got.ID)
		}
		if s.Len() != len(pending) {
			t.Fatalf("Len() = %d, want %d", s.Len(), len(pending))
		}
		if now%50 == 0 {
			mustBeSound(t, s)
		}
	}
	for got, ok := s.Pop(1 << 62); ok; got, ok = s.Pop(1 << 62) {
		if want, is := pending[got.ID]; !is || got.Deadline != want.deadline {
			t.Fatalf("fired %+v at the end, want %+v, %t", got, want, is)
		}
		delete(pending, got.ID)
	}
	if len(pending) > 0 {
		t.Errorf("%d timers did not fire", len(pending))
	}
}

func mustBeSound[T any](t *testing.T, s *auto.Timers[T]) {
	t.Helper()
	if err := s.CheckInvariants(); err != nil {
		t.Fatal(err)
	}
}
