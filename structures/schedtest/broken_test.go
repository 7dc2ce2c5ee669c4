package schedtest

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/schedtest/model"
)

// Here are schedulers with one bug each, most of them seen in real timer libraries. The checks of the rule that a bug
// breaks must report it, and so must the random programs, unless it is about memory or time.

type (
	tick      = structures.Tick
	id        = structures.ID
	timer     = structures.Timer[uint64]
	scheduler = structures.Scheduler[uint64]
	reference = model.Model[uint64]
	faulty    = faultyOf[uint64]
)

var broken = []struct {
	name     string
	faulty   faulty // or
	new      func() scheduler
	opts     []Option
	check    string // checks whose names begin so must fail
	says     string // and say so
	resource bool   // the answers are right, or rarely wrong, so that random programs find nothing
	normal   bool   // it takes runs of normal length, not short ones, to find it
}{
	{name: "the first ID is 0", check: "Clock", says: `"Identity"`, faulty: faulty{schedule: func(s *faulty, at tick, v uint64) id {
		s.Model.Schedule(at, v)
		s.last().ID--
		return s.last().ID
	}}},
	{name: "IDs without generation", check: "Identity/StaleIs", says: `"Identity"`, faulty: faulty{schedule: func(s *faulty, at tick, v uint64) id {
		slot := id(1)
		for s.Find(slot) >= 0 {
			slot++
		}
		s.Admit(slot, at, v)
		return slot
	}}},
	{name: "ID 0 names the first timer", check: "Identity/Forged", says: "never issued", faulty: faulty{cancel: func(s *faulty, i id) bool {
		if i == 0 && s.Len() > 0 {
			i = s.Pending[0].ID
		}
		return s.Model.Cancel(i)
	}}},
	{name: "the next generation is accepted", check: "Identity/Forged", says: "never issued", faulty: cancelled(func(s *faulty, i id) bool { return i == s.Issued+1 })},
	{name: "Cancel of a stale ID is true", check: "Identity/StaleIs", says: "has fired or was cancelled", faulty: cancelled(was)},
	{name: "Reschedule of a stale ID is true", check: "Identity/StaleIs", says: "has fired or was cancelled", faulty: faulty{reschedule: func(s *faulty, i id, at tick) bool {
		return s.Model.Reschedule(i, at) || was(s, i)
	}}},
	{name: "Reschedule of a stale ID revives it", check: "Identity/StaleIs", says: "has fired or was cancelled", faulty: faulty{reschedule: func(s *faulty, i id, at tick) bool {
		if !s.Model.Reschedule(i, at) && was(s, i) {
			s.Admit(i, at, 0)
		}
		return s.Find(i) >= 0
	}}},
	{name: "Cancel loses another timer", check: "Identity/Cancel", says: "it is pending", faulty: faulty{
		cancel: func(s *faulty, i id) bool {
			if at := s.Find(i); at > 3 {
				s.Remove(at - 1)
				s.n++
			}
			return s.Model.Cancel(i)
		},
		len: func(s *faulty) int { return s.Model.Len() + int(s.n) },
	}},
	{name: "Cancel of a due timer is forgotten", check: "Freedom/StopEarlyThenCancel", says: "not pending", new: func() scheduler { return &batching{dead: map[id]bool{}} }},

	{name: "Next is when a cancelled timer was due", check: "Freedom/StopEarlyAndGrow", says: "as nothing is due", resource: true, opts: []Option{Levels(4)}, faulty: faulty{
		cancel: func(s *faulty, i id) bool {
			if p := s.Find(i); p >= 0 && s.Pending[p].Deadline <= s.Clock {
				s.kept = append(s.kept[:0], s.Pending[p].Timer)
			}
			return s.Model.Cancel(i)
		},
		pop: func(s *faulty, now tick) (timer, bool) {
			s.kept = nil
			return s.Model.Pop(now)
		},
		next: func(s *faulty) (tick, bool) {
			at, ok := s.Model.Next()
			if len(s.kept) > 0 {
				at = min(at, s.kept[0].Deadline)
			}
			return at, ok
		},
	}},
	{name: "what is due is mixed up when a crowd grows", check: "Freedom/StopEarlyAndGrow", says: "the earliest first", resource: true, faulty: faulty{
		schedule: func(s *faulty, at tick, v uint64) id {
			if e := s.Earliest(); s.Len() == 300 && s.Pending[e].Deadline <= s.Clock {
				s.n = 1
			}
			return s.Model.Schedule(at, v)
		},
		pop: func(s *faulty, now tick) (timer, bool) {
			s.Advance(now)
			if e := s.Earliest(); s.n == 1 && e >= 0 && s.Pending[e].Deadline < s.Clock {
				for i := range s.Pending {
					if d := s.Pending[i].Deadline; d <= s.Clock && d > s.Pending[e].Deadline {
						return s.Remove(i).Timer, true
					}
				}
			}
			return s.Model.Pop(now)
		},
	}},

	{name: "clock goes back", check: "Clock", says: `"Next"`, faulty: faulty{pop: func(s *faulty, now tick) (timer, bool) {
		s.Clock = now
		return s.Model.Pop(now)
	}}},
	{name: "clock starts at -1", check: "Clock", says: `"Next"`, faulty: faulty{Model: reference{Clock: -1}}},
	{name: "Next moves the clock", check: "Clock", says: `"Next"`, faulty: asked(func(s *faulty, at tick, ok bool) (tick, bool) {
		if ok {
			s.Advance(at - 1)
		}
		return at, ok
	})},
	{name: "past deadlines are kept", check: "PastDeadlines", says: `"Next"`, faulty: scheduled(func(_ *faulty, at tick, e *model.Entry[uint64]) { e.Deadline = at })},
	{name: "past deadlines are kept by Reschedule", check: "PastDeadlines", says: `"Next"`, faulty: moved(func(_ *faulty, at tick, e *model.Entry[uint64]) { e.Deadline = at })},
	{name: "a deadline in the past counts as the clock", check: "PastDeadlines", says: `"Next"`, faulty: scheduled(func(s *faulty, at tick, e *model.Entry[uint64]) { e.Deadline = max(at, s.Clock) })},
	{name: "clock+1 wraps around", check: "Range", says: `"Next"`, faulty: scheduled(func(s *faulty, at tick, e *model.Entry[uint64]) {
		if at <= s.Clock {
			e.Deadline = s.Clock + 1
		}
	})},
	{name: "Timer.Deadline is what was asked", check: "PastDeadlines", says: `"PastDeadlines"`, faulty: faulty{
		schedule: func(s *faulty, at tick, v uint64) id {
			if s.asked == nil {
				s.asked = map[id]tick{}
			}
			got := s.Model.Schedule(at, v)
			s.asked[got] = at
			return got
		},
		pop: func(s *faulty, now tick) (timer, bool) {
			t, ok := s.Model.Pop(now)
			t.Deadline = s.asked[t.ID]
			return t, ok
		},
	}},
	{name: "far deadlines are cut off", check: "Range", says: "the earliest deadline", faulty: faulty{schedule: func(s *faulty, at tick, v uint64) id {
		return s.Model.Schedule(min(at, model.Add(s.Clock, 1<<36)), v)
	}}},

	{name: "fires one tick early", check: "Order", says: "never early", faulty: early},
	{name: "fires one tick late", check: "Order", says: "never lost", faulty: late},
	{name: "fires twice", check: "Order", says: "not pending", faulty: popped(func(s *faulty, t timer, ok bool) (timer, bool) {
		if !ok && len(s.kept) > 0 {
			t, ok, s.kept = s.kept[0], true, nil
		} else if ok && t.ID%16 == 0 {
			s.kept = []timer{t}
		}
		return t, ok
	})},
	{name: "loses every hundredth timer", check: "Order", says: "never lost", faulty: faulty{
		schedule: func(s *faulty, at tick, v uint64) id {
			got := s.Model.Schedule(at, v)
			if got%100 == 0 {
				s.Remove(len(s.Pending) - 1)
				s.n++
			}
			return got
		},
		len: func(s *faulty) int { return s.Model.Len() + int(s.n) },
	}},
	{name: "a jump fires in order of scheduling", check: "Order/Earliest", says: "the earliest first", faulty: faulty{pop: func(s *faulty, now tick) (timer, bool) {
		s.Advance(now)
		for i := range s.Pending {
			if s.Pending[i].Deadline <= s.Clock {
				return s.Remove(i).Timer, true
			}
		}
		return timer{}, false
	}}},
	{name: "ties are LIFO", check: "Order/Ties", says: "FIFO", opts: []Option{FIFO()}, faulty: lifo},
	{name: "Reschedule keeps the place in a tie", check: "Order/Ties", says: "FIFO", opts: []Option{FIFO()}, faulty: faulty{reschedule: func(s *faulty, i id, at tick) bool {
		p := s.Find(i)
		if p >= 0 {
			s.Pending[p].Deadline = s.Clamp(at)
		}
		return p >= 0
	}}},
	{name: "values are mixed up", check: "Order", says: "with value", faulty: popped(func(s *faulty, t timer, ok bool) (timer, bool) {
		if i := s.Earliest(); ok && i >= 0 && s.Pending[i].Deadline == t.Deadline {
			t.Value, s.Pending[i].Value = s.Pending[i].Value, t.Value
		}
		return t, ok
	})},

	{name: "Reschedule changes the value", check: "Reschedule", says: "with value", faulty: moved(func(_ *faulty, _ tick, e *model.Entry[uint64]) { e.Value = 0 })},
	{name: "Reschedule changes the ID", check: "Reschedule", says: `"Identity"`, faulty: moved(func(s *faulty, _ tick, e *model.Entry[uint64]) {
		s.Issued++
		e.ID = s.Issued
	})},
	{name: "Reschedule of a pending timer is false", check: "Reschedule", says: "it is pending", faulty: faulty{reschedule: func(s *faulty, i id, at tick) bool {
		return s.Model.Reschedule(i, at) && s.Len()%4 != 0
	}}},
	{name: "Reschedule moves later only", check: "Reschedule", says: "never lost", faulty: faulty{reschedule: func(s *faulty, i id, at tick) bool {
		if p := s.Find(i); p >= 0 {
			at = max(at, s.Pending[p].Deadline)
		}
		return s.Model.Reschedule(i, at)
	}}},
	{name: "Reschedule across 2^12 is forgotten", check: "Reschedule/Across", says: "want deadline", faulty: faulty{reschedule: func(s *faulty, i id, at tick) bool {
		if p := s.Find(i); p >= 0 && at>>12 != s.Pending[p].Deadline>>12 && at&(1<<12-1) == 0 {
			return true
		}
		return s.Model.Reschedule(i, at)
	}}},

	{name: "Next is too late", check: "Next", says: "the earliest deadline", faulty: nextTooLate},
	{name: "Next of a wheel is too late", check: "Next", says: "at most", opts: []Option{Levels(4)}, faulty: nextTooLate},
	{name: "Next is too early", check: "Next", says: "the earliest deadline", faulty: nextHalfway},
	{name: "Next is not after the clock", check: "Next", says: "after the clock", opts: []Option{Levels(4)}, faulty: asked(func(s *faulty, at tick, ok bool) (tick, bool) { return min(at, s.Clock), ok })},
	{name: "Next takes too many steps", check: "Next", says: "steps", opts: []Option{Levels(4)}, faulty: nextHalfway},
	{name: "Next is ok when empty", check: "Next", says: "exactly when Len is 0", faulty: asked(func(_ *faulty, at tick, _ bool) (tick, bool) { return at, true })},
	{name: "Next is not ok with timers far away", check: "Next", says: "exactly when Len is 0", faulty: asked(func(s *faulty, at tick, ok bool) (tick, bool) { return at, ok && at-s.Clock < 1<<32 })},
	{name: "Len leaves out what is due", check: "Len", says: `"Len"`, faulty: faulty{len: func(s *faulty) (n int) {
		for _, e := range s.Pending {
			if e.Deadline > s.Clock {
				n++
			}
		}
		return n
	}}},
	{name: "Len counts every Schedule", check: "Len", says: `"Len"`, faulty: faulty{len: func(s *faulty) int { return int(s.Issued) }}},
	{name: "an invariant is broken", check: "Order", says: "heap upside down", faulty: faulty{check: func(s *faulty) error {
		if s.Model.Len() > 5 {
			return errors.New("heap upside down")
		}
		return nil
	}}},
	{name: "a counter counts down", check: "Order", says: "only count up", faulty: faulty{
		pop:  func(s *faulty, now tick) (timer, bool) { s.n--; return s.Model.Pop(now) },
		work: func(s *faulty) structures.Work { return structures.Work{Comparisons: uint64(s.n)} },
	}},
	{name: "one scheduler for all", check: "Instances", says: "rule", new: func() func() scheduler {
		shared := new(reference)
		return func() scheduler { return shared }
	}()},

	{name: "a deadline 2^20 ticks away is a tick off", check: "Spans/Jump", says: "deadline", faulty: farOff},
	{name: "the same, stepping by Next", check: "Spans/Step", says: "deadline", faulty: farOff},
	{name: "the same, in one jump", check: "Spans/One", says: "deadline", faulty: farOff},

	{name: "late beyond its bound", check: "Order", says: "has to have fired", opts: []Option{Coarse(upTo6)}, faulty: coarse},
	{name: "coarse and late without saying so", check: "Order", says: "the earliest deadline", faulty: coarse},
	{name: "coarse, and fires early", check: "Order", says: "never early", opts: []Option{Coarse(upTo7)}, faulty: early},
	{name: "coarse, and Next is too late", check: "Next", says: "has to have fired", opts: []Option{Coarse(upTo7)}, faulty: faulty{pop: coarse.pop, next: func(s *faulty) (tick, bool) {
		at, ok := coarse.next(s)
		return model.Add(at, 8), ok
	}}},
	{name: "coarse, and fires before Next", check: "Next", says: "no timer is due before it", opts: []Option{Coarse(upTo7)}, faulty: faulty{next: coarse.next}},

	{name: "walks every tick", check: "Jumps", says: "whatever the width", resource: true, faulty: faulty{
		pop: func(s *faulty, now tick) (timer, bool) {
			s.n += int64(max(0, now-s.Clock))
			return s.Model.Pop(now)
		},
		work: func(s *faulty) structures.Work { return structures.Work{SlotsVisited: uint64(s.n)} },
	}},
	{name: "leaks cancelled timers", check: "Memory/Heap", says: "timers started and stopped: after", resource: true, faulty: keeping(0)},
	{name: "keeps far timers cancelled", check: "Memory/Heap", says: "far timers started and stopped: after", resource: true, faulty: keeping(1 << 59)},
	{name: "leaks timers moved", check: "Memory/Heap", says: "timers moved: after", resource: true, faulty: faulty{reschedule: func(s *faulty, i id, at tick) bool {
		s.kept = append(s.kept, timer{ID: i, Deadline: at})
		return s.Model.Reschedule(i, at)
	}}},
	{name: "keeps room at every tick", check: "Memory/Heap", says: "the heap has grown by", resource: true, faulty: faulty{
		schedule: func(s *faulty, at tick, v uint64) id {
			s.slots[at&4095] = append(s.slots[at&4095], 0)
			return s.Model.Schedule(at, v)
		},
		pop: func(s *faulty, now tick) (timer, bool) {
			t, ok := s.Model.Pop(now)
			if slot := &s.slots[t.Deadline&4095]; ok {
				*slot = (*slot)[:len(*slot)-1]
			}
			return t, ok
		},
	}},
	{name: "allocates in Schedule", check: "Memory/Steady", says: "Schedule and Cancel at once: 15000 allocations", resource: true, faulty: allocating(0)},
	{name: "allocates now and then", check: "Memory/Steady", says: "allocations", resource: true, faulty: allocating(100)},
	{name: "allocates once in 10,000 operations", check: "Memory/Steady", says: "allocations", normal: true, resource: true, faulty: allocating(9_999)},

	{name: "values are swapped once", check: "Order/LongHold", says: "that value belongs to", resource: true, faulty: swapsValues},
	{name: "Next is too late once in 1000", check: "Order/LongHold", says: "Next had named", resource: true, faulty: asked(func(s *faulty, at tick, ok bool) (tick, bool) {
		if s.n++; s.n%1000 == 0 {
			at++
		}
		return at, ok
	})},
	{name: "ties are rarely LIFO", check: "Order/LongHold", says: "FIFO", opts: []Option{FIFO()}, resource: true, faulty: faulty{pop: func(s *faulty, now tick) (timer, bool) {
		if s.n++; s.n%1000 == 0 {
			return lifo.pop(s, now)
		}
		return s.Model.Pop(now)
	}}},
	{name: "coarse, and too late in a long hold", check: "Order/LongHold", says: "too late", opts: []Option{Coarse(upTo6)}, resource: true, faulty: coarse},
	{name: "a generation of 16 bits", check: "Identity/StaleAfterMany", says: "names a timer again", resource: true, faulty: forgetting(16)},
	{name: "a generation of 15 bits", check: "Identity/StaleAfterMany", says: "names a timer again", resource: true, faulty: forgetting(15)},
}

// newFaulty returns a constructor of schedulers with a fault.
func newFaulty[T any](f faultyOf[T]) func() structures.Scheduler[T] {
	return func() structures.Scheduler[T] {
		s := f
		return &s
	}
}

func TestBrokenSchedulersAreReported(t *testing.T) {
	for _, b := range broken {
		t.Run(b.name, func(t *testing.T) {
			if b.new == nil {
				b.new = newFaulty(b.faulty)
			}
			c := newConfig(b.new, append([]Option{inShort}, b.opts...))
			if b.normal {
				if raceEnabled {
					t.Skip("the race detector shortens the runs")
				}
				c.scale = normal
			}
			checks := []string{b.check}
			if !b.resource {
				checks = append(checks, "Model/RandomPrograms")
			}
			for _, check := range checks {
				got := failures(c, check)
				if len(got) == 0 {
					t.Fatalf("the checks %q find nothing wrong", check)
				}
				for _, failure := range got {
					if !strings.HasPrefix(failure, `rule "`) {
						t.Errorf("%q does not say which rule is broken", failure)
					}
				}
				if check == b.check && !slices.ContainsFunc(got, func(f string) bool { return strings.Contains(f, b.says) }) {
					t.Errorf("no failure says %q:\n%s", b.says, strings.Join(got, "\n"))
				}
			}
		})
	}
}

func TestAllocatesLeavesOutMemory(t *testing.T) {
	c := newConfig(newFaulty(keeping(0)), []Option{Allocates()})
	if got := failures(c, "Memory"); len(got) != 0 {
		t.Fatalf("reported in spite of Allocates: %s", got[0])
	}
}

// These conform: a structure may be coarse or a wheel, if it says so, and may fire ties in any order.

func TestCoarseConforms(t *testing.T) {
	Run(t, newFaulty(coarse), Coarse(upTo7), inShort)
}

func TestSteppingConforms(t *testing.T) {
	Run(t, newFaulty(nextInTwoSteps), Levels(1), FIFO(), inShort)
}

func TestUndeclaredTiesConform(t *testing.T) { Run(t, newFaulty(lifo), inShort) }

func inShort(c *config) { c.scale, c.shrink = short, 0 }

func upTo6(tick) tick { return 6 }
func upTo7(tick) tick { return 7 }

// faultyOf is a model some of whose methods are replaced.
type faultyOf[T any] struct {
	model.Model[T]
	n     int64 // what it counts
	kept  []structures.Timer[T]
	asked map[id]tick
	slots [4096][]byte

	schedule   func(s *faultyOf[T], at tick, v T) id
	reschedule func(s *faultyOf[T], i id, at tick) bool
	cancel     func(s *faultyOf[T], i id) bool
	pop        func(s *faultyOf[T], now tick) (structures.Timer[T], bool)
	next       func(s *faultyOf[T]) (tick, bool)
	len        func(s *faultyOf[T]) int
	work       func(s *faultyOf[T]) structures.Work
	check      func(s *faultyOf[T]) error
}

func (s *faultyOf[T]) Schedule(at tick, v T) id {
	if s.schedule != nil {
		return s.schedule(s, at, v)
	}
	return s.Model.Schedule(at, v)
}

func (s *faultyOf[T]) Reschedule(i id, at tick) bool {
	if s.reschedule != nil {
		return s.reschedule(s, i, at)
	}
	return s.Model.Reschedule(i, at)
}

func (s *faultyOf[T]) Cancel(i id) bool {
	if s.cancel != nil {
		return s.cancel(s, i)
	}
	return s.Model.Cancel(i)
}

func (s *faultyOf[T]) Pop(now tick) (structures.Timer[T], bool) {
	if s.pop != nil {
		return s.pop(s, now)
	}
	return s.Model.Pop(now)
}

func (s *faultyOf[T]) Next() (tick, bool) {
	if s.next != nil {
		return s.next(s)
	}
	return s.Model.Next()
}

func (s *faultyOf[T]) Len() int {
	if s.len != nil {
		return s.len(s)
	}
	return s.Model.Len()
}

func (s *faultyOf[T]) Work() (w structures.Work) {
	if s.work != nil {
		w = s.work(s)
	}
	return w
}

func (s *faultyOf[T]) CheckInvariants() (err error) {
	if s.check != nil {
		err = s.check(s)
	}
	return err
}

// last returns the timer that was scheduled or moved last.
func (s *faultyOf[T]) last() *model.Entry[T] { return &s.Pending[len(s.Pending)-1] }

// moved returns a faulty that moves a timer and then does something to it.
func moved(then func(s *faulty, at tick, e *model.Entry[uint64])) faulty {
	return faulty{reschedule: func(s *faulty, i id, at tick) bool {
		ok := s.Model.Reschedule(i, at)
		if ok {
			then(s, at, s.last())
		}
		return ok
	}}
}

// scheduled returns a faulty that schedules a timer and then does something to it.
func scheduled(then func(s *faulty, at tick, e *model.Entry[uint64])) faulty {
	return faulty{schedule: func(s *faulty, at tick, v uint64) id {
		got := s.Model.Schedule(at, v)
		then(s, at, s.last())
		return got
	}}
}

// popped returns a faulty that does something to what a Pop returns.
func popped(then func(s *faulty, t timer, ok bool) (timer, bool)) faulty {
	return faulty{pop: func(s *faulty, now tick) (timer, bool) {
		t, ok := s.Model.Pop(now)
		return then(s, t, ok)
	}}
}

// asked returns a faulty that says something else in Next.
func asked(then func(s *faulty, at tick, ok bool) (tick, bool)) faulty {
	return faulty{next: func(s *faulty) (tick, bool) {
		at, ok := s.Model.Next()
		return then(s, at, ok)
	}}
}

// cancelled returns a faulty that refuses an ID unless the model or another rule accepts it.
func cancelled(or func(s *faulty, i id) bool) faulty {
	return faulty{cancel: func(s *faulty, i id) bool { return s.Model.Cancel(i) || or(s, i) }}
}

// keeping returns a faulty that keeps what is cancelled, if its deadline is far enough.
func keeping(from tick) faulty {
	return faulty{cancel: func(s *faulty, i id) bool {
		if p := s.Find(i); p >= 0 && s.Pending[p].Deadline >= from {
			s.kept = append(s.kept, s.Pending[p].Timer)
		}
		return s.Model.Cancel(i)
	}}
}

var garbage *[16]byte

// allocating returns a faulty that allocates once in so many calls of Schedule.
func allocating(every int) faulty {
	return faulty{schedule: func(s *faulty, at tick, v uint64) id {
		if s.n++; s.n > int64(every) {
			garbage, s.n = new([16]byte), 0
		}
		return s.Model.Schedule(at, v)
	}}
}

// forgetting returns a faulty that takes an ID for that of a pending timer if they agree in the lower bits.
func forgetting(bits int) faulty {
	return faulty{cancel: func(s *faulty, i id) bool {
		for _, e := range s.Pending {
			if (e.ID-i)&(1<<bits-1) == 0 {
				i = e.ID
			}
		}
		return s.Model.Cancel(i)
	}}
}

func was(s *faulty, i id) bool { return i != 0 && i <= s.Issued }

// farOff files a timer on the wrong side of a boundary of 2^20 ticks.
var farOff = faulty{schedule: func(s *faulty, at tick, v uint64) id {
	if at-s.Clock == 1<<20 {
		at--
	}
	return s.Model.Schedule(at, v)
}}

var nextTooLate = asked(func(_ *faulty, at tick, ok bool) (tick, bool) { return model.Add(at, 1), ok })

// nextHalfway names the tick half of the way to the earliest deadline.
var nextHalfway = asked(func(s *faulty, at tick, ok bool) (tick, bool) {
	if ok && at > s.Clock {
		at = s.Clock + (at-s.Clock+1)/2
	}
	return at, ok
})

// nextInTwoSteps names the tick just before the earliest deadline first.
var nextInTwoSteps = asked(func(s *faulty, at tick, ok bool) (tick, bool) {
	if ok && at > s.Clock+1 {
		at--
	}
	return at, ok
})

var early = popped(func(s *faulty, t timer, ok bool) (timer, bool) {
	if i := s.Earliest(); !ok && i >= 0 && s.Pending[i].Deadline == s.Clock+1 {
		return s.Remove(i).Timer, true
	}
	return t, ok
})

var late = faulty{pop: func(s *faulty, now tick) (timer, bool) {
	s.Advance(now)
	if i := s.Earliest(); i >= 0 && s.Pending[i].Deadline < s.Clock {
		return s.Remove(i).Timer, true
	}
	return timer{}, false
}}

var lifo = faulty{pop: func(s *faulty, now tick) (timer, bool) {
	s.Advance(now)
	last := s.Earliest()
	if last < 0 || s.Pending[last].Deadline > s.Clock {
		return timer{}, false
	}
	for i, e := range s.Pending {
		if e.Deadline == s.Pending[last].Deadline {
			last = i
		}
	}
	return s.Remove(last).Timer, true
}}

// coarse rounds deadlines up to multiples of 8.
var coarse = faulty{
	pop: func(s *faulty, now tick) (timer, bool) {
		s.Advance(now)
		if i := s.Earliest(); i >= 0 && roundUp(s.Pending[i].Deadline) <= s.Clock {
			return s.Remove(i).Timer, true
		}
		return timer{}, false
	},
	next: func(s *faulty) (tick, bool) {
		at, ok := s.Model.Next()
		return roundUp(at), ok
	},
}

func roundUp(at tick) tick {
	if at > math.MaxInt64-7 {
		return math.MaxInt64
	}
	return (at + 7) &^ 7
}

// batching takes all due timers out at once, and hands them out even if they are cancelled meanwhile.
type batching struct {
	reference
	batch []timer
	dead  map[id]bool
}

func (s *batching) Pop(now tick) (timer, bool) {
	for t, ok := s.reference.Pop(now); ok; t, ok = s.reference.Pop(now) {
		s.batch = append(s.batch, t)
	}
	if len(s.batch) == 0 {
		return timer{}, false
	}
	t := s.batch[0]
	s.batch = s.batch[1:]
	return t, true
}

func (s *batching) inBatch(i id) int {
	return slices.IndexFunc(s.batch, func(t timer) bool { return t.ID == i && !s.dead[i] })
}

func (s *batching) Cancel(i id) bool {
	if s.inBatch(i) >= 0 {
		s.dead[i] = true
		return true
	}
	return s.reference.Cancel(i)
}

func (s *batching) Reschedule(i id, at tick) bool {
	if b := s.inBatch(i); b >= 0 {
		s.Admit(i, at, s.batch[b].Value)
		s.batch = slices.Delete(s.batch, b, b+1)
		return true
	}
	return s.reference.Reschedule(i, at)
}

func (s *batching) Next() (tick, bool) {
	for _, t := range s.batch {
		if !s.dead[t.ID] {
			return t.Deadline, true
		}
	}
	return s.reference.Next()
}

func (s *batching) Len() int { return s.reference.Len() + len(s.batch) - len(s.dead) }

// Release. These are schedulers of payloads.

type (
	payloads     = faultyOf[*Payload]
	payloadTimer = structures.Timer[*Payload]
)

func TestBrokenReleasesAreReported(t *testing.T) {
	for _, b := range []struct {
		name, check, says string
		faulty            payloads
	}{
		{"keeps the last that fired", "Release/Fired", "has been fired", payloads{pop: func(s *payloads, now tick) (payloadTimer, bool) {
			t, ok := s.Model.Pop(now)
			if ok {
				s.kept = []payloadTimer{t}
			}
			return t, ok
		}}},
		{"keeps the last that was cancelled", "Release/Cancelled", "has been cancelled", payloads{cancel: func(s *payloads, i id) bool {
			if p := s.Find(i); p >= 0 {
				s.kept = []payloadTimer{s.Pending[p].Timer}
			}
			return s.Model.Cancel(i)
		}}},
		{"does not clear the place it frees", "Release/Slots", "still referred to", payloads{pop: func(s *payloads, now tick) (payloadTimer, bool) {
			s.Advance(now)
			i, last := s.Earliest(), len(s.Pending)-1
			if i < 0 || s.Pending[i].Deadline > s.Clock {
				return payloadTimer{}, false
			}
			t := s.Pending[i].Timer
			s.Pending[i], s.Pending = s.Pending[last], s.Pending[:last]
			return t, true
		}}},
		{"keeps a second copy when moved", "Release/Fired", "still referred to", payloads{reschedule: func(s *payloads, i id, at tick) bool {
			if p := s.Find(i); p >= 0 {
				s.kept = append(s.kept, s.Pending[p].Timer)
			}
			return s.Model.Reschedule(i, at)
		}}},
		{"fires without the value", "Release/Fired", "without its value", payloads{pop: func(s *payloads, now tick) (payloadTimer, bool) {
			t, ok := s.Model.Pop(now)
			t.Value = nil
			return t, ok
		}}},
	} {
		t.Run(b.name, func(t *testing.T) {
			var got []string
			for _, rule := range releaseRules {
				if strings.HasPrefix(rule.name, b.check) {
					got = append(got, record(func(r reporter) { rule.check(&holder{reporter: r, s: newFaulty(b.faulty)()}) })...)
				}
			}
			if !slices.ContainsFunc(got, func(f string) bool { return strings.Contains(f, b.says) }) {
				t.Fatalf("the checks %q report %q, want %q", b.check, got, b.says)
			}
		})
	}
}
