// Package replay replays the blocks of a script on a structure.
//
// An [Instance] is a fresh instance of a structure. Its timed loop keeps counts and checksums of the timers that fire
// ([Instance.Time] and its variants). [Instance.Prove] is not timed and checks every answer. After each block,
// [Instance.Check] compares the outcome with that of the generator. A time counts only if this check passes.
package replay

import (
	"fmt"
	"time"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/structures"
)

// Outcome is the counts and checksums of a replay so far.
type Outcome struct {
	done    script.Proof // Pending is set by Outcome
	late    uint64       // sum of script.LateChecksum over the timers that fired
	binding uint64       // sum of script.Binding over the pending timers
	keys    uint64       // of a form: sum of Answers.Keys
	want    uint64       // of a form: expected keys
	refused uint64       // cancels and reschedules of pending timers
	granted uint64       // cancels and reschedules of timers that are not pending
	failed  error        // error of an external program
}

// replayer replays a script on one structure. In addition to the calls, it does only what every caller must do:
// it stores IDs and reads the timers that fire. It treats all structures alike.
type replayer struct {
	outcome       Outcome
	s             structures.Scheduler[uint64]
	ids           []structures.ID // by key
	lastCancelled structures.ID   // stale for all structures, even if they fire late

	form       Form                  // the structure, if its timers are fields of the caller's structs
	reserved   uint64                // Serial of the last block that was reserved for the form
	prefetcher structures.Prefetcher // the structure, if it implements Prefetcher
	ahead      structures.Prefetcher // prefetcher in a block whose caller knows its next operations; else nil
	named      [batch]structures.ID
}

// batch is the number of timers that a program knows in advance.
const batch = 32

// announce returns the next operations to execute: all of ops, or a batch that it passes to Prefetch first.
func (r *replayer) announce(ops []script.Op) []script.Op {
	if r.ahead == nil {
		return ops
	}
	ops = ops[:min(len(ops), batch)]
	for i := range ops {
		r.named[i] = r.ids[ops[i].Key]
	}
	r.ahead.Prefetch(r.named[:len(ops)])
	return ops
}

// fireExpecter is a scheduler that gets the timers that fire in a block before the replay of the block.
type fireExpecter interface{ Expect(fires []script.Fire) }

// Reserve allocates the array of IDs for a block, outside the timed region.
func (r *replayer) Reserve(b *script.Block) {
	if n := b.Keys - len(r.ids); n > 0 {
		r.ids = append(r.ids, make([]structures.ID, n)...)
	}
	if r.form != nil {
		r.reserveForm(b)
	}
	if s, ok := r.s.(fireExpecter); ok {
		s.Expect(b.Fires)
	}
	if r.ahead = nil; b.Known {
		r.ahead = r.prefetcher
	}
}

// Outcome returns a copy of the outcome so far.
func (r *replayer) Outcome() Outcome {
	o := r.outcome
	o.done.Pending = uint64(r.s.Len())
	return o
}

// check compares the outcome of an exact structure after a block with the expected one.
func (o Outcome) check(b *script.Block) error {
	if err := o.checkAnswers(); err != nil {
		return err
	}
	if err := o.done.Check(b.Want); err != nil {
		return err
	}
	if o.late != b.Late {
		return fmt.Errorf("of %d timers some fired at another tick than the first wake-up "+
			"from their deadline on", o.done.Fired)
	}
	return nil
}

// checkAnswers returns an error unless Cancel and Reschedule accepted exactly the pending timers.
func (o Outcome) checkAnswers() error {
	if o.failed != nil {
		return o.failed
	}
	if o.refused > 0 {
		return fmt.Errorf("%d cancels or reschedules of pending timers were refused", o.refused)
	}
	if o.granted > 0 {
		return fmt.Errorf("%d cancels or reschedules of timers that were not pending were granted", o.granted)
	}
	return nil
}

// Time replays a block and returns its duration. It reads the clock only before and after
// the block.
func (r *replayer) Time(b *script.Block) time.Duration {
	r.Reserve(b)
	start := time.Now()
	r.do(b.Batches, b.Ops)
	return time.Since(start)
}

// TimeByKind replays a block and reads the clock once per batch of operations. It
// returns the time by kind, without the cost of reading the clock.
func (r *replayer) TimeByKind(b *script.Block, clock Clock) []results.KindTime {
	r.Reserve(b)
	var times [script.NumKinds]results.KindTime
	ops := b.Ops
	epoch := time.Now()
	last := time.Since(epoch)
	for i, batch := range b.Batches {
		fired := r.outcome.done.Fired
		r.do(b.Batches[i:i+1], ops)
		now := time.Since(epoch)
		k := &times[batch.Kind]
		k.NS += float64(now - last)
		k.ClockReads++
		if batch.Kind == script.KindFire {
			k.Count += int(r.outcome.done.Fired - fired)
		} else {
			k.Count += batch.Len
		}
		last = now
		ops = ops[batch.Len:]
	}
	var out []results.KindTime
	for kind, k := range times {
		if k.Count > 0 {
			k.Kind = script.Kind(kind)
			k.NS = max(0, k.NS-float64(k.ClockReads)*clock.ReadNS)
			out = append(out, k)
		}
	}
	return out
}

func (r *replayer) doOne(kind script.Kind, op script.Op) {
	r.do([]script.Batch{{Kind: kind, Len: 1}}, []script.Op{op})
}

// do executes the operations of batches, which are the first of all. This is the timed code. It has one loop
// per kind of operation, with the call, the array of IDs and the checksums.
func (r *replayer) do(batches []script.Batch, all []script.Op) {
	if r.form != nil {
		r.doForm(batches, all)
		return
	}
	s, ids := r.s, r.ids
	o := r.outcome
	for _, batch := range batches {
		ops := all[:batch.Len]
		all = all[batch.Len:]
		switch batch.Kind {
		case script.KindSchedule:
			for i := range ops {
				id := s.Schedule(ops[i].At, o.done.Scheduled)
				ids[ops[i].Key] = id
				o.binding += script.Binding(id, o.done.Scheduled)
				o.done.Scheduled++
			}
		case script.KindCancel:
			cancelled := o.done.Cancelled
			for rest := ops; len(rest) > 0; {
				next := r.announce(rest)
				for i := range next {
					id := ids[next[i].Key]
					o.binding -= script.Binding(id, uint64(next[i].Number))
					if s.Cancel(id) {
						o.done.Cancelled++
					}
				}
				rest = rest[len(next):]
			}
			o.refused += uint64(len(ops)) - (o.done.Cancelled - cancelled)
			r.lastCancelled = ids[ops[len(ops)-1].Key]
		case script.KindReschedule:
			o.refused += r.reschedule(ops)
		case script.KindFire, script.KindWake:
			for i := range ops {
				at := ops[i].At
				for {
					t, ok := s.Pop(at)
					if !ok {
						break
					}
					o.recordFired(at, t)
				}
			}
		case script.KindRefused:
			o.granted += r.tryStale(ops)
		}
	}
	r.outcome = o
}

// reschedule moves timers and returns the number of refused moves. It is a separate function, like tryStale, so
// that do needs fewer registers.
func (r *replayer) reschedule(ops []script.Op) (refused uint64) {
	s, ids := r.s, r.ids
	for len(ops) > 0 {
		next := r.announce(ops)
		for i := range next {
			if !s.Reschedule(ids[next[i].Key], next[i].At) {
				refused++
			}
		}
		ops = ops[len(next):]
	}
	return refused
}

// tryStale makes calls with a stale ID, which must be refused, and returns how many were accepted.
func (r *replayer) tryStale(ops []script.Op) (granted uint64) {
	for i := range ops {
		var ok bool
		if at := ops[i].At; at > 0 {
			ok = r.s.Reschedule(r.lastCancelled, at)
		} else {
			ok = r.s.Cancel(r.lastCancelled)
		}
		if ok {
			granted++
		}
	}
	return granted
}

func (o *Outcome) recordFired(at structures.Tick, t structures.Timer[uint64]) {
	h := script.Checksum(t.Deadline, t.Value)
	o.done.Fired++
	o.done.Checksum += h
	o.late += script.LateChecksum(at, t.Deadline, h)
	o.binding -= script.Binding(t.ID, t.Value)
}
