package calendar

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/checking"
)

// A year has each bucket once, and successive days have successive buckets.
func TestAYearHasEachBucketOnce(t *testing.T) {
	d := newCore(0)
	for width := minWidth; width < 12; width++ {
		d.setWidth(width)
		year := uint64(len(d.buckets))
		for _, first := range []uint64{0, 1 << 12, 7 << 40, 1<<63 - year} {
			index := func(day uint64) int {
				for i := range d.buckets {
					if &d.buckets[i] == d.bucket(day) {
						return i
					}
				}
				return -1
			}
			start := index(first)
			for day := range min(year, 64) {
				if got, want := index(first+day), (start+int(day))%len(d.buckets); got != want {
					t.Fatalf("%d buckets: day %d has bucket %d, want %d", year, first+day, got, want)
				}
			}
		}
	}
}

func TestSampleMeasuresSeparations(t *testing.T) {
	for shift := range 40 {
		for _, n := range []int{16, 100, 5000} {
			c := newCore(n)
			for i := range n { // in no order
				c.Add(uint32(i+1), 1+structures.Tick(i*7919%n)<<shift)
			}
			c.Add(uint32(n+1), math.MaxInt64) // means nothing
			if got := c.sample(); got < shift-2 || got > shift {
				t.Errorf("%d timers 2^%d ticks apart are said to be 2^%d ticks apart", n, shift, got)
			}
		}
	}
}

// distributions of delays, to all of which the calendar has to adapt.
var distributions = []struct {
	name  string
	delay func(rng *rand.Rand, i int) int64
}{
	{"one", func(*rand.Rand, int) int64 { return 1 }},
	{"constant", func(*rand.Rand, int) int64 { return 30_000 }},
	{"uniform", func(rng *rand.Rand, _ int) int64 { return 1 + rng.Int64N(60_000) }},
	{"far", func(rng *rand.Rand, _ int) int64 { return 1<<60 + rng.Int64N(1<<40) }},
	{"exponential", func(rng *rand.Rand, _ int) int64 { return 1 + int64(rng.ExpFloat64()*1e9) }},
	{"triangular", func(rng *rand.Rand, _ int) int64 { return 1 + max(rng.Int64N(1<<30), rng.Int64N(1<<30)) }},
	{"all scales", func(rng *rand.Rand, _ int) int64 { return 1 + int64(rng.Uint64()>>24>>rng.IntN(40)) }},
	{"several humps", func(rng *rand.Rand, i int) int64 { return int64(1+i%4)<<30 + rng.Int64N(1<<20) }},
	{"near or far", func(rng *rand.Rand, i int) int64 { return 1 + rng.Int64N(1000) + int64(i&1)<<40 }},
	{"mostly never", func(rng *rand.Rand, i int) int64 { return 1 + rng.Int64N(1000) + min(1, int64(i%10))<<60 }},
	{"few deadlines", func(rng *rand.Rand, _ int) int64 { return (1 + rng.Int64N(60)) << 20 }},
	{"round numbers", func(rng *rand.Rand, _ int) int64 { return (1 + rng.Int64N(60_000)) * 1_000_000 }},
	{"powers of two", func(rng *rand.Rand, _ int) int64 { return (1 + rng.Int64N(60_000)) << 24 }},
	{"round and dense", func(rng *rand.Rand, i int) int64 {
		return 1 + rng.Int64N(1000) + (1+rng.Int64N(60_000))<<40*int64(i&1)
	}},
}

// run fills a new queue with n timers of these delays, unless it has n. It schedules each
// that fires again, for a number of rounds, and returns the work a timer in the last one.
func run(t *testing.T, q *Queue[int], n, rounds int, delay func(int) int64) (days, comparisons, moved float64) {
	t.Helper()
	for i := q.Len(); i < n; i++ {
		q.Schedule(structures.Tick(delay(i)), i)
	}
	var before structures.Work
	for i := range n * rounds {
		if i == n*(rounds-1) {
			before = q.Work()
		}
		at, _ := q.Next()
		timer, ok := q.Pop(at)
		if !ok {
			t.Fatalf("Pop(%d) returned nothing, but Next had named that tick", at)
		}
		q.Schedule(at+structures.Tick(delay(i)), timer.Value)
	}
	checking.Sound(t, q)
	w := q.Work().Sub(before)
	return float64(w.SlotsVisited) / float64(n), float64(w.Comparisons) / float64(n), float64(w.Moved) / float64(n)
}

func TestATimerCostsLittleWhateverTheDelays(t *testing.T) {
	for _, d := range distributions {
		for _, n := range []int{10, 1000, 20_000} {
			rng := rand.New(rand.NewPCG(1, 2))
			q := New[int]()
			visits, comparisons, moved := run(t, q, n, 6, func(i int) int64 { return d.delay(rng, i) })
			t.Logf("%-15s %6d timers: %5.2f visits, %5.2f comparisons, %4.2f moves", d.name, n, visits, comparisons, moved)
			if visits > 40 || comparisons > 10 || moved > 2.5 {
				t.Errorf("%s, %d timers: %.2f visits, %.2f comparisons and %.2f moves a timer", d.name, n, visits, comparisons, moved)
			}
		}
	}
}

// A good length of day is kept.
func TestASteadyStateMovesNoTimer(t *testing.T) {
	for _, d := range distributions[:4] {
		rng := rand.New(rand.NewPCG(9, 10))
		delay := func(i int) int64 { return 1 + d.delay(rng, i)&0xffff } // spread evenly, or all the same
		q := New[int]()
		run(t, q, 1000, 20, delay)
		before := q.Work().Moved
		run(t, q, 1000, 100, delay)
		if got := q.Work().Moved - before; got != 0 {
			t.Errorf("%s: %d moves", d.name, got)
		}
	}
}

// If a change of the length of a day turns out soon not to be enough, the next one is larger.
func TestRetuningGathersSpeed(t *testing.T) {
	const n = 100
	q := New[int]()
	for i := range n {
		q.Schedule(structures.Tick(1+i), i)
	}
	shift := 0
	retune := func(direction, want int) {
		t.Helper()
		coreOf(q).retune(direction)
		if shift += want; coreOf(q).shift != shift {
			t.Fatalf("days of 2^%d ticks, want 2^%d", coreOf(q).shift, shift)
		}
		checking.Sound(t, q)
	}
	if coreOf(q).shift != shift {
		t.Fatalf("days of 2^%d ticks, want 2^%d", coreOf(q).shift, shift)
	}
	retune(+1, +1)
	retune(+1, +2)
	retune(-1, -1)
	retune(-1, -2)
	retune(+1, +1)
	for range 2*n + 1 {
		q.Cancel(q.Schedule(n, 0))
	}
	retune(+1, +1) // that was long ago
	retune(+1, +2)
	retune(-1, -1)
	retune(-1, -2)
	retune(-1, -1) // not below 0
}

// The length of a day must follow timers that become denser or sparser while their number stays.
func TestDaysFollowTheTimers(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	const n = 5000
	q := New[int]()
	for _, scale := range []int64{1 << 10, 1 << 45, 1 << 10, 1 << 30, 1 << 20} {
		visits, comparisons, _ := run(t, q, n, 10, func(int) int64 { return 1 + rng.Int64N(scale) })
		t.Logf("delays up to %d: %.2f visits and %.2f comparisons a timer, days of 2^%d", scale, visits, comparisons, coreOf(q).shift)
		if visits > 16 || comparisons > 8 {
			t.Errorf("delays up to %d: %.2f visits and %.2f comparisons a timer", scale, visits, comparisons)
		}
	}
}

// If days turn out to be far too long while the calendar is rebuilt, it gives up and makes them shorter.
func TestRebuildingGivesUpOnLongDays(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	const n = 20_000
	delay := func(int) int64 { return 1 + rng.Int64N(n) }
	q := New[int]()
	run(t, q, n, 1, delay)
	before := q.Work()
	coreOf(q).rebuild(coreOf(q).width, 40) // all of them on one day, were it done
	checking.Sound(t, q)
	if got := q.Work().Sub(before).Comparisons; got > 150*n {
		t.Errorf("%d comparisons to rebuild a calendar of %d timers", got, n)
	}
	if _, comparisons, _ := run(t, q, n, 3, delay); comparisons > 8 || coreOf(q).shift > 4 {
		t.Errorf("%.2f comparisons a timer, with days of 2^%d ticks", comparisons, coreOf(q).shift)
	}
}

// As long as the number of timers stays about the same, the calendar is not rebuilt.
func TestANumberOfTimersHasToChangeToResize(t *testing.T) {
	for n := 17; n < 300; n++ {
		q := New[int]()
		ids := make([]structures.ID, n)
		for i := range ids {
			ids[i] = q.Schedule(structures.Tick(1+i), i)
		}
		before := q.Work().Moved
		for i := range 1000 {
			k := i % n
			q.Cancel(ids[k])
			q.Cancel(ids[(k+1)%n])
			ids[k] = q.Schedule(structures.Tick(1+k), k)
			ids[(k+1)%n] = q.Schedule(structures.Tick(1+(k+1)%n), k)
		}
		if got := q.Work().Moved - before; got > uint64(2*n) {
			t.Errorf("%d timers: %d moves", n, got)
		}
	}
}

// However far apart timers are, firing one costs what the calendar holds.
func TestAYearWithoutTimersIsSearchedOnce(t *testing.T) {
	q := New[int]()
	const n = 1000
	for i := range n {
		q.Schedule(structures.Tick(1+i), i) // days are short
	}
	for i := range n {
		q.Schedule(math.MaxInt64-structures.Tick(i)<<50, i)
	}
	for q.Len() > 0 {
		before := q.Work().SlotsVisited
		buckets := len(coreOf(q).buckets)
		q.Pop(math.MaxInt64)
		if got := int(q.Work().SlotsVisited - before); got > 2*buckets {
			t.Fatalf("%d days visited with %d buckets, want at most two a bucket", got, buckets)
		}
	}
	if got := q.Work().SlotsVisited; got > 60*2*n {
		t.Errorf("%d days visited for %d timers", got, 2*n)
	}
}
