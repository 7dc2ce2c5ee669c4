package whitebox

import (
	"math/rand/v2"
	"slices"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/checking"
)

// Removals checks that any timer can be removed from structures of every size up
// to most timers: each is cancelled in turn, and moved to the front, to the end and in
// between. It is meant for arrays in which the last entry takes the place of one
// that is removed. It makes 2 most² of them.
func Removals(r checking.T, most int, newScheduler func() structures.Scheduler[uint64]) {
	r.Helper()
	const end = 1 << 20
	rng := rand.New(rand.NewPCG(1, 2))
	for n := 1; n <= most; n++ {
		for victim := range n {
			for _, to := range []structures.Tick{0, 1, end / 2, end} { // 0: cancel
				s := newScheduler()
				var want []structures.Tick
				var ids []structures.ID
				for i := range n {
					want = append(want, structures.Tick(2+rng.Int64N(end-2)))
					ids = append(ids, s.Schedule(want[i], uint64(i)))
				}
				if to == 0 {
					want = slices.Delete(want, victim, victim+1)
					s.Cancel(ids[victim])
				} else {
					want[victim] = to
					s.Reschedule(ids[victim], to)
				}
				if c, ok := s.(Checked); ok {
					if err := c.CheckInvariants(); err != nil {
						r.Fatalf("%d timers, number %d moved to %d (0: cancelled): %v", n, victim, to, err)
					}
				}
				var got []structures.Tick
				for timer := range structures.Due(s, end) {
					got = append(got, timer.Deadline)
				}
				if slices.Sort(want); !slices.Equal(got, want) {
					r.Fatalf("%d timers, number %d moved to %d (0: cancelled): fired at %d, want %d", n, victim, to, got, want)
				}
			}
		}
	}
}

// CancelsBatched checks a structure on batches that keeps some timers in no list: timers
// due at far, of which there are two. They are moved until their places in the batch are
// beyond the slots, and cancelled together.
func CancelsBatched(r checking.T, far structures.Tick, s structures.Scheduler[int]) {
	r.Helper()
	a, b := s.Schedule(far, 0), s.Schedule(far+1, 1)
	for i := range structures.Tick(10) {
		s.Reschedule(a, far+i)
		s.Reschedule(b, far+i+1)
	}
	s.Next()
	if !s.Cancel(a) || !s.Cancel(b) {
		r.Fatalf("not pending")
	}
	if t, ok := s.Pop(far + 20); ok || s.Len() != 0 {
		r.Fatalf("Pop = %+v, %t, with %d timers pending, want none", t, ok, s.Len())
	}
}
