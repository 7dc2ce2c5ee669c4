package external

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/structures"
)

type tick = structures.Tick

// kind is the kind of an operation.
type kind int

const (
	schedule kind = iota
	cancel
	reschedule
	pop
)

var (
	kindNames = [...]string{"Schedule", "Cancel", "Reschedule", "Pop"}
	inScript  = [...]script.Kind{script.KindSchedule, script.KindCancel, script.KindReschedule, script.KindWake}
)

// op is an operation on the timer in a slot. A pop fires all timers that are due at a tick.
type op struct {
	kind kind
	slot uint32
	at   tick
}

func (o op) String() string {
	switch o.kind {
	case pop:
		return fmt.Sprintf("Pop(%d)", o.at)
	case cancel:
		return fmt.Sprintf("Cancel(%d)", o.slot)
	}
	return fmt.Sprintf("%s(%d, %d)", kindNames[o.kind], o.slot, o.at)
}

// timer is the state of a slot in the model.
type timer struct {
	pending         bool
	deadline, delay tick
	line            int  // of the schedule or the last move
	moved           bool // by a reschedule
	fired           tick // last fired at this tick, if ended by a pop
	ended           int  // line at which it was cancelled or fired; 0: never
	cancelled       bool
}

// model replays operations on a map of slots. It is the reference of every check.
type model struct {
	now    tick
	timers map[uint32]*timer
}

func newModel() *model { return &model{timers: make(map[uint32]*timer)} }

// valid reports whether the protocol allows an operation now.
func (m *model) valid(o op) bool {
	t := m.timers[o.slot]
	pending := t != nil && t.pending
	switch o.kind {
	case schedule:
		return !pending && o.at > m.now
	case reschedule:
		return pending && o.at > m.now
	case cancel:
		return pending
	}
	return o.at >= m.now && o.at > 0
}

// do executes a valid operation, which is in a line of a listing. Of a pop it returns the slots that must fire, by
// deadline and then by slot.
func (m *model) do(o op, line int) (due []uint32) {
	t := m.timers[o.slot]
	switch o.kind {
	case schedule:
		m.timers[o.slot] = &timer{pending: true, deadline: o.at, delay: o.at - m.now, line: line}
	case reschedule:
		t.deadline, t.delay, t.line, t.moved = o.at, o.at-m.now, line, true
	case cancel:
		t.pending, t.cancelled, t.ended = false, true, line
	case pop:
		m.now = o.at
		for slot, t := range m.timers {
			if t.pending && t.deadline <= m.now {
				due = append(due, slot)
				t.pending, t.cancelled, t.fired, t.ended = false, false, m.now, line
			}
		}
		slices.SortFunc(due, func(a, b uint32) int {
			return cmp.Or(cmp.Compare(m.timers[a].deadline, m.timers[b].deadline), cmp.Compare(a, b))
		})
	}
	return due
}

// onlyValid returns the operations that the protocol allows.
func onlyValid(ops []op) []op {
	m := newModel()
	return slices.DeleteFunc(slices.Clone(ops), func(o op) bool {
		ok := m.valid(o)
		if ok {
			m.do(o, 0)
		}
		return !ok
	})
}

// block encodes operations with their expected outcome.
func block(ops []op) *script.Block {
	b, m := script.Reuse(nil), newModel()
	for _, o := range ops {
		b.Add(inScript[o.kind], script.Op{At: o.at, Key: o.slot})
		b.Keys = max(b.Keys, int(o.slot)+1)
		for _, slot := range m.do(o, 0) {
			t := m.timers[slot]
			b.Fires = append(b.Fires, script.Fire{At: t.deadline, Delay: t.delay, Key: slot})
		}
	}
	for _, t := range m.timers {
		if t.pending {
			b.Want.Pending++
		}
	}
	return b
}

// fromBlock appends the operations of a block of a workload, without refused calls.
func fromBlock(ops []op, b *script.Block) []op {
	for k, o := range b.All() {
		switch k {
		case script.KindSchedule:
			ops = append(ops, op{schedule, o.Key, o.At})
		case script.KindCancel:
			ops = append(ops, op{cancel, o.Key, 0})
		case script.KindReschedule:
			ops = append(ops, op{reschedule, o.Key, o.At})
		case script.KindFire, script.KindWake:
			ops = append(ops, op{pop, 0, o.At})
		}
	}
	return ops
}

// explain finds the first difference between the timers that a program fired and those that must fire. It returns the
// index of its operation and the fault, or -1 if all timers fired correctly.
func explain(ops []op, fired []Fire) (at int, what string) {
	m := newModel()
	for i, o := range ops {
		due := m.do(o, i+1)
		if o.kind != pop {
			continue
		}
		var got []uint32
		for ; len(fired) > 0 && fired[0].At == o.at; fired = fired[1:] {
			got = append(got, fired[0].Slot)
		}
		for n, slot := range got {
			if !slices.Contains(due, slot) || slices.Contains(got[:n], slot) {
				return i, m.wronglyFired(slot, o.at, slices.Contains(got[:n], slot))
			}
		}
		for _, slot := range due {
			if !slices.Contains(got, slot) {
				t := m.timers[slot]
				what := fmt.Sprintf("timer %d must fire at tick %d: %s", slot, o.at, t.reason())
				for _, f := range fired {
					if f.Slot == slot {
						return i, fmt.Sprintf("%s. It fires at tick %d", what, f.At)
					}
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

func (t *timer) reason() string {
	if t.moved {
		return fmt.Sprintf("line %d moved it to tick %d", t.line, t.deadline)
	}
	return fmt.Sprintf("its deadline is %d (line %d)", t.deadline, t.line)
}

// wronglyFired says why a timer must not fire at a tick.
func (m *model) wronglyFired(slot uint32, at tick, twice bool) string {
	t := m.timers[slot]
	what := fmt.Sprintf("timer %d fires at tick %d, but ", slot, at)
	switch {
	case twice:
		return what + "it has fired in the same Pop"
	case t == nil:
		return what + "this slot never had a timer"
	case t.pending:
		return what + t.reason()
	case t.cancelled:
		return what + fmt.Sprintf("line %d cancelled it", t.ended)
	}
	return what + fmt.Sprintf("it has fired at tick %d (line %d)", t.fired, t.ended)
}

// longestListing is the most lines of a listing (chosen).
const longestListing = 60

// listing returns operations as numbered lines. A pop shows the timers that must fire; the line at which a program
// failed shows an arrow.
func listing(ops []op, failed int) []string {
	m := newModel()
	var out []string
	for i, o := range ops {
		var must []string
		for _, slot := range m.do(o, i+1) {
			must = append(must, fmt.Sprint(slot))
		}
		line := fmt.Sprintf("%4d  %s", i+1, o)
		if o.kind == pop {
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
