package schedtest

import (
	"math"
	"runtime"
	"testing"
	"weak"

	"github.com/timerbench/timerbench/structures"
)

// Payload is the value whose release Releases watches.
type Payload struct {
	Number int
	_      *Payload // a pointer keeps it out of the allocator's blocks of tiny objects
}

// Releases checks the rule "Release" on the structure that newScheduler makes:
// no reference is kept to the value of a timer that fired or was cancelled, and
// one is kept to the value of every pending timer. It runs the garbage collector
// and looks at weak pointers; it never sleeps.
func Releases(t *testing.T, newScheduler func() structures.Scheduler[*Payload]) {
	for _, rule := range releaseRules {
		t.Run(rule.name, func(t *testing.T) {
			rule.check(&holder{reporter: t, s: newScheduler()})
		})
	}
}

var releaseRules = []struct {
	name  string
	check func(*holder)
}{
	{"Release/FiredOneByOne", releaseFired},
	{"Release/FiredByOneJump", releaseFiredByJump},
	{"Release/Cancelled", releaseCancelled},
	{"Release/Rescheduled", releaseRescheduled},
	{"Release/SlotsUsedAgain", releaseReuse},
}

// holder is a scheduler and what is known of the values given to it, without a
// reference to any of them.
type holder struct {
	reporter
	s      structures.Scheduler[*Payload]
	timers []held
}

type held struct {
	id      structures.ID
	value   weak.Pointer[Payload]
	pending bool
	left    string // how it stopped being pending
}

// schedule makes a value and schedules it. Like the other methods here it is
// not inlined, so that no reference stays behind on the caller's stack.
//
//go:noinline
func (h *holder) schedule(deadline structures.Tick) {
	p := &Payload{Number: len(h.timers)}
	h.timers = append(h.timers, held{id: h.s.Schedule(deadline, p), value: weak.Make(p), pending: true})
}

//go:noinline
func (h *holder) cancel(i int) {
	if !h.s.Cancel(h.timers[i].id) {
		h.Fatalf("rule %q broken: Cancel of pending timer %d = false, want true", "Identity", i)
	}
	h.timers[i].pending, h.timers[i].left = false, "cancelled"
}

//go:noinline
func (h *holder) pop(now structures.Tick) bool {
	t, ok := h.s.Pop(now)
	if !ok {
		return false
	}
	if t.Value == nil {
		h.Fatalf("rule %q broken: Pop(%d) returned deadline %d without its value", "Release", now, t.Deadline)
	}
	if i := t.Value.Number; i >= len(h.timers) || !h.timers[i].pending {
		h.Fatalf("rule %q broken: Pop(%d) returned timer %d, which is not pending", "Order", now, i)
	}
	h.timers[t.Value.Number].pending, h.timers[t.Value.Number].left = false, "fired"
	return true
}

// check collects garbage and compares: exactly the values of pending timers are
// to be found.
func (h *holder) check(when string) {
	h.Helper()
	kept := -1
	for range 4 { // one collection is enough unless a value was still on the stack when it was scanned
		runtime.GC()
		if kept = h.kept(); kept < 0 {
			break
		}
	}
	if kept >= 0 {
		h.Fatalf("rule %q broken, %s: the value of timer %d of %d, which has been %s, is still referred to",
			"Release", when, kept, len(h.timers), h.timers[kept].left)
	}
	for i, t := range h.timers {
		if t.pending && t.value.Value() == nil {
			h.Fatalf("rule %q broken, %s: the value of timer %d of %d, which is pending, was lost", "Release", when, i, len(h.timers))
		}
	}
	runtime.KeepAlive(h.s)
}

// kept returns a timer that is not pending and whose value is still there, or -1.
//
//go:noinline
func (h *holder) kept() int {
	for i, t := range h.timers {
		if !t.pending && t.value.Value() != nil {
			return i
		}
	}
	return -1
}

func (h *holder) fill(n int) {
	for i := range n {
		h.schedule(structures.Tick(1 + (i*7919)%n*3)) // every deadline once, in no order
	}
}

func releaseFired(h *holder) {
	h.Helper()
	h.fill(96)
	h.check("all pending")
	for now := structures.Tick(0); now < 150; now += 6 {
		h.pop(now) // stops early
	}
	h.check("some fired, one a wake-up")
	for h.pop(200) {
	}
	h.check("all fired up to tick 200")
	for h.pop(math.MaxInt64) {
	}
	h.check("all fired")
}

func releaseFiredByJump(h *holder) {
	h.Helper()
	for bits := range 62 {
		h.schedule(1 << bits)
		h.schedule(1<<bits + 1)
	}
	for h.pop(1 << 40) {
	}
	h.check("after a jump over 2^40 ticks")
	for h.pop(math.MaxInt64) {
	}
	h.check("after a jump to the end of time")
}

func releaseCancelled(h *holder) {
	h.Helper()
	h.fill(96)
	for i := 0; i < 96; i += 2 {
		h.cancel(i)
	}
	h.check("every other timer cancelled")
	for i := 95; i > 0; i -= 2 {
		h.cancel(i)
		if i%16 == 1 {
			h.check("cancelled from the last to the first")
		}
	}
	h.check("all cancelled")
}

func releaseRescheduled(h *holder) {
	h.Helper()
	h.fill(64)
	for round := range structures.Tick(8) {
		for i, t := range h.timers {
			h.s.Reschedule(t.id, 10+structures.Tick(i)<<(4*round))
		}
	}
	h.check("all rescheduled, none fired")
	for i := range 32 {
		h.cancel(2 * i)
	}
	h.check("rescheduled, then half of them cancelled")
	for h.pop(math.MaxInt64) {
	}
	h.check("rescheduled, then fired")
}

func releaseReuse(h *holder) {
	h.Helper()
	now := structures.Tick(0)
	for round := range 8 {
		for i := range 32 {
			h.schedule(now + structures.Tick(1+i))
		}
		for i := range 8 {
			h.cancel(32*round + 4*i)
		}
		now += 1 << 20
		for h.pop(now) {
		}
	}
	h.check("after eight rounds in the same slots")
	h.schedule(math.MaxInt64)
	h.check("one of these slots taken again")
}
