package hwheellinux

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/whitebox"
	"github.com/timerbench/timerbench/structures/schedtest"
)

func TestConformance(t *testing.T) {
	whitebox.Suite(t, New[uint64], New[*schedtest.Payload], Capacity, schedtest.Coarse(MaxLate), schedtest.Levels(1))
}

func FuzzAgainstModel(f *testing.F) {
	whitebox.Fuzz(f, New[uint64], schedtest.Coarse(MaxLate), schedtest.Levels(1))
}

// roundUp returns when a timer fires: at its deadline, rounded up to
// the granularity of the first level whose 63 slots are more than the delay.
func roundUp(deadline, delay structures.Tick) structures.Tick {
	granularity := structures.Tick(1)
	for delay >= 63*granularity {
		granularity *= 8
	}
	return (deadline + granularity - 1) / granularity * granularity
}

// mustFireRoundedUp schedules timers of all delays at tick start, and pops tick by tick or
// at the ticks that Next names: each must fire at its own tick, and Next must name no other.
func mustFireRoundedUp(t *testing.T, start structures.Tick, delays []structures.Tick, ticking bool) {
	t.Helper()
	w := New[structures.Tick]()
	w.Pop(start)
	for _, delay := range delays {
		w.Schedule(start+delay, roundUp(start+delay, delay))
	}
	for now := start; w.Len() > 0; {
		at, _ := w.Next()
		if at <= now {
			t.Fatalf("from tick %d: Next() = %d at %d", start, at, now)
		}
		if now++; !ticking {
			now = at
		}
		fired := false
		for timer := range structures.Due(w, now) {
			if fired = true; timer.Value != now {
				t.Fatalf("from tick %d: deadline %d fired at %d, want %d", start, timer.Deadline, now, timer.Value)
			}
		}
		if fired != (now == at) {
			t.Fatalf("from tick %d: something fired at %d, %t, but Next had named %d", start, now, fired, at)
		}
	}
}

// The last list of a level is that of the cursor itself, a revolution ahead. It must not hide those before it. The
// levels below are empty, so that the cursor is still there when the nearer timer expires.
func TestTheLastListOfALevelHidesNoOther(t *testing.T) {
	for level, granularity := 1, structures.Tick(8); level < levels-1; level, granularity = level+1, granularity*8 {
		far := 63*granularity - 1
		for _, start := range []structures.Tick{0, 1, 2, granularity - 1, granularity, granularity + 2, 64*granularity - 1} {
			if start > 1<<61 || far > 1<<61 { // the end of time has a test of its own
				continue
			}
			for near := 63 * granularity / 8; near < far; near += granularity {
				mustFireRoundedUp(t, start, []structures.Tick{far, near}, false)
				mustFireRoundedUp(t, start, []structures.Tick{near, far}, false)
			}
		}
	}
}

// All delays of the first levels from cursors at and around every boundary, and random ones over the whole range.
func TestListForIsNeverEarlyAndWithinTheBound(t *testing.T) {
	verify := func(cursor, delay structures.Tick) {
		deadline := cursor + delay
		list, expiry := listFor(deadline, cursor)
		late, level := expiry-deadline, list>>listBits
		if late < 0 || late > MaxLate(delay) || expiry <= cursor {
			t.Fatalf("cursor %d, delay %d: expires at %d, %d late, want 0 to %d", cursor, delay, expiry, late, MaxLate(delay))
		}
		if got := expiryOf(list, cursor); got != expiry {
			t.Fatalf("cursor %d, delay %d: list %d expires at %d, want %d", cursor, delay, list, got, expiry)
		}
		if level == 0 && late != 0 {
			t.Fatalf("cursor %d, delay %d: %d late on level 0", cursor, delay, late)
		}
		if share := float64(late) / float64(delay); share > 8.0/63 {
			t.Fatalf("cursor %d, delay %d: late by %.4f of the delay, want at most 8/63", cursor, delay, share)
		}
		// The list may be asked for until it expires.
		if expiry < math.MaxInt64 {
			if got := expiryOf(list, expiry-1); got != expiry {
				t.Fatalf("cursor %d, delay %d: just before it expires, list %d is said to expire at %d, want %d", cursor, delay, list, got, expiry)
			}
		}
	}
	for _, base := range []structures.Tick{0, 8, 64, 512, 4096, 1 << 24, 1 << 40} {
		for cursor := max(0, base-9); cursor <= base+9; cursor++ {
			for delay := structures.Tick(1); delay < 5000; delay++ {
				verify(cursor, delay)
			}
		}
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200_000 {
		cursor := structures.Tick(rng.Uint64() >> (1 + rng.IntN(63)))
		delay := min(1+structures.Tick(rng.Uint64()>>(1+rng.IntN(63))), math.MaxInt64-cursor)
		if delay > 0 {
			verify(cursor, delay)
		}
	}
}

// Levels begin where Linux has them. The shortest and the longest delay of a level reach its bound, if they end one tick after a
// multiple of its granularity. Of the longest, the bound is less than 1/63.
func TestTheBoundIsReached(t *testing.T) {
	for level, first := range []structures.Tick{1, 63, 504, 4032, 32256, 258048, 2064384, 16515072, 132120576} {
		granularity := structures.Tick(1) << (stepBits * level)
		last := 63*granularity - 1
		if level > 0 && MaxLate(first-1) != granularity/8-1 || 63*MaxLate(last) >= last {
			t.Errorf("level %d: a delay of %d is late by %d, one of %d by %d", level, first-1, MaxLate(first-1), last, MaxLate(last))
		}
		for _, delay := range []structures.Tick{first, last} {
			w := New[int]()
			deadline := (delay/granularity+2)*granularity + 1
			w.Pop(deadline - delay)
			w.Schedule(deadline, 0)
			if at, _ := w.Next(); at != deadline+granularity-1 || MaxLate(delay) != granularity-1 {
				t.Errorf("level %d: deadline %d with the delay %d fires at %d, late by at most %d", level, deadline, delay, at, MaxLate(delay))
			}
		}
	}
	if MaxLate(math.MaxInt64) != 1<<60-1 {
		t.Errorf("the longest delay is late by at most %d", MaxLate(math.MaxInt64))
	}
}
