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

// Timers 1 and 2 are in one bucket, timer 3 in another one, 4 in a second segment of the first, and 5 in the heap.
func TestCheckInvariantsNamesWhatIsBroken(t *testing.T) {
	sound := func() *base[int] {
		b := New[int]()
		b.Schedule(1000, 0)
		b.Schedule(999, 0)
		b.Schedule(100, 0)
		b.Pop(50)
		b.Schedule(1050, 0)
		b.Schedule(math.MaxInt64, 0)
		b.Cancel(b.Schedule(70, 0)) // a free segment
		return &b.base
	}
	const first = perRange + 999>>3
	whitebox.FindsDamageToQueue(t, sound, map[string]func(*core){
		"head":           func(c *core) { c.buckets[first].head = c.buckets[first].tail },
		"tail":           func(c *core) { c.buckets[first].tail = c.buckets[first].head },
		"no head":        func(c *core) { c.buckets[first] = bucket{} },
		"head in heap":   func(c *core) { c.heads.Move(1, 5) },
		"another bucket": func(c *core) { c.segments[1].bucket++ },
		"order":          func(c *core) { c.segments[c.buckets[first].tail].expires = 900 },
		"link back":      func(c *core) { c.segments[c.buckets[first].tail].prev = 0 },
		"circle":         func(c *core) { c.segments[1].next = 1 },
		"lost segment":   func(c *core) { c.free = 0 },
		"free circle":    func(c *core) { c.segments[c.free].next = c.free },
		"live":           func(c *core) { c.segments[1].live++ },
		"taken":          func(c *core) { c.segments[1].taken = 1 },
		"late":           func(c *core) { c.segments[1].before[0] = 15 },
		"place":          func(c *core) { c.places[1]++ },
		"in the heap":    func(c *core) { c.places[5] = size },
		"not in heap":    func(c *core) { c.heap.Pop(math.MaxInt64) },
	})
}
