package replay

import (
	"time"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/structures"
)

// sampleEvery is the distance between two timed operations. It shares no factor with the periods of the
// workloads (pairs, bursts of 32), so the sample contains all kinds of operations.
const sampleEvery = 5

// Sample replays a block and times each call of every fifth operation.
func (i *Instance) Sample(b *script.Block, into *Latencies) {
	i.reserve(b)
	var sampled script.Kind
	stamp := i.stamped(func(c call) {
		kind := sampled
		if c.operation == results.Pop {
			kind = script.KindWake
			if c.ok {
				kind = script.KindFire
			}
		}
		into.record(kind, c.took)
	})
	operations := 0
	for kind, op := range b.All() {
		operations++
		sampled = kind
		stamp(operations%sampleEvery == 0)
		i.doOne(kind, op)
	}
	stamp(false)
	i.note(b)
}

// call is a timed call. Its duration includes one reading of the clock.
type call struct {
	operation results.Operation
	took      time.Duration
	at        structures.Tick // the argument of Pop
	ok        bool            // the answer
}

// stopwatch passes timed calls on.
type stopwatch struct {
	epoch  time.Time
	called func(call)
}

func (w *stopwatch) now() time.Duration { return time.Since(w.epoch) }

func (w *stopwatch) pop(s pops, now structures.Tick) (structures.Timer[uint64], bool) {
	start := w.now()
	t, ok := s.Pop(now)
	w.called(call{results.Pop, w.now() - start, now, ok})
	return t, ok
}

type stamped struct {
	structures.Scheduler[uint64]
	stopwatch
}

func (r *byID) stamped(called func(call)) func(on bool) {
	plain, timed := r.Scheduler, &stamped{r.Scheduler, stopwatch{time.Now(), called}}
	return func(on bool) {
		if r.Scheduler = plain; on {
			r.Scheduler = timed
		}
	}
}

func (s *stamped) Schedule(deadline structures.Tick, value uint64) structures.ID {
	start := s.now()
	id := s.Scheduler.Schedule(deadline, value)
	s.called(call{operation: results.Schedule, took: s.now() - start})
	return id
}

func (s *stamped) Reschedule(id structures.ID, deadline structures.Tick) bool {
	start := s.now()
	ok := s.Scheduler.Reschedule(id, deadline)
	s.called(call{operation: results.Reschedule, took: s.now() - start})
	return ok
}

func (s *stamped) Cancel(id structures.ID) bool {
	start := s.now()
	ok := s.Scheduler.Cancel(id)
	s.called(call{operation: results.Cancel, took: s.now() - start})
	return ok
}

func (s *stamped) Pop(now structures.Tick) (structures.Timer[uint64], bool) {
	return s.pop(s.Scheduler, now)
}
