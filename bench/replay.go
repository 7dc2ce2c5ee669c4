package bench

import (
	"fmt"
	"time"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/structures"
)

// account is what a replay has come to so far.
type account struct {
	done    script.Proof // Pending is filled in by taken
	late    uint64       // over what fired after its deadline: see script.LateChecksum
	binding uint64       // over the pending timers: see script.Binding
	refused uint64       // cancels and reschedules of pending timers
	granted uint64       // cancels and reschedules of timers that are not pending
}

// replayer puts one structure through a script. What it does besides the calls
// is what any caller has to do: it keeps the IDs, and it looks at what fires. It
// does the same for every structure.
type replayer struct {
	account
	s     structures.Scheduler[uint64]
	ids   []structures.ID // by key
	stale structures.ID   // the last one cancelled: what is refused even where timers are late
}

// expecter is a scheduler that is told what fires before it is asked.
type expecter interface{ expect(fires []script.Fire) }

// reserve makes room for the IDs of a block, outside the timed region.
func (r *replayer) reserve(b *script.Block) {
	if n := b.Keys - len(r.ids); n > 0 {
		r.ids = append(r.ids, make([]structures.ID, n)...)
	}
	if s, ok := r.s.(expecter); ok {
		s.expect(b.Fires)
	}
}

// taken returns the account as it is.
func (r *replayer) taken() account {
	a := r.account
	a.done.Pending = uint64(r.s.Len())
	return a
}

// check holds what an exact structure did up to a block against what the generator
// says must have come of it.
func (a account) check(b *script.Block) error {
	if err := a.sound(); err != nil {
		return err
	}
	if err := a.done.Check(b.Want); err != nil {
		return err
	}
	if a.late != b.Late {
		return fmt.Errorf("of %d timers some fired at another tick than the first wake-up from their deadline on", a.done.Fired)
	}
	return nil
}

// sound checks what needs no account of the generator.
func (a account) sound() error {
	if a.refused > 0 {
		return fmt.Errorf("%d cancels or reschedules of pending timers were refused", a.refused)
	}
	if a.granted > 0 {
		return fmt.Errorf("%d cancels or reschedules of timers that were not pending were granted", a.granted)
	}
	return nil
}

// whole replays a block with no clock read inside.
func (r *replayer) whole(b *script.Block) time.Duration {
	r.reserve(b)
	start := time.Now()
	r.do(b.Batches, b.Ops)
	return time.Since(start)
}

// byKind replays a block and reads the clock once per batch of operations. It
// returns the time by kind, the cost of reading the clock taken off.
func (r *replayer) byKind(b *script.Block, clock Clock) []results.KindTime {
	r.reserve(b)
	var times [script.NumKinds]results.KindTime
	ops := b.Ops
	epoch := time.Now()
	last := time.Since(epoch)
	for i, batch := range b.Batches {
		fired := r.done.Fired
		r.do(b.Batches[i:i+1], ops)
		now := time.Since(epoch)
		k := &times[batch.Kind]
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
	for kind, k := range times {
		if k.Count > 0 {
			k.Kind = script.Kind(kind)
			k.NS = max(0, k.NS-float64(k.ClockReads)*clock.ReadNS)
			out = append(out, k)
		}
	}
	return out
}

// doOne does one operation.
func (r *replayer) doOne(kind script.Kind, op script.Op) {
	r.do([]script.Batch{{Kind: kind, Len: 1}}, []script.Op{op})
}

// do does the operations of batches, which may be fewer than there are. This is the
// timed code: a loop for each kind, and nothing in it but the call, the array of IDs
// and the checksums.
func (r *replayer) do(batches []script.Batch, all []script.Op) {
	s, ids := r.s, r.ids
	a := r.account
	for _, batch := range batches {
		ops := all[:batch.Len]
		all = all[batch.Len:]
		switch batch.Kind {
		case script.KindSchedule:
			for i := range ops {
				id := s.Schedule(ops[i].At, a.done.Scheduled)
				ids[ops[i].Key] = id
				a.binding += script.Binding(id, a.done.Scheduled)
				a.done.Scheduled++
			}
		case script.KindCancel:
			cancelled := a.done.Cancelled
			for i := range ops {
				id := ids[ops[i].Key]
				a.binding -= script.Binding(id, uint64(ops[i].Number))
				if s.Cancel(id) {
					a.done.Cancelled++
				}
			}
			a.refused += uint64(len(ops)) - (a.done.Cancelled - cancelled)
			r.stale = ids[ops[len(ops)-1].Key]
		case script.KindReschedule:
			a.refused += r.reschedule(ops)
		case script.KindFire, script.KindWake:
			for i := range ops {
				at := ops[i].At
				for {
					t, ok := s.Pop(at)
					if !ok {
						break
					}
					a.fired(at, t)
				}
			}
		case script.KindRefused:
			a.granted += r.refuse(ops)
		}
	}
	r.account = a
}

// reschedule moves timers and returns how many moves were refused. It stands by itself,
// as refuse does, so that do has fewer variables to keep in registers.
func (r *replayer) reschedule(ops []script.Op) (refused uint64) {
	s, ids := r.s, r.ids
	for i := range ops {
		if !s.Reschedule(ids[ops[i].Key], ops[i].At) {
			refused++
		}
	}
	return refused
}

// refuse tries what must be refused, and returns how often it was granted.
func (r *replayer) refuse(ops []script.Op) (granted uint64) {
	for i := range ops {
		var ok bool
		if at := ops[i].At; at > 0 {
			ok = r.s.Reschedule(r.stale, at)
		} else {
			ok = r.s.Cancel(r.stale)
		}
		if ok {
			granted++
		}
	}
	return granted
}

// fired takes note of a timer.
func (a *account) fired(at structures.Tick, t structures.Timer[uint64]) {
	h := script.Checksum(t.Deadline, t.Value)
	a.done.Fired++
	a.done.Checksum += h
	a.late += script.LateChecksum(at, t.Deadline, h)
	a.binding -= script.Binding(t.ID, t.Value)
}

// bound checks that each timer fired under the ID and with the value that it was
// scheduled with: what is left of the bindings must be those of the pending timers.
func (r *replayer) bound(pending func(do func(script.Timer))) error {
	want := uint64(0)
	pending(func(t script.Timer) { want += script.Binding(r.ids[t.Key], t.Value) })
	if r.binding != want {
		return fmt.Errorf("of %d timers some fired under an ID or with a value that is not theirs", r.done.Fired)
	}
	return nil
}
