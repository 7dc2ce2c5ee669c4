package hwheellinux

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/timerbench/timerbench/structures"
)

// All delays of the first levels from cursors at and around every boundary, and random
// ones over the whole range.
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

// MaxLate is reached for every delay, and what the package says about it is right:
// delays at and around the first and the last of each level, and all of the first
// levels, each from cursors that put the deadline everywhere between two multiples of
// the granularity, or next to them where these are many.
func TestNoSmallerBoundHolds(t *testing.T) {
	reached := func(delay structures.Tick) {
		granularity := MaxLate(delay) + 1
		phases := []structures.Tick{0, 1, 2, granularity / 2, granularity - 2, granularity - 1}
		if granularity <= 64 {
			phases = phases[:0]
			for phase := range granularity {
				phases = append(phases, phase)
			}
		}
		most := structures.Tick(0)
		for _, phase := range phases {
			deadline := (delay/granularity+2)*granularity + phase
			_, expiry := listFor(deadline, deadline-delay)
			most = max(most, expiry-deadline)
		}
		if most != MaxLate(delay) {
			t.Fatalf("delay %d: late by at most %d, MaxLate says %d", delay, most, MaxLate(delay))
		}
		if delay < 63 != (most == 0) || 63*most >= 8*delay && most > 0 {
			t.Fatalf("delay %d: late by %d, want none below 63 and less than 8/63 from there on", delay, most)
		}
		if eighth := most <= delay/8+1; delay < 4032 && !eighth || delay == 4032 && eighth {
			t.Fatalf("delay %d: late by %d, an eighth and a tick are %d", delay, most, delay/8+1)
		}
	}
	for delay := structures.Tick(1); delay < 40_000; delay++ {
		reached(delay)
	}
	for level := range 18 { // beyond, 8 times the delay is out of range
		for near := structures.Tick(-70); near <= 70; near++ {
			reached(structures.Tick(reach(level)) + max(near, 1-structures.Tick(reach(level))))
		}
		last := structures.Tick(reach(level)) - 1
		if share := float64(MaxLate(last)) / float64(last); share >= 1.0/63 {
			t.Errorf("delay %d, the last of level %d: late by %.4f of it, want less than 1/63", last, level, share)
		}
	}
}

func TestLevelsBeginWhereLinuxHasThem(t *testing.T) {
	for level, first := range []structures.Tick{0, 63, 504, 4032, 32256, 258048, 2064384, 16515072, 132120576} {
		if got := levelOf(first); got != level {
			t.Errorf("a delay of %d is on level %d, want %d", first, got, level)
		}
		if first > 0 && levelOf(first-1) != level-1 {
			t.Errorf("a delay of %d is on level %d, want %d", first-1, levelOf(first-1), level-1)
		}
	}
	if got := levelOf(math.MaxInt64); got != levels-1 || MaxLate(math.MaxInt64) != 1<<60-1 {
		t.Errorf("the longest delay is on level %d, late by %d", got, MaxLate(math.MaxInt64))
	}
}
