package wheelfixed

import (
	"math"
	"testing"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/rules"
	"github.com/timerbench/timerbench/structures/internal/slotted"
	"github.com/timerbench/timerbench/structures/internal/whitebox"
	"github.com/timerbench/timerbench/structures/schedtest"
)

func TestConformance(t *testing.T) {
	whitebox.Suite(t, four[uint64], four[*schedtest.Payload], Capacity, schedtest.Coarse(MaxLate))
	whitebox.Variants(t, []int{128, 1}, sized, schedtest.Coarse(MaxLate))
}

func four[T any](opts ...Option) *Wheel[T] {
	return newWheel[T](4, rules.Apply(rules.Room{}, opts).Capacity)
}

func sized(perSlot int) structures.Scheduler[uint64] { return newWheel[uint64](perSlot, 0) }

func FuzzAgainstModel(f *testing.F) {
	schedtest.Fuzz(f, func() structures.Scheduler[uint64] { return sized(2) }, schedtest.Coarse(MaxLate))
}

// The lateness is a step function, and small relative to the delay: less than 8/63 from the first level on.
func TestMaxLateIsThatOfTheLevel(t *testing.T) {
	for _, c := range []struct{ delay, late structures.Tick }{
		{math.MinInt64, 3}, {0, 3}, {1, 3}, {251, 3}, {252, 31}, {2015, 31}, {2016, 255}, {16_127, 255}, {16_128, 2047},
		{129_023, 2047}, {129_024, 16_383}, {528_482_303, 4<<21 - 1}, {528_482_304, 0}, {math.MaxInt64, 0},
	} {
		if got := MaxLate(c.delay); got != c.late {
			t.Errorf("MaxLate(%d) = %d, want %d", c.delay, got, c.late)
		}
	}
	for delay := structures.Tick(252); delay < 1<<30; delay += 1 + delay/1000 {
		if late := MaxLate(delay); 63*late >= 8*delay {
			t.Fatalf("a delay of %d may be late by %d, want less than 8/63 of it", delay, late)
		}
	}
}

// The bound is reached, on every level: the fourth timer that is rounded up by all but one
// tick of a slot is three slots further. The fifth is in the heap, and on its tick.
func TestTheBoundIsReached(t *testing.T) {
	for level := range levels {
		ticks := structures.Tick(1) << (stepBits * level)
		delay := reach(level) - 1
		w := newWheel[int](1, 0)
		start := 8*ticks - delay%ticks + 1 // so that the deadline is one tick after a slot
		if level == 0 {
			start = 0
		}
		w.Pop(start)
		for i := range 5 {
			w.Schedule(start+delay, i)
		}
		var late []structures.Tick
		for at, ok := w.Next(); ok; at, ok = w.Next() {
			for timer := range structures.Due(w, at) {
				late = append(late, at-timer.Deadline)
			}
		}
		if len(late) != 5 || late[0] != 0 || late[4] != MaxLate(delay) {
			t.Errorf("level %d: late by %d, want 0 for the heap and %d at most", level, late, MaxLate(delay))
		}
	}
}

// The clock follows time also where no slot expires, so that a timer scheduled after a long pause finds a slot.
func TestALongPauseFillsNoHeap(t *testing.T) {
	w := New[int]()
	w.Schedule(100_000, 0)
	w.Pop(0)
	for now := structures.Tick(1000); now < 90_000; now += 1000 {
		for range structures.Due(w, now) {
		}
		w.Schedule(now+200, 1)
		if _, c := slotted.Parts(&w.base); c.heap.Len() != 0 {
			t.Fatalf("%d timers in the heap at %d", c.heap.Len(), now)
		}
	}
}
