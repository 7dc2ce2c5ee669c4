package replay

import (
	"fmt"

	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/structures"
)

// byID is a structure with the array of the IDs of its timers.
type byID struct {
	structures.Scheduler[uint64]
	ids           []structures.ID // by key
	lastCancelled structures.ID   // stale for all structures, even if they fire late

	prefetcher structures.Prefetcher // the structure, if it implements Prefetcher
	ahead      structures.Prefetcher // prefetcher in a block whose caller knows its next operations; else nil
	announced  [batch]structures.ID
}

func newByID(s structures.Scheduler[uint64]) *byID {
	r := &byID{Scheduler: s}
	r.prefetcher, _ = s.(structures.Prefetcher)
	return r
}

// batch is the number of timers that a program knows in advance.
const batch = 32

// announce returns the next operations to execute: all of ops, or a batch that it passes to Prefetch first.
func (r *byID) announce(ops []script.Op) []script.Op {
	if r.ahead == nil {
		return ops
	}
	ops = ops[:min(len(ops), batch)]
	for i := range ops {
		r.announced[i] = r.ids[ops[i].Key]
	}
	r.ahead.Prefetch(r.announced[:len(ops)])
	return ops
}

// fireExpecter is a scheduler that gets the timers that fire in a block before the replay of the block.
type fireExpecter interface{ Expect(fires []script.Fire) }

func (r *byID) reserve(b *script.Block) {
	if n := b.Keys - len(r.ids); n > 0 {
		r.ids = append(r.ids, make([]structures.ID, n)...)
	}
	if s, ok := r.Scheduler.(fireExpecter); ok {
		s.Expect(b.Fires)
	}
	if r.ahead = nil; b.Known {
		r.ahead = r.prefetcher
	}
}

// do has one loop per kind of operation, with the call, the array of IDs and the checksums.
func (r *byID) do(batches []script.Batch, all []script.Op, out *outcome) {
	s, ids := r.Scheduler, r.ids
	o := *out
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
					o.count(at, t)
				}
			}
		case script.KindRefused:
			o.granted += r.tryStale(ops)
		}
	}
	*out = o
}

// reschedule moves timers and returns the number of refused moves. It is a separate function, like tryStale, so
// that do needs fewer registers.
func (r *byID) reschedule(ops []script.Op) (refused uint64) {
	s, ids := r.Scheduler, r.ids
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
func (r *byID) tryStale(ops []script.Op) (granted uint64) {
	for i := range ops {
		var ok bool
		if at := ops[i].At; at > 0 {
			ok = r.Reschedule(r.lastCancelled, at)
		} else {
			ok = r.Cancel(r.lastCancelled)
		}
		if ok {
			granted++
		}
	}
	return granted
}

func (r *byID) named(f script.Fire) (uint64, structures.ID) { return f.Value, r.ids[f.Key] }

func (r *byID) count(o *outcome, at structures.Tick, t structures.Timer[uint64]) { o.count(at, t) }

func (r *byID) checkRefused(kind script.Kind, key uint32, stale *staleIDs) error {
	if kind == script.KindCancel {
		stale.add(r.ids[key])
	}
	return stale.checkRefused(r)
}

func (r *byID) settle(*outcome, *script.Block) {}

// checkBindings returns an error unless each timer fired with its own ID and value: the remaining sum of bindings
// must be that of the pending timers.
func (r *byID) checkBindings(o outcome, pending func(do func(script.Timer))) error {
	want := uint64(0)
	pending(func(t script.Timer) { want += script.Binding(r.ids[t.Key], t.Value) })
	if o.binding != want {
		return fmt.Errorf("of %d timers some fired under an ID or with a value that is not theirs", o.done.Fired)
	}
	return nil
}
