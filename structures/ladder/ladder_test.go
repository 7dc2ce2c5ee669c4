package ladder_test

import (
	"testing"

	"github.com/timerbench/timerbench/internal/longtest"
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/checking"
	core "github.com/timerbench/timerbench/structures/internal/ladder"
	"github.com/timerbench/timerbench/structures/internal/whitebox"
	"github.com/timerbench/timerbench/structures/ladder"
	"github.com/timerbench/timerbench/structures/schedtest"
)

func TestConformance(t *testing.T) {
	whitebox.Suite(t, ladder.New[uint64], ladder.New[*schedtest.Payload], ladder.Capacity, schedtest.Levels(core.Levels))
}

func TestMany(t *testing.T) {
	schedtest.Many(t, longtest.Scale(t, 20_000, 60_000, 5<<20), func() structures.Scheduler[uint64] { return ladder.New[uint64]() })
}

func FuzzModel(f *testing.F) { whitebox.Fuzz(f, ladder.New[uint64], schedtest.Levels(core.Levels)) }

// A timer goes to the level for its distance from the clock, wherever the timers before it were.
func TestTheBaseFollowsTheClock(t *testing.T) {
	const now, n = 3<<18 + 2<<12, 1000
	l := ladder.New[int]()
	l.Schedule(1<<40, 0)
	l.Schedule(now, 0) // from a slot that starts at 3<<18
	for range structures.Due(l, now) {
	}
	before := l.Work().Moved
	for i := range n {
		l.Schedule(structures.Tick(now+1+i%63), 0)
	}
	checking.Sound(t, l)
	for range structures.Due(l, now+63) {
	}
	if moved := l.Work().Moved - before; moved > n*5/4 || l.Len() != 1 {
		t.Errorf("%d timers of one tick each were moved %d times, want hardly more than once each", n, moved)
	}
}

// A slot does not start before the timers in front are due, even if a timer before them left its list, so that listed is too low.
func TestASlotDoesNotStartBeforeTheTimersInFront(t *testing.T) {
	l := ladder.New[int]()
	for i := range 100 {
		l.Schedule(structures.Tick(8060-40*i), 0) // the front of one slot
	}
	l.Pop(4096)
	x := l.Schedule(6000, 0) // in lists, because the front has more timers than a new one passes
	l.Schedule(8000, 0)
	l.Reschedule(x, 4200)
	for last := structures.Tick(0); l.Len() > 0; checking.Sound(t, l) {
		timer, _ := l.Pop(8100)
		if timer.Deadline < last {
			t.Fatalf("deadline %d fires after deadline %d", timer.Deadline, last)
		}
		last = timer.Deadline
	}
}

// A slot of 4096 ticks is sorted at once. Timers that come later fire between those of the slot,
// and what is moved back and forth in front of them takes no room for good.
func TestLaterTimersAreMergedWithTheSortedOnes(t *testing.T) {
	const slot, n = 8 << 12, 1000
	l := ladder.New[int]()
	for i := range n {
		l.Schedule(slot+structures.Tick(i*7919%4096), 0)
	}
	l.Pop(slot)
	if moved := l.Work().Moved; moved != n {
		t.Errorf("%d timers were moved %d times, want once each", n, moved)
	}
	for i := range n {
		l.Schedule(slot+structures.Tick(i*5003%4096), 0)
	}
	id := l.Schedule(slot+1, 0)
	for i := range 10 * n {
		l.Reschedule(id, slot+1+structures.Tick(i%2))
	}
	checking.Sound(t, l)
	for _, p := range l.Snapshot().Parts {
		if p.Name == "front" {
			entries := 0
			for _, c := range p.Cells {
				entries += len(c.Entries)
			}
			if entries > 3*n {
				t.Errorf("the front has %d entries of %d timers", entries, l.Len())
			}
		}
	}
	last, fired := structures.Tick(0), 0
	for now := structures.Tick(slot); now < slot+4096; now++ {
		for timer := range structures.Due(l, now) {
			if timer.Deadline < last || timer.Deadline > now || timer.Deadline < now && now > slot+1 {
				t.Fatalf("%+v fired at %d, after one of %d", timer, now, last)
			}
			last = timer.Deadline
			fired++
		}
		if now%512 == 0 {
			checking.Sound(t, l)
		}
	}
	if fired != 2*n || l.Len() != 0 {
		t.Errorf("%d timers fired, %d are left, want %d", fired, l.Len(), 2*n)
	}
}

// A hundred timers fire and are replaced, again and again. After a while nothing is allocated.
func TestFillAndDrainAllocatesNothing(t *testing.T) {
	s, now, random := ladder.New[int](), structures.Tick(0), uint64(1)
	cycles := func(n int) {
		for range n {
			for i := range 100 {
				random = random*6364136223846793005 + 1442695040888963407
				s.Schedule(now+1+structures.Tick(random>>33%60_000), i)
			}
			for at, ok := s.Next(); ok; at, ok = s.Next() {
				for range structures.Due(s, at) {
				}
				now = at
			}
		}
	}
	cycles(1000)
	if allocs := testing.AllocsPerRun(1, func() { cycles(1000) }); allocs > 2 {
		t.Errorf("%.0f allocations in 200,000 operations of the steady state, want none", allocs)
	}
}
