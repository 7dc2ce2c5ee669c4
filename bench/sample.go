package bench

import (
	"time"

	"github.com/timerbench/timerbench/bench/script"
)

// sampleEvery is the distance between two timed operations. It has no common factor
// with the periods of the workloads (pairs, bursts of 32), so every kind of operation
// is sampled.
const sampleEvery = 5

// replaySampled replays a block and times each call of every fifth operation.
func (r *replayer) replaySampled(b *script.Block, into *latencies) {
	r.reserve(b)
	sinceSample := 0
	for kind, op := range b.All() {
		if sinceSample++; sinceSample < sampleEvery {
			r.doOne(kind, op)
			continue
		}
		sinceSample = 0
		r.timeCalls(kind, op, into)
	}
}

// timeCalls executes one operation and reads the clock before and after each call. A
// recorded duration includes the cost of one reading.
func (r *replayer) timeCalls(kind script.Kind, op script.Op, into *latencies) {
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
		r.lastCancelled = *id
		r.binding -= script.Binding(*id, uint64(op.Number))
		r.countAnswer(ok, &r.done.Cancelled)
	case script.KindReschedule:
		start := time.Since(epoch)
		ok := s.Reschedule(*id, op.At)
		into.record(script.KindReschedule, time.Since(epoch)-start)
		r.countAnswer(ok, new(uint64))
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
			r.recordFired(op.At, t)
		}
	case script.KindRefused:
		start := time.Since(epoch)
		r.doOne(script.KindRefused, op)
		into.record(script.KindRefused, time.Since(epoch)-start)
	}
}

func (r *replayer) countAnswer(ok bool, done *uint64) {
	if ok {
		*done++
	} else {
		r.refused++
	}
}
