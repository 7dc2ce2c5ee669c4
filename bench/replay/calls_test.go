package replay

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/bench/workload"
	"github.com/timerbench/timerbench/internal/fail"
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/minheap"
)

// slow takes a given time for each of its calls, counted from 1.
type slow struct {
	structures.Scheduler[uint64]
	calls int
	took  func(call int) time.Duration
}

func (s *slow) wait() {
	s.calls++
	time.Sleep(s.took(s.calls))
}

func (s *slow) Schedule(deadline structures.Tick, value uint64) structures.ID {
	s.wait()
	return s.Scheduler.Schedule(deadline, value)
}

func (s *slow) Reschedule(id structures.ID, deadline structures.Tick) bool {
	s.wait()
	return s.Scheduler.Reschedule(id, deadline)
}

func (s *slow) Cancel(id structures.ID) bool {
	s.wait()
	return s.Scheduler.Cancel(id)
}

func (s *slow) Pop(now structures.Tick) (structures.Timer[uint64], bool) {
	s.wait()
	return s.Scheduler.Pop(now)
}

// on begins the next round on a scheduler.
func (w *watch) on(s structures.Scheduler[uint64]) structures.Scheduler[uint64] {
	timers := newByID(s)
	w.begin(timers)
	return timers
}

// rounds makes six calls in each of some rounds, with the times of tables.
func rounds(w *watch, times [][]time.Duration) {
	for _, times := range times {
		s := w.on(&slow{minheap.New[uint64](), 0, func(call int) time.Duration { return times[call-1] }})
		a, b := s.Schedule(5, 1), s.Schedule(6, 2)
		s.Reschedule(a, 7)
		s.Pop(3)
		s.Pop(6)
		if !s.Cancel(a) || s.Cancel(b) {
			panic("the scheduler does not get the calls")
		}
	}
}

// Each call counts with its shortest time, and the longest call of each operation is
// named with the tick of its clock.
func TestTheLongestCallOfEachOperation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &watch{rounds: 3, tick: 100}
		rounds(w, [][]time.Duration{
			{10, 20, 30, 9000, 50, 60, 5},
			{8000, 20, 31, 40, 50, 60, 5},
			{11, 21, 7000, 41, 51, 90, 5},
		})
		got := w.result()
		want := []results.LongestCall{
			{Operation: results.Schedule, NS: 20, At: 0}, {Operation: results.Cancel, NS: 60, At: 6},
			{Operation: results.Reschedule, NS: 30, At: 0}, {Operation: results.Pop, NS: 50, At: 6},
		}
		// The last Pop, at tick 6, follows one at tick 3 that ends 70 ns after it.
		fail.UnlessSame(t, "the lag", got.Lag, 50)
		if !slices.Equal(got.Longest, want) || got.Calls != 7 || got.Rounds != 3 {
			t.Errorf("%+v, want %+v", got, want)
		}
		fail.UnlessSame(t, "the longest", got.Max(), want[1])
	})
}

// once is a model whose fill fires its three timers. Each step fires one more.
type once struct{ handMade }

func (once) New(int, time.Duration) script.Process { return once{} }

func (once) Step(w *script.Writer, _ *script.Rand) {
	at := w.Now() + 1
	w.Schedule(at)
	w.Advance(at)
}

// The calls end with the block in which the last of the timers fires.
func TestSingleCallsEndWithTheLastTimer(t *testing.T) {
	k, err := Calls{Workload: workload.Workload{Model: once{}}, N: 3, Block: 1}.write(t.Context())
	fail.If(t, err)
	fail.UnlessSame(t, "blocks", len(k.blocks), 1)
}
