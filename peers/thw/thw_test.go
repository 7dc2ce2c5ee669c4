package thw_test

import (
	"math"
	"testing"

	"github.com/timerbench/timerbench/peers/thw"
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/schedtest"
)

func TestConformance(t *testing.T) {
	schedtest.Run(t, func() structures.Scheduler[uint64] { return thw.New[uint64]() }, schedtest.Allocates(), schedtest.Levels(levels))
}

// levels allows Next to return ticks at which no timer is due any more.
const levels = 1

func TestRelease(t *testing.T) {
	schedtest.Releases(t, func() structures.Scheduler[*schedtest.Payload] { return thw.New[*schedtest.Payload]() })
}

func FuzzAgainstModel(f *testing.F) {
	schedtest.Fuzz(f, func() structures.Scheduler[uint64] { return thw.New[uint64]() }, schedtest.Allocates(), schedtest.Levels(levels))
}

// The wheel stores the earliest expiration of each slot, and keeps it when that entry is removed.
func TestNextNamesWhatWasCancelled(t *testing.T) {
	w := thw.New[int]()
	soon := w.Schedule(10, 0)
	w.Schedule(20, 0)
	w.Cancel(soon)
	for _, want := range []structures.Tick{10, 20} {
		if at, ok := w.Next(); !ok || at != want {
			t.Errorf("Next() = %d, %t, want %d", at, ok, want)
		}
		w.Pop(want)
	}
}

func TestDeadlinesThatNanosecondsDoNotHold(t *testing.T) {
	w := thw.New[int]()
	const far = math.MaxInt64 / 1_000_000
	for i, d := range []structures.Tick{math.MaxInt64, far + 1, far, far + 2} {
		w.Schedule(d, i)
	}
	for _, want := range []structures.Tick{far, far + 1, far + 2, math.MaxInt64} {
		at, _ := w.Next()
		early, isEarly := w.Pop(want - 1)
		timer, ok := w.Pop(want)
		if at != want || isEarly || !ok || timer.Deadline != want {
			t.Errorf("Next() = %d, Pop(%d) = %+v, %t, Pop(%d) = %+v, %t", at, want-1, early, isEarly, want, timer, ok)
		}
	}
}
