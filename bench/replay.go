package bench

import (
	"fmt"
	"time"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/structures"
)

// replayer puts one structure through a script. What it does besides the calls
// is what any caller has to do: it keeps the IDs, and it looks at what fires.
type replayer struct {
	s       structures.Scheduler[uint64]
	ids     []structures.ID // by key
	done    script.Proof    // Pending is filled in by check
	stale   structures.ID   // the last one cancelled: what is refused even where timers are late
	refused uint64          // cancels and reschedules of pending timers
	granted uint64          // cancels and reschedules of timers that are not pending
	late    uint64          // over what fired after its deadline: see lateness
	coarse  *coarseProof    // of a structure that may fire late; nil: exact
}

// newReplayer returns a replayer for s, which may fire late by maxLate, if that
// is not nil.
func newReplayer(s structures.Scheduler[uint64], maxLate func(structures.Tick) structures.Tick) *replayer {
	r := &replayer{s: s}
	if maxLate != nil {
		r.coarse = newCoarseProof(maxLate)
	}
	return r
}

// reserve makes room for the IDs of a block, outside the timed region.
func (r *replayer) reserve(b *script.Block) {
	if n := b.Keys - len(r.ids); n > 0 {
		r.ids = append(r.ids, make([]structures.ID, n)...)
	}
	if oracle, ok := r.s.(*null); ok {
		oracle.load(b.Fires)
	}
	if r.coarse != nil {
		r.coarse.expect(b.Fires)
	}
}

// check holds everything replayed up to a block against what the generator says
// must have come of it, and returns the account.
func (r *replayer) check(b *script.Block) (script.Proof, error) {
	p, want := r.done, b.Want
	p.Pending = uint64(r.s.Len())
	if r.refused > 0 {
		return p, fmt.Errorf("%d cancels or reschedules of pending timers were refused", r.refused)
	}
	if r.granted > 0 {
		return p, fmt.Errorf("%d cancels or reschedules of timers that were not pending were granted", r.granted)
	}
	if r.coarse != nil {
		return r.coarse.check(p, want)
	}
	if err := p.Check(want); err != nil {
		return p, err
	}
	if r.late != b.Late {
		return p, fmt.Errorf("of %d timers some fired at another tick than the first wake-up from their deadline on", p.Fired)
	}
	return p, nil
}

// whole replays a block with no clock read inside.
func (r *replayer) whole(b *script.Block) time.Duration {
	r.reserve(b)
	start := time.Now()
	ops := b.Ops
	for _, batch := range b.Batches {
		r.do(batch.Kind, ops[:batch.Len])
		ops = ops[batch.Len:]
	}
	return time.Since(start)
}

// byKind replays a block and reads the clock once per batch of operations. It
// returns the time by kind, the cost of reading the clock taken off.
func (r *replayer) byKind(b *script.Block, clock Clock) []results.KindTime {
	r.reserve(b)
	var spent [script.NumKinds]results.KindTime
	ops := b.Ops
	epoch := time.Now()
	last := time.Since(epoch)
	for _, batch := range b.Batches {
		fired := r.done.Fired
		r.do(batch.Kind, ops[:batch.Len])
		now := time.Since(epoch)
		k := &spent[batch.Kind]
		k.NS += float64(now - last)
		k.ClockReads++
		if batch.Kind == script.KindFire {
			k.Count += int(r.done.Fired - fired)
		} else {
			k.Count += batch.Len
		}
		last = now
		ops = ops[batch.Len:]
	}
	var out []results.KindTime
	for code, k := range spent {
		if k.Count > 0 {
			k.Kind = script.Kind(code)
			k.NS = max(0, k.NS-float64(k.ClockReads)*clock.ReadNS)
			out = append(out, k)
		}
	}
	return out
}

// do does the operations of one batch. This is the timed code: a loop for each
// kind, and nothing in it but the call, the array of IDs and the checksum.
func (r *replayer) do(code script.Kind, ops []script.Op) {
	s, ids := r.s, r.ids
	switch code {
	case script.KindSchedule:
		value := r.done.Scheduled
		for i := range ops {
			ids[ops[i].Key] = s.Schedule(ops[i].At, value)
			value++
		}
		r.done.Scheduled = value
	case script.KindCancel:
		cancelled := uint64(0)
		for i := range ops {
			if s.Cancel(ids[ops[i].Key]) {
				cancelled++
			}
		}
		r.done.Cancelled += cancelled
		r.refused += uint64(len(ops)) - cancelled
		r.stale = ids[ops[len(ops)-1].Key]
	case script.KindReschedule:
		moved := uint64(0)
		for i := range ops {
			if s.Reschedule(ids[ops[i].Key], ops[i].At) {
				moved++
			}
		}
		r.refused += uint64(len(ops)) - moved
	case script.KindFire, script.KindWake:
		if r.coarse != nil {
			r.popCoarse(ops)
			return
		}
		fired, sum, late := r.done.Fired, r.done.Checksum, r.late
		for i := range ops {
			at := ops[i].At
			for {
				t, ok := s.Pop(at)
				if !ok {
					break
				}
				fired++
				h := script.Checksum(t.Deadline, t.Value)
				sum += h
				late += script.LateChecksum(at, t.Deadline, h)
			}
		}
		r.done.Fired, r.done.Checksum, r.late = fired, sum, late
	case script.KindRefused:
		for i := range ops {
			var ok bool
			if at := ops[i].At; at > 0 {
				ok = s.Reschedule(r.stale, at)
			} else {
				ok = s.Cancel(r.stale)
			}
			if ok {
				r.granted++
			}
		}
	}
}

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
				r.do(batch.Kind, ops[i:i+1])
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
func (r *replayer) stamped(code script.Kind, op script.Op, into *latencies) {
	s, id := r.s, &r.ids[op.Key]
	epoch := time.Now()
	switch code {
	case script.KindSchedule:
		start := time.Since(epoch)
		issued := s.Schedule(op.At, r.done.Scheduled)
		into.record(script.KindSchedule, time.Since(epoch)-start)
		*id = issued
		r.done.Scheduled++
	case script.KindCancel:
		start := time.Since(epoch)
		ok := s.Cancel(*id)
		into.record(script.KindCancel, time.Since(epoch)-start)
		r.stale = *id
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
				if r.coarse != nil {
					r.coarse.woken = op.At
				}
				return
			}
			into.record(script.KindFire, took)
			r.fired(op.At, t)
		}
	case script.KindRefused:
		start := time.Since(epoch)
		r.do(script.KindRefused, []script.Op{op})
		into.record(script.KindRefused, time.Since(epoch)-start)
	}
}

// fired takes note of a timer outside of the timed loops.
func (r *replayer) fired(at structures.Tick, t structures.Timer[uint64]) {
	h := script.Checksum(t.Deadline, t.Value)
	r.done.Fired++
	r.done.Checksum += h
	if r.coarse != nil {
		r.coarse.note(at, t)
		return
	}
	r.late += script.LateChecksum(at, t.Deadline, h)
}

func (r *replayer) count(ok bool, done *uint64) {
	if ok {
		*done++
	} else {
		r.refused++
	}
}
