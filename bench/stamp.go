package bench

import (
	"time"

	"github.com/timerbench/timerbench/bench/script"
)

// sampleEvery is the stride of stamped samples: coprime to the lengths in which
// workloads repeat themselves (pairs, bursts of 32), so that every kind of
// operation gets its turn.
const sampleEvery = 5

// sampled replays a block and stamps every call of every fifth operation.
func (r *replayer) sampled(b *script.Block, into *latencies) {
	r.reserve(b)
	ops, stride := b.Ops, 0
	for _, batch := range b.Batches {
		for i := range batch.Len {
			if stride++; stride < sampleEvery {
				r.doOne(batch.Kind, ops[i])
				continue
			}
			stride = 0
			r.stamped(batch.Kind, ops[i], into)
		}
		ops = ops[batch.Len:]
	}
}

// stamped does one operation with a stamp before and after each call. What is
// recorded includes one reading of the clock.
func (r *replayer) stamped(kind script.Kind, op script.Op, into *latencies) {
	s, id := r.s, &r.ids[op.Key]
	epoch := time.Now()
	switch kind {
	case script.KindSchedule:
		start := time.Since(epoch)
		issued := s.Schedule(op.At, r.done.Scheduled)
		into.record(script.KindSchedule, time.Since(epoch)-start)
		*id = issued
		r.binding += script.Binding(issued, r.done.Scheduled)
		r.done.Scheduled++
	case script.KindCancel:
		start := time.Since(epoch)
		ok := s.Cancel(*id)
		into.record(script.KindCancel, time.Since(epoch)-start)
		r.stale = *id
		r.binding -= script.Binding(*id, uint64(op.Number))
		r.count(ok, &r.done.Cancelled)
	case script.KindReschedule:
		start := time.Since(epoch)
		ok := s.Reschedule(*id, op.At)
		into.record(script.KindReschedule, time.Since(epoch)-start)
		r.count(ok, new(uint64))
	case script.KindFire, script.KindWake:
		for {
			start := time.Since(epoch)
			t, ok := s.Pop(op.At)
			took := time.Since(epoch) - start
			if !ok {
				into.record(script.KindWake, took)
				return
			}
			into.record(script.KindFire, took)
			r.fired(op.At, t)
		}
	case script.KindRefused:
		start := time.Since(epoch)
		r.doOne(script.KindRefused, op)
		into.record(script.KindRefused, time.Since(epoch)-start)
	}
}

func (r *replayer) count(ok bool, done *uint64) {
	if ok {
		*done++
	} else {
		r.refused++
	}
}
