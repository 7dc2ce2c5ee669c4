package auto_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/timerbench/timerbench/internal/longtest"
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/auto"
)

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
