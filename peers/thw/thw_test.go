package thw_test

import (
	"math"
	"testing"
	"time"

	"github.com/timerbench/timerbench/peers/thw"
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/schedtest"
)

func TestConformance(t *testing.T) {
	schedtest.Run(t, func() structures.Scheduler[uint64] { return thw.New[uint64]() }, schedtest.Allocates(), schedtest.Levels(levels))
}

// levels lets Next name ticks at which nothing is due any more.
const levels = 1

func TestRelease(t *testing.T) {
	schedtest.Releases(t, func() structures.Scheduler[*schedtest.Payload] { return thw.New[*schedtest.Payload]() })
}

func FuzzAgainstModel(f *testing.F) {
	schedtest.Fuzz(f, func() structures.Scheduler[uint64] { return thw.New[uint64]() }, schedtest.Allocates(), schedtest.Levels(levels))
}

// With ticks of a nanosecond all deadlines are times of the wheel, with ticks of an hour most
// of them are beyond.
func TestConformanceWithOtherTicks(t *testing.T) {
	for _, tick := range []time.Duration{1, time.Second, time.Hour} {
		t.Run(tick.String(), func(t *testing.T) {
			schedtest.Run(t, func() structures.Scheduler[uint64] { return thw.New[uint64](thw.Tick(tick)) }, schedtest.Allocates(), schedtest.Levels(levels))
		})
	}
}

// A slot is a second, and what is due in it is told to the tick.
func TestItIsExactWithinASecond(t *testing.T) {
	w := thw.New[int]()
	for _, d := range []structures.Tick{999, 3, 500, 4096*1000 + 4, 4} {
		w.Schedule(d, 0)
	}
	for _, want := range []structures.Tick{3, 4, 500, 999, 4096*1000 + 4} {
		if at, ok := w.Next(); !ok || at != want {
			t.Errorf("Next() = %d, %t, want %d", at, ok, want)
		}
		if timer, ok := w.Pop(want - 1); ok {
			t.Errorf("fired at %d: %+v", want-1, timer)
		}
		if timer, ok := w.Pop(want); !ok || timer.Deadline != want {
			t.Errorf("Pop(%d) = %+v, %t", want, timer, ok)
		}
	}
}

// The wheel notes the earliest expiration of each slot, and keeps it when that entry goes.
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

func TestInvalidTickPanics(t *testing.T) {
	for _, tick := range []time.Duration{0, -time.Second, time.Hour + 1} {
		func() {
			defer func() {
				if got, want := recover(), "thw: Tick("+tick.String()+"): want a length from 1ns to 1h"; got != want {
					t.Errorf("panic %v, want %q", got, want)
				}
			}()
			thw.New[int](thw.Tick(tick))
		}()
	}
}
