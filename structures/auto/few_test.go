package auto_test

import (
	"math/rand/v2"
	"testing"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/auto"
	"github.com/timerbench/timerbench/structures/internal/checking"
)

// The wheel begins with the first timer too many, and ends when an eighth is left, whether
// timers are cancelled, moved or fire.
func TestTheNumberOfTimersDecidesBetweenListsAndWheel(t *testing.T) {
	const limit = 800
	for name, leave := range map[string]func(s *auto.Timers[int], ids []structures.ID, now structures.Tick){
		"cancelled": func(s *auto.Timers[int], ids []structures.ID, now structures.Tick) {
			for s.Changing() {
				s.Cancel(s.Schedule(now+1_000_000, 0))
			}
			for _, id := range ids[20:] {
				s.Cancel(id)
			}
			s.Pop(now)
		},
		"cancelled while they move": func(s *auto.Timers[int], ids []structures.ID, now structures.Tick) {
			for _, id := range ids[20:] {
				s.Cancel(id)
			}
			s.Pop(now)
		},
		"fired": func(s *auto.Timers[int], ids []structures.ID, now structures.Tick) {
			for _, id := range ids[:20] {
				s.Reschedule(id, now+2_000_000)
			}
			for range structures.Due(s, now+1_000_000) {
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := auto.NewFew[int](limit)
			rng := rand.New(rand.NewPCG(5, 6))
			var ids []structures.ID
			for cycle := range 3 {
				now := structures.Tick(cycle * 2_000_000)
				for s.Len() < limit {
					if s.Many() {
						t.Fatalf("cycle %d: %d timers are in the wheel, up to %d should be in lists", cycle, s.Len(), limit)
					}
					ids = append(ids, s.Schedule(now+structures.Tick(1+rng.IntN(1_000_000)), 0))
				}
				checking.Sound(t, s)
				ids = append(ids, s.Schedule(now+500, 0))
				if !s.Many() {
					t.Fatalf("cycle %d: %d timers are in lists, up to %d should be", cycle, s.Len(), limit)
				}
				checking.Sound(t, s)
				leave(s, ids, now)
				if s.Many() {
					t.Fatalf("cycle %d: %d timers are in the wheel", cycle, s.Len())
				}
				checking.Sound(t, s)
				ids = ids[:20]
				for _, id := range ids {
					if !s.Cancel(id) {
						t.Fatalf("cycle %d: a timer that is left is not pending", cycle)
					}
				}
				ids = ids[:0]
			}
		})
	}
}

// Between the two limits the timers stay where they are. Otherwise a number that goes up and
// down around one of them would move all timers each time.
func TestTheWheelStaysUntilAnEighthIsLeft(t *testing.T) {
	const limit = 800
	s := auto.NewFew[int](limit)
	var ids []structures.ID
	for i := range limit + 1 {
		ids = append(ids, s.Schedule(structures.Tick(1000+i), 0))
	}
	for s.Changing() {
		s.Cancel(ids[0]) // fewer than the limit before all are in the wheel
		ids = ids[1:]
		s.Pop(1)
	}
	for _, id := range ids {
		s.Cancel(id)
		s.Pop(1)
		if want := s.Len() >= limit/8; s.Many() != want {
			t.Fatalf("%d timers are in the wheel: %t, want %t", s.Len(), s.Many(), want)
		}
	}
	checking.Sound(t, s)
}

// No call looks at many more timers than were pending at once, whatever was cancelled or moved
// before.
func TestFreeRecordsDoNotPileUpInLists(t *testing.T) {
	s := auto.New[int]()
	rng := rand.New(rand.NewPCG(7, 8))
	now := structures.Tick(0)
	const most = 1000
	for round := range 200 {
		size := most >> (round % 8)
		var ids []structures.ID
		for range size {
			ids = append(ids, s.Schedule(now+1+structures.Tick(rng.IntN(60_000)), 0))
		}
		for _, id := range ids {
			s.Reschedule(id, now+1+structures.Tick(rng.IntN(60_000)))
			if rng.IntN(4) > 0 {
				s.Cancel(id)
			}
		}
		for range 50 {
			now++
			before := s.Work()
			s.Pop(now)
			did := s.Work().Sub(before)
			if n := did.Moved + did.Dropped; n > 4*2*most {
				t.Fatalf("round %d: Pop did %+v among %d timers, want at most %d moves", round, did, s.Len(), 4*2*most)
			}
		}
		checking.Sound(t, s)
	}
}

// Timers are in the array while scans cost little: up to 32, or up to 512 that seldom fire.
func TestTheArrayStaysWhileScansCostLittle(t *testing.T) {
	for n, delay := range map[int]structures.Tick{10: 50, 32: 50, 200: 5000, 512: 20_000, 513: 0, 100: 50} {
		s, ids := auto.New[int](), make([]structures.ID, n)
		for i := range 20_000 {
			now, at := structures.Tick(i), i*7919%n
			for range structures.Due(s, now) {
			}
			if !s.Reschedule(ids[at], now+delay+structures.Tick(i*31%100)) {
				ids[at] = s.Schedule(now+delay+structures.Tick(i*31%100), 0)
			}
		}
		if want := n != 513 && n != 100; s.InPile() != want || want && s.Work().Comparisons > 20_000*20 {
			t.Errorf("%d timers: in the array: %t, want %t, after %+v", n, s.InPile(), want, s.Work())
		}
		checking.Sound(t, s)
	}
}

// Scans make at most 8 comparisons for each timer that comes or moves, whichever calls scan: Next after each move of the first timer to
// the end, or Pop of one timer after the other. The credit of an empty array is 16 thousand comparisons.
func TestScansStayWithinTheirCredit(t *testing.T) {
	const n, credit = 500, 1 << 14
	for name, act := range map[string]func(s *auto.Timers[int], id structures.ID, i int){
		"moves": func(s *auto.Timers[int], id structures.ID, i int) { s.Reschedule(id, structures.Tick(2*n+i)) },
		"moves and Pop": func(s *auto.Timers[int], id structures.ID, i int) {
			s.Reschedule(id, structures.Tick(2*n+i))
			s.Pop(structures.Tick(n + i))
		},
		"Pop": func(s *auto.Timers[int], _ structures.ID, i int) { s.Pop(2 * n) },
	} {
		s, ids, moves := auto.New[int](), [n]structures.ID{}, 100_000
		for i := range ids {
			ids[i] = s.Schedule(structures.Tick(n+i*7%n), i)
		}
		if name == "Pop" {
			moves = 0
		}
		before := s.Work()
		for i := range max(moves, n) {
			act(s, ids[i*143%n], i) // 7*143 is 1 more than a multiple of n
			s.Next()
		}
		if did := s.Work().Sub(before).Comparisons; did > credit+8*uint64(moves+n) {
			t.Errorf("%s: %d comparisons, want at most %d and 8 for each of %d timers and %d moves", name, did, credit, n, moves)
		}
		checking.Sound(t, s)
	}
}

// A burst that is cancelled leaves places without timers in the array. They are removed when scans cost too much, so ten timers stay
// there. Bursts that fire again and again go to lists.
func TestScansDoNotPayForBursts(t *testing.T) {
	s := auto.New[int]()
	var ids []structures.ID
	for range 400 {
		ids = append(ids, s.Schedule(1_000_000_000, 0))
	}
	for _, id := range ids {
		s.Cancel(id)
	}
	now := structures.Tick(0)
	fire := func(rounds, timers int) {
		for range rounds {
			for k := range timers {
				s.Schedule(now+structures.Tick(1+k*7919%1000), 0)
			}
			now += 1000
			for range structures.Due(s, now) {
			}
		}
		checking.Sound(t, s)
	}
	fire(2000, 10)
	if did := s.Work().Comparisons; !s.InPile() || did > 2000*10*16 {
		t.Errorf("ten timers after a burst: in the array: %t, want true; %d comparisons", s.InPile(), did)
	}
	if fire(100, 100); s.InPile() {
		t.Error("bursts that fire are in the array")
	}
}
