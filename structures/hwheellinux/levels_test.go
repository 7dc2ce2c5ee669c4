package hwheellinux

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/timerbench/timerbench/structures"
)

// All delays of the first levels from cursors at and around every boundary, and random
// ones over the whole range.
func TestPlaceIsNeverEarlyAndWithinTheBound(t *testing.T) {
	verify := func(cursor, delay structures.Tick) {
		deadline := cursor + delay
		list, expiry := place(deadline, cursor)
		late, level := expiry-deadline, list>>slotBits
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
