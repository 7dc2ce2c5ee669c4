package calendar

import (
	"slices"
	"testing"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/fifo"
	"github.com/timerbench/timerbench/structures/internal/slab"
	"github.com/timerbench/timerbench/structures/internal/slotted"
	"github.com/timerbench/timerbench/structures/internal/whitebox"
	"github.com/timerbench/timerbench/structures/schedtest"
)

func TestConformance(t *testing.T) {
	whitebox.Suite(t, "calendar", slab.MaxCapacity,
		func(n int) structures.Scheduler[uint64] { return New[uint64](Capacity(n)) },
		func() structures.Scheduler[*schedtest.Payload] { return New[*schedtest.Payload]() }, schedtest.FIFO())
}

func FuzzAgainstModel(f *testing.F) {
	schedtest.Fuzz(f, func() structures.Scheduler[uint64] { return New[uint64]() }, schedtest.FIFO())
}

// coreOf returns the queue of slots of a calendar queue.
func coreOf(q *Queue[int]) *core {
	_, c := slotted.Parts(&q.scheduler)
	return c
}

// The work is counted by hand. There are 8 days of one tick a year throughout,
// so that up to tick 7 each tick has a bucket of its own. Beside each step are the
// timers pending after it, the first one in brackets if it is known.
func TestWorkIsCounted(t *testing.T) {
	q := New[int]()
	ids := map[structures.Tick]structures.ID{}
	schedule := func(deadlines ...structures.Tick) {
		for _, d := range deadlines {
			ids[d] = q.Schedule(d, 0)
		}
	}
	pop := func(now structures.Tick) { q.Pop(now) }
	// Year 125, of tick 1000, begins at bucket 2, the next one at 6 and that
	// after it at 3: so these are in buckets 2, 0 and 7.
	const far, later, latest = 1000, 1010, 1020
	for day, bucket := range map[uint64]int{1000: 2, 1008: 6, 1016: 3} {
		if c := coreOf(q); c.bucket(day) != &c.buckets[bucket] {
			t.Fatalf("day %d is not in bucket %d", day, bucket)
		}
	}
	for _, step := range []struct {
		name string
		do   func()
		want structures.Work
	}{
		{"the first timer", func() { schedule(3) }, structures.Work{}},                                                                             // [3]
		{"another bucket: with the first", func() { schedule(5) }, structures.Work{Comparisons: 1}},                                                // [3] 5
		{"the same bucket: with the first and the last there", func() { schedule(5) }, structures.Work{Comparisons: 2}},                            // [3] 5 5
		{"the earliest", func() { schedule(2) }, structures.Work{Comparisons: 1}},                                                                  // [2] 3 5 5
		{"nothing due, and the first is known", func() { pop(1); q.Next() }, structures.Work{}},                                                    // [2] 3 5 5
		{"fire 2", func() { pop(2) }, structures.Work{}},                                                                                           // 3 5 5
		{"nothing on day 2", func() { pop(2) }, structures.Work{SlotsVisited: 1, EmptySlots: 1}},                                                   // 3 5 5
		{"day 2 is over", func() { pop(2) }, structures.Work{}},                                                                                    // 3 5 5
		{"next on day 3", func() { q.Next() }, structures.Work{SlotsVisited: 1}},                                                                   // [3] 5 5
		{"again", func() { q.Next(); pop(2) }, structures.Work{}},                                                                                  // [3] 5 5
		{"cancel 3", func() { q.Cancel(ids[3]) }, structures.Work{}},                                                                               // 5 5
		{"days 3, 4 and 5", func() { pop(6) }, structures.Work{SlotsVisited: 3, EmptySlots: 2}},                                                    // [5]
		{"the other of day 5", func() { pop(6) }, structures.Work{}},                                                                               //
		{"nothing at all", func() { pop(7); q.Next() }, structures.Work{}},                                                                         //
		{"schedule far ones", func() { schedule(later, latest, far) }, structures.Work{Comparisons: 2}},                                            // 1010 1020 [1000]
		{"fire one", func() { pop(far) }, structures.Work{}},                                                                                       // 1010 1020
		{"visit the year from 1000 on, then all buckets", func() { pop(1015) }, structures.Work{SlotsVisited: 16, EmptySlots: 12, Comparisons: 1}}, // 1020
		{"visit 1010 to 1015", func() { pop(1015) }, structures.Work{SlotsVisited: 6, EmptySlots: 6}},                                              // 1020
		{"visit 1016 to 1020", func() { q.Next() }, structures.Work{SlotsVisited: 5, EmptySlots: 4}},                                               // [1020]
		{"a stale ID", func() { q.Cancel(ids[3]); q.Reschedule(ids[3], 1) }, structures.Work{}},                                                    // [1020]
		{"move it", func() { q.Reschedule(ids[latest], 1030) }, structures.Work{}},                                                                 // [1030]
		{"three of one tick", func() { schedule(1040, 1040, 1040) }, structures.Work{Comparisons: 5}},                                              // [1030] 1040*3
	} {
		before := q.Work()
		step.do()
		if got := q.Work().Sub(before); got != step.want {
			t.Errorf("%s: work %+v, want %+v", step.name, got, step.want)
		}
		if err := q.CheckInvariants(); err != nil {
			t.Fatalf("%s: %v", step.name, err)
		}
	}
}

// Inserting is counted by hand, too: all timers are in one bucket.
func TestInsertingIsCounted(t *testing.T) {
	c := newCore(0)
	c.shift = 20
	for i, step := range []struct {
		deadline    structures.Tick
		comparisons uint64
		steps       int
	}{
		{50, 0, 0}, // 50
		{90, 1, 0}, // 50 90
		{90, 1, 0}, // 50 90 90
		{10, 2, 1}, // 10 50 90 90: before the first
		{70, 5, 2}, // 10 50 70 90 90: 10 is earlier, 90 later; 50 is earlier, then 50 comes before
		{60, 6, 3}, // 10 50 60 70 90 90
		{20, 4, 2}, // 10 20 50 60 70 90 90: 10 is earlier, 90 later; then 50 comes after
		{95, 1, 0}, // 10 20 50 60 70 90 90 95
		{90, 3, 1}, // 10 20 50 60 70 90 90 90 95: 10 is earlier, then 90 comes before
	} {
		before := c.work.Comparisons
		c.nodes.SetDeadline(uint32(i+1), step.deadline)
		steps := c.insert(uint32(i+1), step.deadline)
		if got := c.work.Comparisons - before; got != step.comparisons || steps != step.steps {
			t.Errorf("insert %d: %d comparisons and %d steps, want %d and %d",
				step.deadline, got, steps, step.comparisons, step.steps)
		}
	}
	var got []uint32
	for slot := range c.nodes.All(*c.bucket(0)) {
		got = append(got, slot)
	}
	if want := []uint32{4, 7, 1, 6, 5, 2, 3, 9, 8}; !slices.Equal(got, want) { // equal ones in their order
		t.Fatalf("slots %v, want %v", got, want)
	}
}

func TestResizingIsCounted(t *testing.T) {
	q := New[int](Capacity(32))
	var ids []structures.ID
	for i := range 17 {
		if got := q.Work().Moved; got != 0 {
			t.Fatalf("%d timers moved, want none of the first 16", got)
		}
		ids = append(ids, q.Schedule(structures.Tick(100*i), i))
	}
	if got := q.Work().Moved; got != 16 || len(coreOf(q).buckets) != 16 {
		t.Fatalf("%d timers moved into %d buckets, want 16 into 16", got, len(coreOf(q).buckets))
	}
	for _, id := range ids[:9] {
		q.Cancel(id)
	}
	if got := q.Work().Moved; got != 16 {
		t.Fatalf("%d timers moved, want none as long as 8 are left", got-16)
	}
	q.Cancel(ids[9])
	if got := q.Work().Moved - 16; got != 7 || len(coreOf(q).buckets) != 8 {
		t.Fatalf("%d timers moved into %d buckets, want 7 into 8", got, len(coreOf(q).buckets))
	}
}

func TestCheckInvariantsNamesWhatIsBroken(t *testing.T) {
	sound := func() *scheduler[int] {
		q := New[int]()
		for range 3 { // in one bucket
			q.Schedule(3, 0)
		}
		q.Schedule(4, 0)
		q.Next()
		return &q.scheduler
	}
	whitebox.FindsDamageToQueue(t, sound, map[string]func(*core){
		"order":     func(c *core) { c.nodes.SetDeadline(c.bucket(c.day(3)).Front(), 19) },
		"bucket":    func(c *core) { c.nodes.SetDeadline(c.bucket(c.day(3)).Back(), 4) },
		"links":     func(c *core) { c.nodes.Detach(c.bucket(c.day(3)).Back()) },
		"lost":      func(c *core) { *c.bucket(c.day(3)) = fifo.List{} },
		"size":      func(c *core) { c.size++ },
		"today":     func(c *core) { c.today++ },
		"yesterday": func(c *core) { c.first, c.today = 0, c.today+1 },
		"first":     func(c *core) { c.first = c.bucket(c.day(3)).Back() },
		"not today": func(c *core) { c.today-- },
		"width":     func(c *core) { c.width++ },
		"shift":     func(c *core) { c.shift = -1 },
		"buckets":   func(c *core) { c.buckets = c.buckets[:4] },
	})
}

func TestCapacityReservesAtMostABucketATimer(t *testing.T) {
	for _, n := range []int{0, 1, 16, 17, 32, 33, 1000, 1024, 1025} {
		q := New[int](Capacity(n))
		for i := range n {
			q.Schedule(structures.Tick(i*7919%1031), i)
		}
		if got := cap(coreOf(q).buckets); got != 8 && got > n {
			t.Errorf("Capacity(%d): room for %d buckets, want at most as many as timers", n, got)
		}
	}
}
