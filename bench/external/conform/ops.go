package conform

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/timerbench/timerbench/bench/external"
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/schedtest/model"
	"github.com/timerbench/timerbench/trace"
)

type tick = structures.Tick

// op is an operation on the timer in a slot. A pop fires all timers that are due at a tick.
type op = model.Op

const (
	schedule   = model.Schedule
	cancel     = model.Cancel
	reschedule = model.Reschedule
	pop        = model.Pop
)

var (
	ofScript = map[script.Kind]model.Kind{
		script.KindSchedule: schedule, script.KindCancel: cancel, script.KindReschedule: reschedule, script.KindFire: pop, script.KindWake: pop,
	}
	ofRecording = map[trace.Kind]model.Kind{trace.Schedule: schedule, trace.Cancel: cancel, trace.Reschedule: reschedule, trace.Advance: pop}
)

func newOp(kind model.Kind, slot uint32, at tick) op { return op{Kind: kind, Slot: slot, At: at} }

// follow executes operations on the script of a writer, in which the key of a timer is its slot, and returns the block. Every
// check compares a program with that block. follow skips operations that the protocol does not allow, and delays above most. It
// calls each with the number of an operation and, for a pop, the timers that must fire, earliest first and FIFO.
func follow(ops []op, most tick, each func(i int, due []script.Fire)) *script.Block {
	var s script.Script
	b, _ := s.Write(context.Background(), nil, func(w *script.Writer) {
		for i, o := range ops {
			var due []script.Fire
			pending, future := w.IsPending(o.Slot), o.At > w.Now() && o.At-w.Now() <= most
			switch {
			case o.Kind == schedule && !pending && future:
				w.ScheduleAs(o.Slot, o.At)
			case o.Kind == reschedule && pending && future:
				w.Reschedule(o.Slot, o.At)
			case o.Kind == cancel && pending:
				w.Cancel(o.Slot)
			case o.Kind == pop && o.At >= w.Now() && o.At > 0:
				due = w.WakeFires(o.At)
			default:
				continue
			}
			each(i, due)
		}
	})
	return b
}

// onlyValid returns the operations that the protocol allows, with delays of at most most, and the longest delay.
func onlyValid(ops []op, most tick) (valid []op, longest tick) {
	now := tick(0)
	follow(ops, most, func(i int, _ []script.Fire) {
		switch o := ops[i]; o.Kind {
		case schedule, reschedule:
			longest = max(longest, o.At-now)
		case pop:
			now = o.At
		}
		valid = append(valid, ops[i])
	})
	return valid, longest
}

// block returns the block of valid operations.
func block(ops []op) *script.Block { return follow(ops, math.MaxInt64, func(int, []script.Fire) {}) }

// fromBlock appends the operations of a block of a workload, without refused calls.
func fromBlock(ops []op, b *script.Block) []op {
	for k, o := range b.All() {
		if kind, ok := ofScript[k]; ok {
			ops = append(ops, newOp(kind, o.Key, o.At))
		}
	}
	return ops
}

// explain says in terms of the operations what a program did wrong, and returns the index of the pop.
func explain(w *external.WrongFire, ops []op, fired []external.Fire) (at int, what string) {
	for left := w.Pop; ops[at].Kind != pop || left > 0; at++ {
		if ops[at].Kind == pop {
			left--
		}
	}
	why, tick := history(ops[:at], w.Slot), ops[at].At
	if w.Again {
		why = "it has fired in the same Pop"
	}
	if !w.Lost {
		return at, fmt.Sprintf("timer %d fires at tick %d, but %s", w.Slot, tick, why)
	}
	but := "It does not fire"
	if n := slices.IndexFunc(fired, func(f external.Fire) bool { return f.Slot == w.Slot }); n >= 0 {
		but = fmt.Sprintf("It fires at tick %d", fired[n].At)
	}
	return at, fmt.Sprintf("timer %d must fire at tick %d: %s. %s", w.Slot, tick, why, but)
}

// history says what has become of the timer in a slot.
func history(ops []op, slot uint32) string {
	for i, o := range slices.Backward(ops) {
		if o.Kind == pop || o.Slot != slot {
			continue
		}
		if o.Kind == cancel {
			return fmt.Sprintf("line %d cancelled it", i+1)
		}
		for line, p := range ops[i+1:] {
			if p.Kind == pop && p.At >= o.At {
				return fmt.Sprintf("it has fired at tick %d (line %d)", p.At, i+line+2)
			}
		}
		if o.Kind == reschedule {
			return fmt.Sprintf("line %d moved it to tick %d", i+1, o.At)
		}
		return fmt.Sprintf("its deadline is %d (line %d)", o.At, i+1)
	}
	return "this slot never had a timer"
}

// shrunk returns the fewest operations that it finds until a time for which fails returns a fault. No delay becomes longer
// than the longest one was: a library may document a limit of delays, which is another failure.
func shrunk(ops []op, f fault, until time.Time, fails func([]op) *fault) ([]op, fault) {
	_, most := onlyValid(ops, math.MaxInt64)
	valid := func(ops []op) []op { ops, _ = onlyValid(ops, most); return ops }
	try := func(candidate []op) bool {
		found := fails(candidate)
		if found != nil {
			f = *found
		}
		return found != nil
	}
	if cut := ops[:f.at+1]; f.at >= 0 && len(cut) < len(ops) && try(cut) {
		ops = cut
	}
	ops = model.Shrink(ops, until, valid, try)
	return ops, f
}

// longestListing is the most lines of a listing (chosen).
const longestListing = 60

// listing returns operations as numbered lines. A pop shows the timers that must fire; the line at which a program
// failed shows an arrow.
func listing(ops []op, failed int) []string {
	var out []string
	follow(ops, math.MaxInt64, func(i int, due []script.Fire) {
		var must []string
		for _, f := range due {
			must = append(must, fmt.Sprint(f.Key))
		}
		line := fmt.Sprintf("%4d  %s", i+1, ops[i])
		if ops[i].Kind == pop {
			line = fmt.Sprintf("%-26s fires %s", line, cmp.Or(strings.Join(must, ", "), "nothing"))
		}
		if i == failed {
			line += "   <- fails here"
		}
		out = append(out, line)
	})
	if len(out) > longestListing {
		left := fmt.Sprintf("      ... %d more lines ...", len(out)-longestListing)
		out = append(append(slices.Clone(out[:longestListing/2]), left), out[len(out)-longestListing/2:]...)
	}
	return out
}
