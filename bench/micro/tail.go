package micro

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"time"

	"github.com/timerbench/timerbench/bench/workload"
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/catalog"
)

// Tail is how long single calls take, in nanoseconds. One reading of the clock is in
// each.
type Tail struct {
	Structure string
	Calls     int
	P999, Max float64
}

// TailWorkload returns the workload that MeasureTails is made for: timers that fire, are
// cancelled and are moved.
func TailWorkload() workload.Workload { return find("cancel-hold-50")[0] }

// tailRounds is how often a sequence is gone through. A call that takes long because
// of what it has to do takes long each time. One that the machine has interrupted
// does not. So each call counts with the shortest time that it took.
const tailRounds = 3

// MeasureTails times every call of a sequence by itself, those that fill the structure
// included.
func (q *Sequence) MeasureTails(ctx context.Context, entries []catalog.Entry) ([]Tail, error) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	var out []Tail
	for _, e := range entries {
		var shortest []uint32
		for range tailRounds {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			runtime.GC()
			took, err := q.stamp(e)
			if err != nil {
				return nil, err
			}
			if shortest == nil {
				shortest = took
			}
			if len(took) != len(shortest) {
				return nil, fmt.Errorf("%s on %s: %d calls, and %d in the round before", e.Name, q.Workload.Name, len(took), len(shortest))
			}
			for i, ns := range took {
				shortest[i] = min(shortest[i], ns)
			}
		}
		slices.Sort(shortest)
		n := len(shortest)
		out = append(out, Tail{e.Name, n, float64(shortest[n*999/1000]), float64(shortest[n-1])})
	}
	return out, nil
}

// stamp returns what each call took.
func (q *Sequence) stamp(e catalog.Entry) ([]uint32, error) {
	s := &stamped{Scheduler: e.New()}
	e.New = func() structures.Scheduler[uint64] { return s }
	r, err := q.start(e)
	for i := 0; err == nil && i < len(q.blocks); i++ {
		_, err = r.time(i)
	}
	return s.took, err
}

// stamped is a structure whose calls are timed.
type stamped struct {
	structures.Scheduler[uint64]
	took []uint32 // ns
}

func (s *stamped) add(start time.Time) {
	s.took = append(s.took, uint32(min(time.Since(start), 1<<32-1)))
}

func (s *stamped) Schedule(deadline structures.Tick, value uint64) structures.ID {
	start := time.Now()
	id := s.Scheduler.Schedule(deadline, value)
	s.add(start)
	return id
}

func (s *stamped) Reschedule(id structures.ID, deadline structures.Tick) bool {
	start := time.Now()
	ok := s.Scheduler.Reschedule(id, deadline)
	s.add(start)
	return ok
}

func (s *stamped) Cancel(id structures.ID) bool {
	start := time.Now()
	ok := s.Scheduler.Cancel(id)
	s.add(start)
	return ok
}

func (s *stamped) Pop(now structures.Tick) (structures.Timer[uint64], bool) {
	start := time.Now()
	t, ok := s.Scheduler.Pop(now)
	s.add(start)
	return t, ok
}
