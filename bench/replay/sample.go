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
	var sampled script.Kind
	plain, form := r.s, r.form
	stamped := stamp(plain, func(c call) {
		kind := sampled
		if c.operation == results.Pop {
			kind = script.KindWake
			if c.ok {
				kind = script.KindFire
			}
		}
		into.record(kind, c.took)
	})
	stampedForm, _ := stamped.(Form)
	operations := 0
	for kind, op := range b.All() {
		if operations++; operations%sampleEvery == 0 {
			sampled, r.s, r.form = kind, stamped, stampedForm
		}
		r.doOne(kind, op)
		r.s, r.form = plain, form
	}
}

// stamp returns a scheduler that times each call of s, and that is a Form if s is one.
func stamp(s structures.Scheduler[uint64], called func(call)) structures.Scheduler[uint64] {
	t := &timed{Scheduler: s, epoch: time.Now(), called: called}
	if f, ok := s.(Form); ok {
		return &timedForm{timed: t, Form: f}
	}
	return t
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

// timedForm is timed for a form.
type timedForm struct {
	*timed
	Form
}

var timedCalls = map[script.Kind]results.Operation{
	script.KindSchedule: results.Schedule, script.KindCancel: results.Cancel, script.KindReschedule: results.Reschedule,
}

// Do times one operation after another.
func (f *timedForm) Do(batches []script.Batch, all []script.Op) (a Answers) {
	for _, batch := range batches {
		one := []script.Batch{{Kind: batch.Kind, Len: 1}}
		operation, isTimed := timedCalls[batch.Kind]
		for i := range all[:batch.Len] {
			if batch.Kind == script.KindFire || batch.Kind == script.KindWake {
				for t, ok := f.Pop(all[i].At); ok; t, ok = f.Pop(all[i].At) {
					a.Add(fired(all[i].At, t))
				}
				continue
			}
			start := time.Since(f.epoch)
			answers := f.Form.Do(one, all[i:i+1])
			if took := time.Since(f.epoch) - start; isTimed {
				f.called(call{operation: operation, took: took})
			}
			a.Add(answers)
		}
		all = all[batch.Len:]
	}
	return a
}
