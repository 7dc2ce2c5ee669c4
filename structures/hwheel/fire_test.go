package hwheel_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/timerbench/timerbench/internal/longtest"
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/hwheel"
)

// Any operations in any order agree with the map, with the clock at all distances.
func TestOperationsAgreeWithAMap(t *testing.T) {
	forShapes(t, func(t *testing.T, s shape) {
		k := newTracker(t, s)
		for range longtest.Scale(t, 2000, 6000, 60_000) {
			at := k.clock + k.delay(1+k.IntN(40))
			switch op := k.IntN(20); {
			case op < 8 && len(k.ids) < 200 || len(k.ids) == 0:
				k.schedule(at)
			case op < 12:
				k.cancel(len(k.ids) - 1 - k.IntN(min(40, len(k.ids)))) // one of the last, mostly
			case op < 14:
				k.reschedule(k.any(), at)
			case op < 16: // somewhat earlier or later
				id := k.any()
				k.reschedule(id, max(k.clock+1, k.pending[id]+k.delay(20)-k.delay(20)))
			case op < 17: // to where another one is
				k.reschedule(k.any(), max(k.clock+1, k.pending[k.any()]))
			case op < 18:
				k.pop(k.clock+k.delay(10), 1+k.IntN(10))
			default:
				if at, ok := k.w.Next(); ok && op == 19 {
					k.pop(at, 1+k.IntN(10))
				}
			}
			if k.w.Len() != len(k.pending) {
				t.Fatalf("Len() = %d, want %d", k.w.Len(), len(k.pending))
			}
			if k.IntN(8) == 0 {
				k.mustBeSound()
			}
		}
		k.drain()
	})
}

// A timer that is scheduled while a tick fires gets its slot as seen from that tick.
func TestScheduleWhileATickFires(t *testing.T) {
	forShapes(t, func(t *testing.T, s shape) {
		k := newTracker(t, s)
		turn := structures.Tick(1) << s.levelBits
		for range 200 {
			k.schedule(70)
		}
		for n := 0; k.pop(90, 1) == 1; n++ {
			// The same slot one turn later, the next ones, and far away.
			k.schedule(90 + []structures.Tick{1, 2, turn - 1, turn, turn + 1, turn * turn, 1 << 30}[n%7])
			if n%3 == 0 {
				k.reschedule(k.ids[n%len(k.ids)], 91+structures.Tick(n))
			}
			if n%5 == 0 {
				k.cancel(n % len(k.ids))
			}
			if n%4 == 0 {
				k.w.Next()
			}
			k.mustBeSound()
		}
		k.drain()
	})
}

// The last ticks of all, reached from each of them.
func TestClockAtTheEndOfTime(t *testing.T) {
	forShapes(t, func(t *testing.T, s shape) {
		width := structures.Tick(1) << (2 * s.levelBits)
		for _, before := range []structures.Tick{0, 1, 2, 3, width - 1, width, 5*width + 1, 1 << 40} {
			k := newTracker(t, s)
			k.pop(lastTick-before, 1)
			for _, left := range []structures.Tick{0, 0, 1, 2, 3, width - 1, width, width + 1, 1 << 30} {
				if left < max(before, 1) {
					k.schedule(lastTick - left)
				}
			}
			if k.clock == lastTick { // the tick after it is the same one: due at once
				if at, ok := k.w.Next(); at != lastTick || !ok {
					t.Fatalf("Next() = %d, %t at the last tick", at, ok)
				}
			}
			for i, id := range k.ids {
				k.reschedule(id, lastTick)
				if i%2 == 0 && before > 0 {
					k.reschedule(id, lastTick-before+1)
				}
			}
			k.drain()
			k.pop(lastTick, 1)
			for range 3 {
				id := k.schedule(lastTick)
				k.w.Reschedule(id, lastTick-5) // counts as the last tick
				k.mustBeSound()
				if n := k.pop(lastTick, 9); n != 1 {
					t.Fatalf("%d timers fired at the last tick, want 1", n)
				}
			}
		}
	})
}

// Timers that are due at one tick can be cancelled and moved while the others fire,
// whether they are staged or not.
func TestManyTimersOfOneTick(t *testing.T) {
	t.Parallel()
	const pending, fired, cancelled, moved = 0, 1, 2, 3
	n := longtest.Scale(t, 5000, 20_000, 200_000)
	const at = structures.Tick(100_000)
	rng := rand.New(rand.NewPCG(11, 12))
	w := hwheel.New[int]()
	ids := make([]structures.ID, n)
	state := make([]int, n)
	count := [4]int{pending: n}
	become := func(i, to int) {
		count[state[i]]--
		count[to]++
		state[i] = to
	}
	for i := range ids {
		ids[i] = w.Schedule(at, i)
	}
	for count[pending] > 0 {
		timer, ok := w.Pop(at)
		if !ok || timer.Deadline != at || state[timer.Value] != pending || ids[timer.Value] != timer.ID {
			t.Fatalf("fired %+v, %t, with state %d and %d pending", timer, ok, state[timer.Value], count[pending])
		}
		become(timer.Value, fired)
		for range rng.IntN(4) {
			i := rng.IntN(n)
			is := state[i] == pending || state[i] == moved
			if got := w.Cancel(ids[i]); got != is {
				t.Fatalf("Cancel = %t of a timer with state %d", got, state[i])
			}
			if is {
				become(i, cancelled)
			}
		}
		if i := rng.IntN(n); rng.IntN(3) == 0 && state[i] == pending {
			w.Reschedule(ids[i], at+1+structures.Tick(rng.IntN(600)))
			become(i, moved)
		}
		if rng.IntN(n/20) == 0 {
			mustBeSound(t, w)
			if next, ok := w.Next(); count[pending] > 0 && (next != at || !ok) {
				t.Fatalf("Next() = %d, %t with %d timers due at %d", next, ok, count[pending], at)
			}
		}
	}
	if timer, ok := w.Pop(at); ok {
		t.Fatalf("fired %+v, and none was left", timer)
	}
	if got := len(popAll(w, at+600)); got != count[moved] || w.Len() != 0 {
		t.Fatalf("%d timers fired, want the %d that were moved", got, count[moved])
	}
	mustBeSound(t, w)
}

// However many timers of a tick were moved to a later one, the others fire and these
// do not.
func TestTimersMovedOutOfATick(t *testing.T) {
	t.Parallel()
	for _, moved := range []int{0, 1, 2, 15, 16, 48, 49, 100, 500} {
		k := newTracker(t, shapes[0])
		for range 100 + moved {
			k.schedule(50)
		}
		k.w.Next()
		k.Shuffle(len(k.ids), func(i, j int) { k.ids[i], k.ids[j] = k.ids[j], k.ids[i] })
		for _, id := range k.ids[:moved] {
			k.reschedule(id, 60)
		}
		if got := k.pop(50, math.MaxInt); got != 100 {
			t.Fatalf("%d timers fired, want 100 beside %d that were moved", got, moved)
		}
		if got := k.pop(60, math.MaxInt); got != moved {
			t.Fatalf("%d timers fired, want the %d that were moved", got, moved)
		}
		k.mustBeSound()
	}
}
