package external

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

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
	inScript = [...]script.Kind{script.KindSchedule, script.KindCancel, script.KindReschedule, script.KindWake}
	ofScript = map[script.Kind]model.Kind{
		script.KindSchedule: schedule, script.KindCancel: cancel, script.KindReschedule: reschedule, script.KindFire: pop, script.KindWake: pop,
	}
	ofRecording = map[trace.Kind]model.Kind{trace.Schedule: schedule, trace.Cancel: cancel, trace.Reschedule: reschedule, trace.Advance: pop}
)

func newOp(kind model.Kind, slot uint32, at tick) op { return op{Kind: kind, Slot: slot, At: at} }

// reference is a model whose timers are named by their slots, which are also their values. It is the reference of every check.
type reference struct {
	m   model.Model[uint64]
	ids map[uint32]structures.ID // of the pending timers
}

func newReference() *reference { return &reference{ids: make(map[uint32]structures.ID)} }

// valid reports whether the protocol allows an operation now.
func (s *reference) valid(o op) bool {
	_, pending := s.ids[o.Slot]
	switch o.Kind {
	case schedule:
		return !pending && o.At > s.m.Clock
	case reschedule:
		return pending && o.At > s.m.Clock
	case cancel:
		return pending
	}
	return o.At >= s.m.Clock && o.At > 0
}

// do executes a valid operation. Of a pop it returns the timers that must fire, the earliest first and FIFO.
func (s *reference) do(o op) (due []model.Entry[uint64]) {
	switch o.Kind {
	case schedule:
		s.ids[o.Slot] = s.m.Schedule(o.At, uint64(o.Slot))
	case reschedule:
		s.m.Reschedule(s.ids[o.Slot], o.At)
	case cancel:
		s.m.Cancel(s.ids[o.Slot])
		delete(s.ids, o.Slot)
	case pop:
		due = s.m.PopAll(o.At)
		for _, e := range due {
			delete(s.ids, slotOf(e))
		}
	}
	return due
}

func slotOf(e model.Entry[uint64]) uint32 { return uint32(e.Value) }

// onlyValid returns the operations that the protocol allows, with delays of at most most, and the longest delay.
func onlyValid(ops []op, most tick) (valid []op, longest tick) {
	s := newReference()
	for _, o := range ops {
		delay := tick(0)
		if o.Kind == schedule || o.Kind == reschedule {
			delay = o.At - s.m.Clock
		}
		if s.valid(o) && delay <= most {
			s.do(o)
			valid, longest = append(valid, o), max(longest, delay)
		}
	}
	return valid, longest
}

func block(ops []op) *script.Block {
	b, s := script.Reuse(nil), newReference()
	for _, o := range ops {
		b.Add(inScript[o.Kind], script.Op{At: o.At, Key: o.Slot})
		b.Keys = max(b.Keys, int(o.Slot)+1)
		for _, e := range s.do(o) {
			b.Fires = append(b.Fires, script.Fire{At: e.Deadline, Delay: e.Deadline - e.Since, Key: slotOf(e)})
		}
	}
	b.Want.Pending = uint64(s.m.Len())
	return b
}

// fromBlock appends the operations of a block of a workload, without refused calls.
func fromBlock(ops []op, b *script.Block) []op {
	for k, o := range b.All() {
		if kind, ok := ofScript[k]; ok {
			ops = append(ops, newOp(kind, o.Key, o.At))
		}
	}
	return ops
}

// explain finds the first difference between the timers that a program fired and those that must fire. It returns the
// index of its operation and the fault, or -1 if all timers fired correctly.
func explain(ops []op, fired []Fire) (at int, what string) {
	s := newReference()
	for i, o := range ops {
		due := s.do(o)
		if o.Kind != pop {
			continue
		}
		left := make(map[uint32]bool)
		for _, e := range due {
			left[slotOf(e)] = true
		}
		for ; len(fired) > 0 && fired[0].At == o.At; fired = fired[1:] {
			slot := fired[0].Slot
			pending, isDue := left[slot]
			if left[slot] = false; pending {
				continue
			}
			why := "it has fired in the same Pop"
			if !isDue {
				why = history(ops[:i], slot)
			}
			return i, fmt.Sprintf("timer %d fires at tick %d, but %s", slot, o.At, why)
		}
		for _, e := range due {
			if slot := slotOf(e); left[slot] {
				what := fmt.Sprintf("timer %d must fire at tick %d: %s", slot, o.At, history(ops[:i], slot))
				if n := slices.IndexFunc(fired, func(f Fire) bool { return f.Slot == slot }); n >= 0 {
					return i, fmt.Sprintf("%s. It fires at tick %d", what, fired[n].At)
				}
				return i, what + ". It does not fire"
			}
		}
	}
	if len(fired) > 0 {
		return len(ops) - 1, fmt.Sprintf("it reports that timer %d fired at tick %d, but no Pop has that tick", fired[0].Slot, fired[0].At)
	}
	return -1, ""
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
	s := newReference()
	var out []string
	for i, o := range ops {
		var must []string
		for _, e := range s.do(o) {
			must = append(must, fmt.Sprint(e.Value))
		}
		line := fmt.Sprintf("%4d  %s", i+1, o)
		if o.Kind == pop {
			line = fmt.Sprintf("%-26s fires %s", line, cmp.Or(strings.Join(must, ", "), "nothing"))
		}
		if i == failed {
			line += "   <- fails here"
		}
		out = append(out, line)
	}
	if len(out) > longestListing {
		left := fmt.Sprintf("      ... %d more lines ...", len(out)-longestListing)
		out = append(append(slices.Clone(out[:longestListing/2]), left), out[len(out)-longestListing/2:]...)
	}
	return out
}
