package hwheel_test

import (
	"math"
	"testing"

	"github.com/timerbench/timerbench/internal/longtest"
	"github.com/timerbench/timerbench/structures"
)

// far returns a delay of up to 2^45 ticks.
func (k *tracker) far() structures.Tick { return k.clock + k.delay(45) }

// replaceAny cancels a timer and schedules another.
func (k *tracker) replaceAny(deadline structures.Tick) {
	k.Helper()
	k.cancel(k.IntN(len(k.ids)))
	k.schedule(deadline)
}

// moveAway moves a timer far away and back, so that an entry dies.
func (k *tracker) moveAway() {
	k.Helper()
	id := k.any()
	at := k.pending[id]
	k.reschedule(id, at+1<<40)
	k.reschedule(id, at)
}

// CheckInvariants fails when there are too many dead entries beside the live ones, or
// when a chunk that is not the last of its list has room.
func TestDeadEntriesAreBounded(t *testing.T) {
	t.Parallel()
	n := longtest.Scale(t, 4000, 6000, 50_000)
	for name, c := range map[string]struct {
		timers int
		at     func(k *tracker) structures.Tick
		do     func(k *tracker)
	}{
		"replaced at one tick":          {n, (*tracker).soon, func(k *tracker) { k.replaceAny(k.soon()) }},
		"replaced in a slot of level 2": {n, (*tracker).inOneSlot, func(k *tracker) { k.replaceAny(k.inOneSlot()) }},
		"replaced everywhere":           {n, (*tracker).far, func(k *tracker) { k.replaceAny(k.far()) }},
		"few replaced":                  {100, (*tracker).far, func(k *tracker) { k.replaceAny(k.far()) }},
		"cancelled":                     {3 * n, (*tracker).far, func(k *tracker) { k.cancel(k.IntN(len(k.ids))) }},
		"moved about":                   {n, (*tracker).far, (*tracker).moveAway},
		"one moved about":               {1, (*tracker).far, (*tracker).moveAway},
		"fired and cancelled": {3 * n, (*tracker).far, func(k *tracker) {
			if at, _ := k.w.Next(); k.IntN(64) == 0 {
				k.pop(at, 1)
			}
			k.cancel(k.IntN(len(k.ids)))
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := newTracker(t, shapes[0])
			for range c.timers {
				k.schedule(c.at(k))
			}
			k.w.Next()
			rounds := 7 * n
			for round := range rounds {
				if len(k.ids) < 2 && c.timers > 1 {
					break
				}
				c.do(k)
				if round%(rounds/20) == 0 {
					k.mustBeSound()
				}
			}
			k.mustBeSound()
			if k.w.Work().Dropped == 0 {
				t.Error("the sweep has dropped nothing")
			}
			k.drain()
		})
	}
}

func (k *tracker) soon() structures.Tick      { return 1000 }
func (k *tracker) inOneSlot() structures.Tick { return 1<<24 + structures.Tick(k.IntN(1<<16)) }

// As timers fire there are fewer live entries. Then dead ones elsewhere have to go.
func TestFiringSweepsToo(t *testing.T) {
	t.Parallel()
	k := newTracker(t, shapes[0])
	for range 20_000 {
		k.schedule(1000)
	}
	for range 17_000 {
		k.schedule(1 << 30)
	}
	k.w.Next()
	for range 15_000 {
		k.cancel(len(k.ids) - 1) // one of the far timers
	}
	if k.w.Work().Dropped != 0 {
		t.Fatal("the sweep has begun")
	}
	for k.pop(1000, 1000) == 1000 {
		k.mustBeSound()
	}
	k.drain()
}

// Dead entries of the slot that fires are out of reach of the sweep. They are dropped
// when their turn comes.
func TestCancelledWhileTheirTickFires(t *testing.T) {
	t.Parallel()
	k := newTracker(t, shapes[0])
	const n = 4096
	for range n {
		k.schedule(10)
	}
	k.pop(10, 1)
	for len(k.ids) > 1 {
		k.cancel(len(k.ids) / 2)
	}
	k.mustBeSound()
	if got := k.pop(10, math.MaxInt); got != 1 {
		t.Fatalf("%d timers fired, want 1", got)
	}
	if got := k.w.Work().Dropped; got != n-2 {
		t.Fatalf("%d dead entries were dropped, want %d", got, n-2)
	}
	k.mustBeSound()
}

// halfSwept puts timers at a tick and cancels until the sweep is in the middle of
// their slot.
func halfSwept(t *testing.T, s shape, at structures.Tick) *tracker {
	t.Helper()
	const n = 3000
	k := newTracker(t, s)
	for range n {
		k.schedule(at)
	}
	k.w.Next()
	for i := range len(k.ids) {
		// Both the timers that the sweep begins with and those that it ends with.
		if k.cancel(len(k.ids) - 1); i%4 == 0 {
			k.cancel(i / 4)
		}
		if k.w.Work().Dropped >= 100 {
			break
		}
	}
	if got := k.w.Work().Dropped; got < 100 || got > n/3 {
		t.Fatalf("the sweep has dropped %d entries, want a part of them", got)
	}
	k.mustBeSound()
	return k
}

func TestOperationsDuringASweep(t *testing.T) {
	t.Parallel()
	for name, do := range map[string]func(k *tracker, at structures.Tick){
		"Pop":           func(k *tracker, at structures.Tick) { k.pop(at, 1) },
		"Pop of all":    func(k *tracker, at structures.Tick) { k.pop(at, math.MaxInt) },
		"Pop before it": func(k *tracker, at structures.Tick) { k.pop(at-1, 1) },
		"Next":          func(k *tracker, _ structures.Tick) { k.w.Next() },
		"Schedule":      func(k *tracker, at structures.Tick) { k.schedule(at); k.w.Next() },
		"Schedule before it": func(k *tracker, at structures.Tick) {
			k.schedule(at - 1)
			k.pop(at, 2)
		},
		"Reschedule to later": func(k *tracker, at structures.Tick) {
			for i, id := range k.ids[:len(k.ids)/3] {
				k.reschedule(id, at+structures.Tick(i)*100)
			}
		},
		"Reschedule of all to later": func(k *tracker, at structures.Tick) {
			for i, id := range k.ids {
				k.reschedule(id, 2*at+structures.Tick(i))
			}
			k.w.Next()
		},
		"Reschedule to earlier": func(k *tracker, at structures.Tick) {
			for i, id := range k.ids[:len(k.ids)/3] {
				k.reschedule(id, at-1)
				k.reschedule(id, at)
				k.reschedule(id, at-1-structures.Tick(i)%(at/2))
			}
		},
		"Cancel of all": func(k *tracker, _ structures.Tick) {
			for len(k.ids) > 0 {
				k.cancel(0)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, s := range shapes[:longtest.Scale(t, 2, 2, len(shapes))] {
				for _, at := range []structures.Tick{3, 200, 3000, 1 << 24} {
					k := halfSwept(t, s, at)
					do(k, at)
					k.drain()
				}
			}
		})
	}
}

// Work in other slots leaves the sweep where it is. To finish it at once could make a
// long call.
func TestOtherSlotsLeaveTheSweepAlone(t *testing.T) {
	t.Parallel()
	k := halfSwept(t, shapes[0], 1<<24)
	dropped := k.w.Work().Dropped
	k.schedule(100)
	k.schedule(600)
	k.schedule(1 << 20)
	for _, want := range []structures.Tick{100, 600, 1 << 20} {
		mustName(t, k.w, want)
		if n := k.pop(want, math.MaxInt); n != 1 {
			t.Fatalf("%d timers fired at %d, want 1", n, want)
		}
	}
	if got := k.w.Work().Dropped; got != dropped {
		t.Errorf("the sweep has dropped %d more entries", got-dropped)
	}
	k.drain()
}

// No call sweeps more than some chunks, and one in eight cancels sweeps.
func TestSweepIsALittleAtATime(t *testing.T) {
	t.Parallel()
	const n = 50_000
	k := newTracker(t, shapes[0])
	for range n {
		k.schedule(1000)
	}
	k.w.Next()
	before, sweeps := uint64(0), 0
	for range n * 3 / 4 {
		k.cancel(len(k.ids) - 1)
		dropped := k.w.Work().Dropped
		if dropped-before > 80 {
			t.Fatalf("one Cancel has dropped %d dead entries", dropped-before)
		}
		if dropped > before {
			sweeps++
		}
		before = dropped
	}
	if sweeps == 0 || sweeps > n/8 {
		t.Errorf("%d of %d cancels have swept", sweeps, n*3/4)
	}
}
