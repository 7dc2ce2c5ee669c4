package hwheel_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/hwheel"
)

// shape is the binary logarithms of the slots on level 0 and on the other levels.
type shape struct{ levelBits, ringBits uint }

// shapes are the default, a small one that cascades often, one with the most levels,
// and two whose levels overlap more.
var shapes = []shape{{8, 12}, {2, 3}, {1, 2}, {2, 6}, {5, 6}}

func (s shape) String() string { return fmt.Sprintf("%d,%d", s.levelBits, s.ringBits) }

// forShapes runs a test on wheels of each shape.
func forShapes(t *testing.T, f func(t *testing.T, s shape)) {
	t.Parallel()
	for _, s := range shapes {
		t.Run(s.String(), func(t *testing.T) {
			t.Parallel()
			f(t, s)
		})
	}
}

// popAll pops until nothing is due at now and returns the deadlines.
func popAll[T any](w *hwheel.Wheel[T], now structures.Tick) (fired []structures.Tick) {
	for timer := range structures.Due(w, now) {
		fired = append(fired, timer.Deadline)
	}
	return fired
}

// mustFire pops until nothing is due at now, and compares the deadlines.
func mustFire[T any](t *testing.T, w *hwheel.Wheel[T], now structures.Tick, want ...structures.Tick) {
	t.Helper()
	if got := popAll(w, now); !slices.Equal(got, want) {
		t.Fatalf("fired at %d: %v, want %v", now, got, want)
	}
	mustBeSound(t, w)
}

func mustBeSound[T any](t *testing.T, w *hwheel.Wheel[T]) {
	t.Helper()
	if err := w.CheckInvariants(); err != nil {
		t.Fatal(err)
	}
}
