package ttlbuckets

import (
	"math"
	"testing"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/slotted"
	"github.com/timerbench/timerbench/structures/internal/whitebox"
	"github.com/timerbench/timerbench/structures/schedtest"
)

func TestConformance(t *testing.T) {
	whitebox.Suite(t, New[uint64], New[*schedtest.Payload], Capacity, schedtest.Coarse(MaxLate))
}

func FuzzModel(f *testing.F) { whitebox.Fuzz(f, New[uint64], schedtest.Coarse(MaxLate)) }

// Short delays are exact, and others less than an eighth of the delay late.
func TestMaxLateIsThatOfTheRange(t *testing.T) {
	for _, c := range []struct{ delay, late structures.Tick }{
		{math.MinInt64, 0}, {1, 0}, {256, 0}, {257, 14}, {2048, 14}, {2049, 254}, {32_768, 254}, {32_769, 4094},
		{1 << 39, 1<<32 - 2}, {1<<39 + 1, 0}, {math.MaxInt64, 0},
	} {
		if got := MaxLate(c.delay); got != c.late {
			t.Errorf("MaxLate(%d) = %d, want %d", c.delay, got, c.late)
		}
	}
	for delay := structures.Tick(1); delay < 1<<40; delay += 1 + delay/1000 {
		if late := MaxLate(delay); 8*late >= delay {
			t.Fatalf("a delay of %d may be late by %d, want less than an eighth of it", delay, late)
		}
	}
}

// The bound is reached in every range: by the first timer of a segment, with the shortest delay of a bucket.
func TestTheBoundIsReached(t *testing.T) {
	for r, delay := range []structures.Tick{1, 257, 2049, 32_769, 1<<19 + 1, 1<<23 + 1, 1<<27 + 1, 1<<31 + 1, 1<<35 + 1} {
		b := New[int]()
		b.Schedule(delay, 0)
		if at, _ := b.Next(); at != delay+MaxLate(delay) {
			t.Errorf("range %d: a timer with the delay %d fires at %d, want %d", r, delay, at, delay+MaxLate(delay))
		}
	}
}

// Timers with the same delay share segments within a width of the bucket, and fire in the order of the segments.
func TestTimersOfOneDelayShareSegments(t *testing.T) {
	b := New[int]()
	for now := range structures.Tick(3 * 2048) {
		b.Pop(now)
		b.Schedule(now+60_000, 0)
	}
	if _, c := slotted.Parts(&b.base); len(c.segments) != 3*2048/size+1 || c.heap.Len() != 0 {
		t.Errorf("%d segments, and %d timers in the heap", len(c.segments)-1, c.heap.Len())
	}
	var fired []structures.Tick
	for at, ok := b.Next(); ok; at, ok = b.Next() {
		n := 0
		for range structures.Due(b, at) {
			n++
		}
		fired = append(fired, at)
		if n != 2048 {
			t.Errorf("%d fire at %d, want 2048", n, at)
		}
	}
	if len(fired) != 3 {
		t.Errorf("timers fire at %d, want 3 ticks", fired)
	}
}

// Segments with few timers are at most an eighth of the timers, and 256. The heap takes the others, exactly.
func TestTheHeapTakesTimersWithoutASegment(t *testing.T) {
	b := New[int]()
	for now := structures.Tick(0); now < 200; now += 10 {
		b.Pop(now)
		for delay := structures.Tick(1000); delay < 2000; delay += 8 {
			b.Schedule(now+delay, 0)
		}
	}
	_, c := slotted.Parts(&b.base)
	if got := len(c.segments) - 1; got != mostSegments(2500) || c.heap.Len() != 2500-got {
		t.Errorf("%d segments and %d timers in the heap", got, c.heap.Len())
	}
	if err := b.CheckInvariants(); err != nil {
		t.Error(err)
	}
}
