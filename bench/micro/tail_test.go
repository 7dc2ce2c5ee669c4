package micro

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/catalog"
)

// slow takes a second for some of its calls.
type slow struct {
	structures.Scheduler[uint64]
	calls int
	slow  func(call int) bool
}

func (s *slow) wait() {
	if s.calls++; s.slow(s.calls) {
		time.Sleep(time.Second)
	}
}

func (s *slow) Schedule(deadline structures.Tick, value uint64) structures.ID {
	s.wait()
	return s.Scheduler.Schedule(deadline, value)
}

func (s *slow) Cancel(id structures.ID) bool {
	s.wait()
	return s.Scheduler.Cancel(id)
}

func (s *slow) Reschedule(id structures.ID, deadline structures.Tick) bool {
	s.wait()
	return s.Scheduler.Reschedule(id, deadline)
}

func (s *slow) Pop(now structures.Tick) (structures.Timer[uint64], bool) {
	s.wait()
	return s.Scheduler.Pop(now)
}

// A call that takes long in each round counts, and one that is interrupted in some
// rounds does not.
func TestACallCountsWithTheShortestTime(t *testing.T) {
	q := sequenceOf(t, TailWorkload(), 1000, 2, 3000)
	for _, c := range []struct {
		what      string
		slow      func(round, call int) bool
		p999, max time.Duration
	}{
		{"a call of each round", func(_, call int) bool { return call == 1234 }, 0, time.Second},
		{"the first call", func(_, call int) bool { return call == 1 }, 0, time.Second},
		{"every 500th call", func(_, call int) bool { return call%500 == 0 }, time.Second, time.Second},
		{"other calls in each round", func(round, call int) bool { return call%10 == round }, 0, 0},
		{"the first two rounds", func(round, _ int) bool { return round < 2 }, 0, 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			round := -1
			e := catalog.Entry{Name: "slow", New: func() structures.Scheduler[uint64] {
				round++
				r := round
				return &slow{Scheduler: newHeap(), slow: func(call int) bool { return c.slow(r, call) }}
			}}
			tails, err := q.MeasureTails(t.Context(), []catalog.Entry{e})
			if err != nil {
				t.Fatal(err)
			}
			got := tails[0]
			if got.Structure != "slow" || got.Calls < 7000 || got.P999 != float64(c.p999) || got.Max != float64(c.max) {
				t.Errorf("%s slow: %+v, want p99.9 %d and %d at most", c.what, got, c.p999, c.max)
			}
		})
	}
}
