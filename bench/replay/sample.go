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
func (r *replayer) Sample(b *script.Block, into *Latencies) {
	r.Reserve(b)
	if r.form != nil {
		r.sampleForm(b, into)
		return
	}
	var sampled script.Kind
	plain := r.s
	stamped := &timed{Scheduler: plain, epoch: time.Now(), called: func(c call) {
		kind := sampled
		if c.operation == results.Pop {
			kind = script.KindWake
			if c.ok {
				kind = script.KindFire
			}
		}
		into.record(kind, c.took)
	}}
	operations := 0
	for kind, op := range b.All() {
		if operations++; operations%sampleEvery == 0 {
			sampled, r.s = kind, stamped
		}
		r.doOne(kind, op)
		r.s = plain
	}
}

// timed is a scheduler that times each call. A duration includes one reading of the clock.
type timed struct {
	structures.Scheduler[uint64]
	epoch  time.Time
	called func(call)
}

// call is a timed call.
type call struct {
	operation results.Operation
	took      time.Duration
	now       structures.Tick // the argument of Pop
	ok        bool            // the answer
}

func (s *timed) Schedule(deadline structures.Tick, value uint64) structures.ID {
	start := time.Since(s.epoch)
	id := s.Scheduler.Schedule(deadline, value)
	s.called(call{operation: results.Schedule, took: time.Since(s.epoch) - start})
	return id
}

func (s *timed) Reschedule(id structures.ID, deadline structures.Tick) bool {
	start := time.Since(s.epoch)
	ok := s.Scheduler.Reschedule(id, deadline)
	s.called(call{operation: results.Reschedule, took: time.Since(s.epoch) - start})
	return ok
}

func (s *timed) Cancel(id structures.ID) bool {
	start := time.Since(s.epoch)
	ok := s.Scheduler.Cancel(id)
	s.called(call{operation: results.Cancel, took: time.Since(s.epoch) - start})
	return ok
}

func (s *timed) Pop(now structures.Tick) (structures.Timer[uint64], bool) {
	start := time.Since(s.epoch)
	t, ok := s.Scheduler.Pop(now)
	s.called(call{results.Pop, time.Since(s.epoch) - start, now, ok})
	return t, ok
}
