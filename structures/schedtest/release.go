package schedtest

import (
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"weak"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/schedtest/model"
)

// Payload is the value of a timer in Releases.
type Payload struct {
	Number int
	_      *Payload // a pointer keeps it out of the allocator's blocks of tiny objects
}

// Releases checks the rule "Release": a structure keeps the values of pending timers alive, and no value of a timer
// that fired or was cancelled. It runs the garbage collector and reads weak pointers. It never sleeps.
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
	{"Release/Fired", (*holder).releasesFired},
	{"Release/Cancelled", (*holder).releasesCancelled},
	{"Release/SlotsUsedAgain", (*holder).releasesWhenUsedAgain},
}

// holder is a scheduler and the state of its values, without a reference to any of them.
type holder struct {
	reporter
	s      structures.Scheduler[*Payload]
	timers []held
}

type held struct {
	id    structures.ID
	value weak.Pointer[Payload]
	left  string // how it stopped being pending; empty: it is
}

// schedule makes a value and schedules it. Like the other methods here it is
// not inlined, so that no reference stays behind on the caller's stack.
//
//go:noinline
func (h *holder) schedule(deadline structures.Tick) {
	p := &Payload{Number: len(h.timers)}
	h.timers = append(h.timers, held{id: h.s.Schedule(deadline, p), value: weak.Make(p)})
}

//go:noinline
func (h *holder) cancel(i int) {
	if !h.s.Cancel(h.timers[i].id) {
		violated(h, "Identity", "Cancel of pending timer %d = false, want true", i)
	}
	h.timers[i].left = "cancelled"
}

//go:noinline
func (h *holder) pop(now structures.Tick) bool {
	t, ok := h.s.Pop(now)
	if !ok {
		return false
	}
	if t.Value == nil {
		violated(h, "Release", "Pop(%d) returned deadline %d without its value", now, t.Deadline)
	}
	if i := t.Value.Number; i >= len(h.timers) || h.timers[i].left != "" {
		violated(h, "Order", "Pop(%d) returned timer %d, which is not pending", now, i)
	}
	h.timers[t.Value.Number].left = "fired"
	return true
}

func (h *holder) drain(now structures.Tick) {
	for h.pop(now) {
	}
}

// check collects garbage and compares: exactly the values of pending timers are to be found.
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
		h.Fatalf("rule %q broken, %s: the value of timer %d of %d, which has been %s, is still "+
			"referred to",
			"Release", when, kept, len(h.timers), h.timers[kept].left)
	}
	for i, t := range h.timers {
		if t.left == "" && t.value.Value() == nil {
			h.Fatalf("rule %q broken, %s: the value of timer %d of %d, which is pending, was lost",
				"Release", when, i, len(h.timers))
		}
	}
	runtime.KeepAlive(h.s)
}

// kept returns a timer that is not pending and whose value is still there, or -1.
//
//go:noinline
func (h *holder) kept() int {
	return slices.IndexFunc(h.timers, func(t held) bool { return t.left != "" && t.value.Value() != nil })
}

// fill schedules timers for the next ticks and at all distances, and moves half of them.
func (h *holder) fill(now structures.Tick) {
	rng := rand.New(rand.NewPCG(uint64(now), 1))
	first := len(h.timers)
	for bits := range 62 {
		h.schedule(model.Add(now, 1+structures.Tick(rng.IntN(100))))
		h.schedule(model.Add(now, 1<<bits))
	}
	for _, i := range rng.Perm(len(h.timers) - first)[:62] {
		h.s.Reschedule(h.timers[first+i].id, model.Add(now, 1<<rng.IntN(62)))
	}
}

func (h *holder) releasesFired() {
	h.Helper()
	h.fill(0)
	h.check("all pending, some moved")
	for now := range structures.Tick(50) {
		h.pop(now) // stops early
	}
	h.check("some fired, one a wake-up")
	for _, now := range []structures.Tick{60, 200, 1 << 40, math.MaxInt64} {
		h.drain(now)
		h.check("all fired that were due")
	}
}

func (h *holder) releasesCancelled() {
	h.Helper()
	h.fill(0)
	for i := 0; i < len(h.timers); i += 2 {
		h.cancel(i)
	}
	h.check("every other timer cancelled")
	for i := len(h.timers) - 1; i > 0; i -= 2 {
		h.cancel(i)
		if i%16 == 1 {
			h.check("cancelled from the last to the first")
		}
	}
	h.check("all cancelled")
}

func (h *holder) releasesWhenUsedAgain() {
	h.Helper()
	for round := range structures.Tick(8) {
		first := len(h.timers)
		h.fill(round << 40)
		for i := first; i < len(h.timers); i += 4 {
			h.cancel(i)
		}
		h.drain((round + 1) << 40)
	}
	h.check("after eight rounds in the same slots")
	h.schedule(math.MaxInt64)
	h.check("one of these slots taken again")
}
