package auto_test

import (
	"math"
	"testing"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/auto"
	"github.com/timerbench/timerbench/structures/internal/checking"
)

// A record is not used again after its last generation, wherever its last timer leaves.
// So no ID is issued twice.
func TestExhaustedRecordsAreNotUsedAgain(t *testing.T) {
	const delay = 100
	cancel := func(s *auto.Timers[int], ids []structures.ID) {
		for _, id := range ids {
			if !s.Cancel(id) {
				panic("a pending timer was refused")
			}
		}
	}
	for name, leave := range map[string]func(s *auto.Timers[int], ids []structures.ID, now structures.Tick){
		"cancelled in the arrival buffer": func(s *auto.Timers[int], ids []structures.ID, _ structures.Tick) { cancel(s, ids) },
		"cancelled in a slot": func(s *auto.Timers[int], ids []structures.ID, _ structures.Tick) {
			s.Next()
			cancel(s, ids)
			s.Next()
		},
		"cancelled while due": func(s *auto.Timers[int], ids []structures.ID, now structures.Tick) {
			s.Pop(now + delay)
			for _, id := range ids {
				s.Cancel(id)
			}
		},
		"cancelled and replaced": func(s *auto.Timers[int], ids []structures.ID, now structures.Tick) {
			s.Next()
			for i, id := range ids {
				s.Cancel(id)
				ids[i] = s.Schedule(now+delay, 0)
			}
			cancel(s, ids)
		},
		"moved and cancelled": func(s *auto.Timers[int], ids []structures.ID, now structures.Tick) {
			s.Next()
			s.Reschedule(ids[0], now+1)
			s.Reschedule(ids[1], now+2*delay)
			cancel(s, ids)
		},
		"fired": func(s *auto.Timers[int], _ []structures.ID, now structures.Tick) {
			for range structures.Due(s, now+delay) {
			}
		},
	} {
		for mode, few := range map[string]int{"lists": auto.FewLimit, "wheel": 0} {
			t.Run(name+" in the "+mode, func(t *testing.T) {
				s := auto.NewFew[int](few)
				s.UseUp(3)
				issued := make(map[structures.ID]bool)
				usedUp := make(map[uint32]bool)
				exhausted := 0
				for now := structures.Tick(0); now < 100*delay; now += delay {
					for range structures.Due(s, now) {
					}
					ids := make([]structures.ID, 40)
					for i := range ids {
						id := s.Schedule(now+delay, 0)
						if issued[id] || id>>32 == 0 || usedUp[uint32(id)] {
							t.Fatalf("ID %#x was issued again", id)
						}
						if id>>32 == math.MaxUint32 {
							exhausted++
							usedUp[uint32(id)] = true
						}
						issued[id] = true
						ids[i] = id
					}
					leave(s, ids, now)
					for _, id := range ids {
						if s.Cancel(id) || s.Reschedule(id, now+1) || s.Cancel(id+1<<32) || s.Cancel(id&math.MaxUint32) || s.Reschedule(id&math.MaxUint32, now) {
							t.Fatalf("ID %#x, its successor or its generation 0 is pending", id)
						}
					}
					checking.Sound(t, s)
				}
				if exhausted < 32 {
					t.Errorf("%d records were used up, want 32", exhausted)
				}
			})
		}
	}
}

// A record whose last timer was cancelled stays in its list, and does not move to the wheel with the timers.
func TestExhaustedRecordsDoNotMoveToTheWheel(t *testing.T) {
	const limit = 100
	s := auto.NewFew[int](limit)
	s.UseUp(1)
	for range 32 {
		s.Cancel(s.Schedule(1000, 0))
	}
	for n := 1; n <= limit+1 || s.Changing(); n++ {
		if s.Schedule(structures.Tick(2000+n), 0); s.Len() != n {
			t.Fatalf("%d timers, want %d", s.Len(), n)
		}
		checking.Sound(t, s)
	}
	if at, _ := s.Next(); at != 2001 {
		t.Errorf("Next() = %d, want 2001", at)
	}
}
