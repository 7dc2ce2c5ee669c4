package replay

import (
	"fmt"
	"time"

	"github.com/timerbench/timerbench/bench/script"
)

// The lean loops make the calls of a block, without checksums or bindings of IDs to values. They are for
// structures whose calls take a few nanoseconds, as little as the proof. The first block of a cell is
// proved on the same instance. After each later block the counts must equal the counts of the generator.

// LeanBlock is a block in the form that the lean loops replay.
type LeanBlock []leanRun

// leanRun is a part of a block for one lean loop.
type leanRun struct {
	loop leanLoop
	ops  []script.Op
}

type leanLoop uint8

const (
	leanSchedule   leanLoop = iota
	leanForget              // schedule without storing the ID
	leanStartStop           // schedule a timer and cancel it at once
	leanCancel              //
	leanReschedule          //
	leanPop                 // until nothing is due
)

var leanLoops = map[script.Kind]leanLoop{
	script.KindSchedule: leanSchedule, script.KindCancel: leanCancel,
	script.KindReschedule: leanReschedule, script.KindFire: leanPop, script.KindWake: leanPop,
}

// Lean divides a block into the longest possible runs. It stores no ID of a timer that is neither cancelled nor
// moved.
func Lean(b *script.Block, firesOnly bool) LeanBlock {
	var out LeanBlock
	batches, ops := b.Batches, b.Ops
	for len(batches) > 0 {
		l, ok := leanLoops[batches[0].Kind]
		if !ok {
			panic(fmt.Sprintf("replay: no lean loop does operations of kind %v", batches[0].Kind))
		}
		size, taken := batches[0].Len, 1
		switch {
		case l == leanSchedule && firesOnly:
			l = leanForget
		case startsAndStops(batches, ops):
			l, size, taken = leanStartStop, 2, 2
		}
		if n := len(out); n > 0 && out[n-1].loop == l {
			r := &out[n-1]
			r.ops = r.ops[:len(r.ops)+size] // the operations follow one another
		} else {
			out = append(out, leanRun{l, ops[:size]})
		}
		batches, ops = batches[taken:], ops[size:]
	}
	return out
}

// startsAndStops reports whether the next two operations schedule a timer and cancel it.
func startsAndStops(batches []script.Batch, ops []script.Op) bool {
	return len(batches) > 1 &&
		batches[0] == script.Batch{Kind: script.KindSchedule, Len: 1} &&
		batches[1] == script.Batch{Kind: script.KindCancel, Len: 1} && ops[0].Key == ops[1].Key
}

// TimeLean replays a block with the lean loops and returns its duration.
func (r *replayer) TimeLean(runs LeanBlock) time.Duration {
	start := time.Now()
	r.doLean(runs)
	return time.Since(start)
}

// doLean makes the calls of runs. This is the timed code. The value of a timer is its number in the script, as in do.
func (r *replayer) doLean(runs LeanBlock) {
	s, ids, done := r.s, r.ids, r.outcome.done
	for i := range runs {
		ops := runs[i].ops
		switch runs[i].loop {
		case leanSchedule:
			for i := range ops {
				ids[ops[i].Key] = s.Schedule(ops[i].At, done.Scheduled)
				done.Scheduled++
			}
		case leanForget:
			for i := range ops {
				s.Schedule(ops[i].At, done.Scheduled)
				done.Scheduled++
			}
		case leanStartStop:
			for i := 0; i < len(ops); i += 2 {
				if s.Cancel(s.Schedule(ops[i].At, done.Scheduled)) {
					done.Cancelled++
				}
				done.Scheduled++
			}
		case leanCancel:
			for len(ops) > 0 {
				next := r.announce(ops)
				for i := range next {
					if s.Cancel(ids[next[i].Key]) {
						done.Cancelled++
					}
				}
				ops = ops[len(next):]
			}
		case leanReschedule:
			r.outcome.refused += r.reschedule(ops)
		case leanPop:
			for i := range ops {
				for at := ops[i].At; ; done.Fired++ {
					if _, ok := s.Pop(at); !ok {
						break
					}
				}
			}
		}
	}
	r.outcome.done = done
}

// CheckLean compares the counts after a block with the counts of the generator. Timers that a coarse structure has not
// fired yet must be pending. The checksum covers only the blocks that other loops replayed.
func (i *Instance) CheckLean(b *script.Block, o Outcome) error {
	if err := o.checkAnswers(); err != nil {
		return err
	}
	want := b.Want
	want.Checksum = o.done.Checksum
	if late := want.Fired - min(want.Fired, o.done.Fired); !i.entry.Exact() {
		want.Fired, want.Pending = want.Fired-late, want.Pending+late
	}
	return o.done.Check(want)
}
