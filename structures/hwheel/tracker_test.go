package hwheel_test

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/hwheel"
)

const lastTick = structures.Tick(math.MaxInt64)

// tracker does each operation on a wheel and on a map of pending timers. It ends the
// test at the first difference.
type tracker struct {
	*testing.T
	*rand.Rand
	w       *hwheel.Wheel[int]
	clock   structures.Tick
	ids     []structures.ID // those pending, in no order
	pending map[structures.ID]structures.Tick
}

func newTracker(t *testing.T, s shape) *tracker {
	return &tracker{
		T:       t,
		Rand:    rand.New(rand.NewPCG(1, uint64(s.ringBits))),
		w:       hwheel.NewShape[int](s.levelBits, s.ringBits),
		pending: make(map[structures.ID]structures.Tick),
	}
}

// any returns a pending timer.
func (k *tracker) any() structures.ID { return k.ids[k.IntN(len(k.ids))] }

// delay returns a number of up to 2^bits ticks, all powers of two being as likely.
func (k *tracker) delay(bits int) structures.Tick {
	return 1 + structures.Tick(k.Uint64N(1<<(1+k.IntN(bits))))
}

func (k *tracker) schedule(deadline structures.Tick) structures.ID {
	k.Helper()
	id := k.w.Schedule(deadline, int(deadline))
	if _, is := k.pending[id]; is {
		k.Fatalf("ID %#x is that of another timer", id)
	}
	k.pending[id] = deadline
	k.ids = append(k.ids, id)
	return id
}

// cancel cancels the timer at an index of ids.
func (k *tracker) cancel(i int) {
	k.Helper()
	id := k.ids[i]
	if !k.w.Cancel(id) {
		k.Fatalf("Cancel of timer %#x with deadline %d = false", id, k.pending[id])
	}
	delete(k.pending, id)
	k.ids[i] = k.ids[len(k.ids)-1]
	k.ids = k.ids[:len(k.ids)-1]
}

func (k *tracker) reschedule(id structures.ID, deadline structures.Tick) {
	k.Helper()
	if !k.w.Reschedule(id, deadline) {
		k.Fatalf("Reschedule of timer %#x with deadline %d = false", id, k.pending[id])
	}
	k.pending[id] = deadline
}

// pop pops at most n timers, which must have the deadlines that they were given.
func (k *tracker) pop(now structures.Tick, n int) (popped int) {
	k.Helper()
	k.clock = max(k.clock, now)
	for popped < n {
		timer, ok := k.w.Pop(now)
		if !ok {
			break
		}
		popped++
		if want, is := k.pending[timer.ID]; !is || timer.Deadline != want || want > k.clock {
			k.Fatalf("fired at %d: %+v, want deadline %d, pending %t", now, timer, want, is)
		}
		delete(k.pending, timer.ID)
	}
	if popped > 0 {
		k.ids = slices.DeleteFunc(k.ids, func(id structures.ID) bool { _, is := k.pending[id]; return !is })
	}
	return popped
}

func (k *tracker) mustBeSound() { k.Helper(); mustBeSound(k.T, k.w) }

// drain steps from one tick that Next names to the next, until nothing is pending.
// After each step nothing that is due may be left.
func (k *tracker) drain() {
	k.Helper()
	k.mustBeSound()
	deadlines := slices.Sorted(maps.Values(k.pending))
	k.ids = nil
	for {
		at, ok := k.w.Next()
		if ok != (len(k.pending) > 0) {
			k.Fatalf("Next() = %d, %t with %d timers pending", at, ok, len(k.pending))
		}
		if !ok {
			break
		}
		k.pop(at, math.MaxInt)
		for len(deadlines) > 0 && deadlines[0] <= k.clock {
			deadlines = deadlines[1:]
		}
		if len(k.pending) != len(deadlines) {
			k.Fatalf("%d timers are pending at tick %d, %d of them due", len(k.pending), k.clock, len(k.pending)-len(deadlines))
		}
	}
	k.mustBeSound()
}
