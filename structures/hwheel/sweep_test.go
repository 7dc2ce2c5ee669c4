package hwheel

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/timerbench/timerbench/structures"
)

// chunksInUse returns how many chunks hold entries.
func chunksInUse[T any](w *Wheel[T]) int {
	n := max(0, int(w.entries.fresh)/chunkLen-1)
	for l := w.entries.free; l != 0; l = list(*w.entries.at(uint32(l))) {
		n--
	}
	return n
}

func TestDeadEntriesAreBounded(t *testing.T) {
	n, rounds := 20_000, 100_000
	if testing.Short() {
		n, rounds = 6000, 30_000
	}
	for name, p := range map[string]struct {
		timers int
		at     func(rng *rand.Rand) structures.Tick
		do     func(s *tracker, rng *rand.Rand, at structures.Tick)
	}{
		"all at one tick": {n, tick(1000), replaceAny},
		"one slot of level 2": {n, func(rng *rand.Rand) structures.Tick {
			return 1<<24 + structures.Tick(rng.IntN(1<<16))
		}, replaceAny},
		"spread":               {n, spread, replaceAny},
		"far":                  {n, tick(1 << 60), replaceAny},
		"cancelled for good":   {n, spread, func(s *tracker, rng *rand.Rand, _ structures.Tick) { s.cancelAny(rng) }},
		"moved earlier":        {n, tick(1 << 30), func(s *tracker, rng *rand.Rand, _ structures.Tick) { s.sooner(rng, 1) }},
		"one moved earlier":    {1, tick(1 << 30), func(s *tracker, rng *rand.Rand, _ structures.Tick) { s.sooner(rng, 1) }},
		"one moved about":      {1, tick(1 << 30), func(s *tracker, rng *rand.Rand, _ structures.Tick) { s.about(rng) }},
		"moved about":          {n, spread, func(s *tracker, rng *rand.Rand, _ structures.Tick) { s.about(rng) }},
		"away from the sweep":  {n, nearOrFar, elsewhere},
		"fired and cancelled":  {n, spread, fireAndCancel},
		"few among many slots": {100, spread, replaceAny},
	} {
		t.Run(name, func(t *testing.T) {
			rounds := rounds
			rng := rand.New(rand.NewPCG(17, 18))
			s := newTracker(t, New[int]())
			for range p.timers {
				s.schedule(p.at(rng))
			}
			s.w.insertArrivals()
			most, dead := s.w.inSlots, 0
			if p.timers == 1 {
				rounds = 100_000 // its stamps come round
			}
			for round := range rounds {
				if len(s.ids) == 0 {
					break
				}
				p.do(s, rng, p.at(rng))
				most = max(most, s.w.Len())
				dead = max(dead, s.w.dead)
				if bound := s.w.inSlots*3/4 + sweepFloor + most/64 + 2*maintainEvery; s.w.dead > bound {
					t.Fatalf("round %d: %d dead entries beside %d that count, want at most %d", round, s.w.dead, s.w.inSlots, bound)
				}
			}
			mustHold(t, s.w)
			slots := 0
			for level := range s.w.levels {
				slots += s.w.occupiedSlots[level]
			}
			if chunks, bound := chunksInUse(s.w), (s.w.inSlots+s.w.dead)/(chunkLen-1)+slots+1; chunks > bound {
				t.Fatalf("%d chunks for %d entries in %d slots", chunks, s.w.inSlots+s.w.dead, slots)
			}
			if dead < sweepFloor/2 && p.timers > 100 {
				t.Errorf("%d dead entries at most: the sweep was not tried", dead)
			}
			s.drain()
		})
	}
}

func tick(at structures.Tick) func(*rand.Rand) structures.Tick {
	return func(*rand.Rand) structures.Tick { return at }
}

func spread(rng *rand.Rand) structures.Tick {
	return structures.Tick(1 + rng.Uint64N(1<<(5+rng.IntN(40))))
}

func (s *tracker) cancelAny(rng *rand.Rand) { s.Helper(); s.cancel(rng.IntN(len(s.ids))) }

func replaceAny(s *tracker, rng *rand.Rand, at structures.Tick) {
	s.Helper()
	s.cancelAny(rng)
	s.schedule(at)
}

// sooner moves a timer to an earlier deadline, by a few ticks.
func (s *tracker) sooner(rng *rand.Rand, by structures.Tick) {
	s.Helper()
	id := s.ids[rng.IntN(len(s.ids))]
	s.reschedule(id, max(s.pending[id]-by, s.w.clock+1))
}

// about moves a timer far away and back.
func (s *tracker) about(rng *rand.Rand) {
	s.Helper()
	id := s.ids[rng.IntN(len(s.ids))]
	at := s.pending[id]
	s.reschedule(id, at+1<<40)
	s.reschedule(id, at)
}

// elsewhere replaces a timer that is not where the sweep is, but where it has been
// or will be in a while: half of the timers are in either of two slots.
func elsewhere(s *tracker, rng *rand.Rand, _ structures.Tick) {
	s.Helper()
	near, far := structures.Tick(1000), structures.Tick(1<<40)
	at := near
	if slot, _ := s.w.slotFor(near, 0); s.w.sweeper.slot == slot {
		at = far
	}
	for range 50 {
		if i := rng.IntN(len(s.ids)); s.pending[s.ids[i]] == at {
			s.cancel(i)
			s.schedule(at)
			return
		}
	}
}

func nearOrFar(rng *rand.Rand) structures.Tick {
	return []structures.Tick{1000, 1 << 40}[rng.IntN(2)]
}

func fireAndCancel(s *tracker, rng *rand.Rand, at structures.Tick) {
	s.Helper()
	if rng.IntN(4) == 0 {
		next, _ := s.w.Next()
		s.pop(next, 1)
		return
	}
	s.cancelAny(rng)
}

// sweepIn puts n timers at a tick, cancels a third of them, and starts to sweep
// their slot. The sweep has kept some of them by then, or none.
func sweepIn(t *testing.T, g geometry, at structures.Tick, n int, kept bool) *tracker {
	t.Helper()
	s := newTracker(t, newWheel[int](g))
	for range n {
		s.schedule(at)
	}
	s.w.insertArrivals()
	for range n / 3 {
		s.cancel(len(s.ids) - 1) // the sweep starts with the last ones
	}
	for i := range 5 {
		s.cancel(i) // and comes to the first ones at the end
	}
	if kept {
		s.w.sweep(n / 2)
	} else {
		s.w.sweep(n / 6)
	}
	if s.w.sweeper.rest == 0 || s.w.dead == 0 || s.w.lists[s.w.sweeper.slot] != 0 != kept {
		t.Fatal("the sweep is not half way")
	}
	mustHold(t, s.w)
	return s
}

func TestSweepInterrupted(t *testing.T) {
	const n = 600
	for name, do := range map[string]func(s *tracker, at structures.Tick){
		"Pop":           func(s *tracker, at structures.Tick) { s.pop(at, 1) },
		"Pop of all":    func(s *tracker, at structures.Tick) { s.pop(at, math.MaxInt) },
		"Pop before it": func(s *tracker, at structures.Tick) { s.pop(at-1, 1) },
		"Next":          func(s *tracker, _ structures.Tick) { s.w.Next() },
		"Schedule":      func(s *tracker, at structures.Tick) { s.schedule(at); s.w.insertArrivals() },
		"Schedule before it": func(s *tracker, at structures.Tick) {
			s.schedule(at - 1)
			s.pop(at, 2)
		},
		"Reschedule to later": func(s *tracker, at structures.Tick) {
			for i := range n / 3 {
				s.reschedule(s.ids[i], at+structures.Tick(i)*100)
			}
		},
		"Reschedule of all to later": func(s *tracker, at structures.Tick) {
			for i, id := range s.ids {
				s.reschedule(id, 2*at+structures.Tick(i))
			}
			s.w.Next()
		},
		"Reschedule to earlier": func(s *tracker, at structures.Tick) {
			for i := range n / 3 {
				s.reschedule(s.ids[i], at-1)
				s.reschedule(s.ids[i], at)
				s.reschedule(s.ids[i], at-1-structures.Tick(i)%(at/2))
			}
		},
		"Cancel of all": func(s *tracker, _ structures.Tick) {
			for len(s.ids) > 0 {
				s.cancel(0)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			for _, shape := range shapes {
				for _, at := range []structures.Tick{2, 7, 200, 3000, 100_000, 1 << 24} {
					for _, kept := range []bool{false, true} {
						s := sweepIn(t, newGeometry(shape.fine, shape.ring), at, n, kept)
						do(s, at)
						mustHold(t, s.w)
						s.drain()
					}
				}
			}
		})
	}
}

// To serve, cascade or look into another slot leaves the sweep where it is: to end
// it at once might be a long call.
func TestOtherSlotsLeaveTheSweepAlone(t *testing.T) {
	s := sweepIn(t, newGeometry(8, 12), 1<<24, 3000, true)
	rest := s.w.sweeper.rest
	s.schedule(100)
	s.schedule(600)
	s.schedule(1 << 20)
	for _, want := range []structures.Tick{100, 600, 1 << 20} {
		if at, _ := s.w.Next(); at != want || s.pop(at, math.MaxInt) != 1 {
			t.Fatalf("Next() = %d, want %d", at, want)
		}
	}
	if s.w.sweeper.rest != rest {
		t.Error("the sweep has gone on")
	}
	mustHold(t, s.w)
	s.drain()
}

// The sweep goes through all slots in turn, and no more often than it takes.
func TestSweepGoesRound(t *testing.T) {
	for _, shape := range shapes {
		s := newTracker(t, newWheel[int](newGeometry(shape.fine, shape.ring)))
		for bits := range 60 {
			for range 20 {
				s.schedule(1<<bits + structures.Tick(len(s.ids)%3))
			}
		}
		s.w.insertArrivals()
		left := len(s.ids) / 2
		for i := range left {
			s.cancel(i) // some of every slot
		}
		dead := s.w.dead
		if dead != left {
			t.Fatalf("%d dead entries of %d cancelled timers, before any sweep", dead, left)
		}
		entries := s.w.inSlots + dead
		s.w.sweeper.slot = len(s.w.lists) / 2
		for swept := 0; s.w.dead > 0; swept += s.w.sweepChunk() {
			if swept > entries {
				t.Fatalf("%d dead entries are left after a look at %d of %d", s.w.dead, swept, entries)
			}
		}
		mustHold(t, s.w)
		if got := s.w.Work().Dropped; got != uint64(dead) {
			t.Errorf("%d entries dropped, want %d", got, dead)
		}
		s.drain()
	}
}

// Where all entries are staged or about to be, there is nothing to sweep.
func TestSweepOfNothing(t *testing.T) {
	s := newTracker(t, New[int]())
	const n = 4 * sweepFloor
	for range n {
		s.schedule(10)
	}
	s.pop(10, 1)
	for len(s.ids) > 1 {
		s.cancel(len(s.ids) / 2)
	}
	if s.w.dead != n-2 {
		t.Fatalf("%d dead entries, want %d", s.w.dead, n-2)
	}
	mustHold(t, s.w)
	if got := s.pop(10, math.MaxInt); got != 1 || s.w.dead != 0 {
		t.Fatalf("%d timers fired, and %d dead entries are left", got, s.w.dead)
	}
}

// No call sweeps more than it may: a few chunks in eight cancels.
func TestSweepIsALittleAtATime(t *testing.T) {
	const n = 100_000
	s := newTracker(t, New[int]())
	for range n {
		s.schedule(1000)
	}
	s.w.insertArrivals()
	for s.w.dead < s.w.inSlots/2 { // until there is something to sweep
		s.cancel(len(s.ids) - 1)
	}
	before, swept := s.w.Work().Dropped, 0
	for range 2 * n / 10 {
		s.cancel(len(s.ids) - 1)
		now := s.w.Work().Dropped
		if now-before > maintainEvery*sweepSpeed+chunkLen {
			t.Fatalf("one Cancel has taken %d dead entries away", now-before)
		}
		if now > before {
			swept++
		}
		before = now
	}
	if swept == 0 || swept > 2*n/10/maintainEvery {
		t.Errorf("%d of %d cancels have swept", swept, 2*n/10)
	}
}

// As timers fire there are fewer live ones, and the dead ones elsewhere have to go.
func TestFiringSweepsToo(t *testing.T) {
	s := newTracker(t, New[int]())
	const n = 8000
	for range n {
		s.schedule(1000)
	}
	for range n {
		s.schedule(1 << 30)
	}
	s.w.insertArrivals()
	for s.w.dead < s.w.inSlots/2 {
		s.cancel(len(s.ids) - 1) // one of the far ones
	}
	for s.pop(1000, 20) == 20 {
		if bound := s.w.inSlots*3/4 + sweepFloor + stageLen; s.w.dead > bound {
			t.Fatalf("%d dead entries beside %d that count, want at most %d", s.w.dead, s.w.inSlots, bound)
		}
	}
	mustHold(t, s.w)
}
