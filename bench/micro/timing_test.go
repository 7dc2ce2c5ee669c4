package micro

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/catalog"
)

// slow takes a given time for each of its calls, counted from 1.
type slow struct {
	structures.Scheduler[uint64]
	calls int
	time  func(call int) time.Duration
}

func (s *slow) wait() {
	s.calls++
	time.Sleep(s.time(s.calls))
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

// Figures are times per unit, and the first block does not count.
func TestAFigureIsTheTimeOfAUnit(t *testing.T) {
	for name, want := range map[string]time.Duration{
		"start-stop": 2 * time.Millisecond, "churn": 2 * time.Millisecond, "reschedule": time.Millisecond,
	} {
		const n, size = 100, 100
		q := sequenceOf(t, find(name)[0], n, 2, size)
		synctest.Test(t, func(t *testing.T) {
			e := catalog.Entry{Name: "slow", New: func() structures.Scheduler[uint64] {
				return &slow{Scheduler: newHeap(), time: func(call int) time.Duration {
					if call <= n+size {
						return time.Second
					}
					return time.Millisecond
				}}
			}}
			figures, err := q.Measure(t.Context(), []catalog.Entry{e})
			if err != nil {
				t.Fatal(err)
			}
			if got := figures[len(figures)-1]; got.Structure != "slow" || got.NS != float64(want) {
				t.Errorf("%s: %+v, want %d", name, got, want)
			}
		})
	}
}

// A call that takes long in each round counts, and one that is interrupted in some
// rounds does not.
func TestACallCountsWithTheShortestTime(t *testing.T) {
	q := sequenceOf(t, TailWorkloads()[0], 1000, 2, 3000)
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
				return &slow{Scheduler: newHeap(), time: func(call int) time.Duration {
					if c.slow(r, call) {
						return time.Second
					}
					return 0
				}}
			}}
			tails, err := q.MeasureTails(t.Context(), []catalog.Entry{e})
			if err != nil {
				t.Fatal(err)
			}
			got := tails[0]
			if got.Structure != "slow" || got.Calls < 7000 || got.P999 != float64(c.p999) || got.Max().NS != float64(c.max) {
				t.Errorf("%s slow: %+v, want p99.9 %d and %d at most", c.what, got, c.p999, c.max)
			}
		})
	}
}
