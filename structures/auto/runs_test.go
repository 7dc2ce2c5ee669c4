package auto_test

import (
	"runtime"
	"testing"

	"github.com/timerbench/timerbench/internal/longtest"
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/auto"
	"github.com/timerbench/timerbench/structures/internal/checking"
)

const delay = 60_000

// line is timers that come in order.
type line struct {
	*auto.Timers[int]
	now structures.Tick
	ids []structures.ID
}

// inOrder schedules timers with one delay, n in half of it, and then cancels all but each keepth.
func (l *line) inOrder(n, keep, rounds int) {
	for range rounds {
		l.ids = l.ids[:0]
		start := l.now
		for i := range n {
			l.now = start + structures.Tick(i*delay/2/n)
			for range structures.Due(l.Timers, l.now) {
			}
			if id := l.Schedule(l.now+delay, i); i%keep != 0 {
				l.ids = append(l.ids, id)
			}
		}
		for _, id := range l.ids {
			l.Cancel(id)
		}
		l.now = start + delay/2
	}
}

// stale returns the number of dead entries of all runs, and of their timers.
func stale(s *auto.Timers[int]) (dead, live int) {
	for _, p := range s.Snapshot().Parts {
		if len(p.Name) > 3 && p.Name[:3] == "run" {
			for _, c := range p.Cells {
				if c.Entries[0].ID == 0 {
					dead++
				} else {
					live++
				}
			}
		}
	}
	return dead, live
}

// Timers that come in order neither cascade nor are sorted, and take no memory but that of the first ones.
func TestTimersInOrderStayInARun(t *testing.T) {
	for name, n := range map[string]int{"lists": 1000, "wheel": 20_000} {
		s := line{Timers: auto.New[int]()}
		s.inOrder(n, 1, 8)
		before := s.Work()
		if allocs := testing.AllocsPerRun(1, func() { s.inOrder(n, 1, 8) }); allocs > 2 {
			t.Errorf("%s: %v allocations, want none", name, allocs)
		}
		if did := s.Work().Sub(before); did.Moved+did.Comparisons+did.Dropped > 0 {
			t.Errorf("%s: %+v, want no work", name, did)
		}
		checking.Sound(t, s.Timers)
	}
}

// Dead entries are bounded by the timers that were pending, in the wheel by those that are. No call removes many.
func TestDeadEntriesOfRunsAreBounded(t *testing.T) {
	for name, n := range map[string]int{"lists": 5000, "wheel": 60_000} {
		s := line{Timers: auto.New[int]()}
		s.inOrder(n, 1, 4)
		if _, live := stale(s.Timers); live < n {
			t.Fatalf("%s: %d timers are in runs, want %d", name, live, n)
		}
		s.inOrder(n, 10, 8)
		if name == "lists" {
			for range 20 * n {
				s.Cancel(s.Schedule(s.now+2*delay, 0))
			}
		}
		pending := s.Len()
		if name == "lists" {
			pending += n
		}
		if dead, live := stale(s.Timers); dead > 3*pending+2000 || live == 0 {
			t.Errorf("%s: %d dead entries, %d timers in runs, %d in all", name, dead, live, s.Len())
		}
		checking.Sound(t, s.Timers)
	}
	s := line{Timers: auto.New[int]()}
	s.inOrder(60_000, 1, 4)
	s.inOrder(60_000, 2, 1)
	for _, part := range s.Snapshot().Parts[:1] {
		for _, c := range part.Cells[:10_000] {
			s.Cancel(c.Entries[0].ID)
		}
	}
	for range 3 {
		before := s.Work().Dropped
		if s.Next(); s.Work().Dropped-before > 1000 {
			t.Fatalf("Next removed %d dead entries, want at most 1000", s.Work().Dropped-before)
		}
	}
	checking.Sound(t, s.Timers)
}

// Dead entries that are due cost no long call while the clock goes tick by tick. A jump pays for those of the timers that were pending.
func TestDueDeadEntriesAreDroppedInSteps(t *testing.T) {
	n := longtest.Scale(t, 60_000, 60_000, 1_000_000)
	for _, step := range []structures.Tick{1, 2 * delay} {
		s := line{Timers: auto.New[int]()}
		s.inOrder(n, 1, 4)
		s.inOrder(n, n, 1)
		most := uint64(n/delay*2 + 32)
		if step > 1 {
			most = uint64(2*s.Len() + 1016)
		}
		for now := s.now; now <= s.now+2*delay; now += step {
			for ok := true; ok; {
				before := s.Work().Dropped
				if _, ok = s.Pop(now); s.Work().Dropped-before > most {
					t.Fatalf("steps of %d ticks: a Pop dropped %d of %d entries, want at most %d", step, s.Work().Dropped-before, n, most)
				}
			}
		}
		checking.Sound(t, s.Timers)
	}
}

// Room for timers is room for timers in order, too.
func TestCapacityIsForTimersInOrder(t *testing.T) {
	const n = 30_000
	s := []*auto.Timers[int]{auto.New[int](auto.Capacity(n)), auto.New[int](auto.Capacity(n))} // AllocsPerRun runs twice
	if allocs := testing.AllocsPerRun(1, func() {
		for i := range n {
			s[0].Schedule(structures.Tick(delay+i), 0)
		}
		s = s[1:]
	}); allocs > 0 {
		t.Errorf("%v allocations, want none", allocs)
	}
}

// A timer of a run that moved, and is due when all timers go to the wheel, fires in its turn.
func TestTimersOfARunAreDueDuringAChange(t *testing.T) {
	const limit = 100
	s := auto.NewFew[int](limit)
	now := structures.Tick(0)
	for live := 0; live == 0; _, live = stale(s) { // until a run is open
		now++
		for range structures.Due(s, now) {
		}
		s.Schedule(now+limit, 0)
	}
	for range structures.Due(s, now+limit) {
	}
	now += limit
	var ids []structures.ID
	for i := range limit {
		ids = append(ids, s.Schedule(now+structures.Tick(1000+i), i))
	}
	if _, live := stale(s); live != limit {
		t.Fatalf("%d timers are in a run, want %d", live, limit)
	}
	for _, id := range ids[60:80] {
		s.Reschedule(id, now+1090)
	}
	last, fired := structures.Tick(0), 0
	for timer, ok := s.Pop(now + 2000); ok; timer, ok = s.Pop(now + 2000) {
		if timer.Deadline < last {
			t.Fatalf("deadline %d fired after %d", timer.Deadline, last)
		}
		for last = timer.Deadline; !s.Many(); {
			s.Schedule(now+5000, 0)
		}
		checking.Sound(t, s)
		fired++
	}
	if fired != limit {
		t.Errorf("%d timers fired, want %d", fired, limit)
	}
}

// A run that grows allocates seldom: its pages come in slabs that grow with it.
func TestAGrowingRunAllocatesSeldom(t *testing.T) {
	a := auto.New[uint64]()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	const n = 60_000
	for i := range n {
		a.Schedule(structures.Tick(100_000+i), 0)
		a.Pop(structures.Tick(i))
	}
	runtime.ReadMemStats(&after)
	if allocations := after.Mallocs - before.Mallocs; allocations > 200 {
		t.Errorf("%d allocations for %d timers in order", allocations, n)
	}
}

// Work counts the dead entries that leave the queues.
func TestWorkCountsDeadEntriesOfQueues(t *testing.T) {
	s := line{Timers: auto.New[int]()}
	s.inOrder(20_000, 1, 4)
	var cancelled uint64
	for _, part := range s.Snapshot().Parts[:1] {
		for _, c := range part.Cells[:100] {
			if s.Cancel(c.Entries[0].ID) {
				cancelled++
			}
		}
	}
	for before := s.Work().Dropped; s.Len() > 0; s.Pop(s.now + 2*delay) {
		if s.Len() == 1 && s.Work().Dropped-before < cancelled {
			t.Errorf("%d entries dropped, want at least the %d cancelled", s.Work().Dropped-before, cancelled)
		}
	}
}
