package schedtest

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/timerbench/timerbench/structures"
)

// Here are schedulers with one bug each, most of them seen in real timer libraries. The
// checks of the rule that a bug breaks must report it, and so must the random programs,
// unless it is about memory or time.

type (
	tick      = structures.Tick
	id        = structures.ID
	timer     = structures.Timer[uint64]
	scheduler = structures.Scheduler[uint64]
	model     = Model[uint64]
)

var broken = []struct {
	name     string
	new      func() scheduler
	opts     []Option
	check    string // checks whose names begin so must fail
	says     string // and say so
	resource bool   // the answers are right, or rarely wrong, so that random programs find nothing
	normal   bool   // it takes runs of normal length, not short ones, to find it
}{
	{name: "the first ID is 0", check: "Clock", says: `"Identity"`, new: func() scheduler { return &issuesZero{} }},
	{name: "IDs without generation", check: "Identity/StaleIs", says: `"Identity"`, new: func() scheduler { return &slotted{} }},
	{name: "ID 0 names the first timer", check: "Identity/Forged", says: "never issued", new: func() scheduler { return &zeroCancels{} }},
	{name: "the next generation is accepted", check: "Identity/Forged", says: "never issued", new: func() scheduler { return &acceptsUnissued{} }},
	{name: "Cancel of a stale ID is true", check: "Identity/StaleIs", says: "has fired or was cancelled", new: func() scheduler { return &cancelsAnything{} }},
	{name: "Reschedule of a stale ID is true", check: "Identity/StaleIs", says: "has fired or was cancelled", new: func() scheduler { return &movesAnything{} }},
	{name: "Reschedule of a stale ID revives it", check: "Identity/StaleIs", says: "has fired or was cancelled", new: func() scheduler { return &revives{} }},
	{name: "Cancel loses another timer", check: "Identity/Cancel", says: "it is pending", new: func() scheduler { return &losesNeighbour{} }},
	{name: "Cancel of a due timer is forgotten", check: "Freedom/StopEarlyThenCancel", says: "not pending", new: func() scheduler { return &batching{dead: map[id]bool{}} }},

	{name: "clock goes back", check: "Clock", says: `"Next"`, new: func() scheduler { return &clockGoesBack{} }},
	{name: "clock starts at -1", check: "Clock", says: `"Next"`, new: func() scheduler { return &startsBefore{model{clock: -1}} }},
	{name: "Next moves the clock", check: "Clock", says: `"Next"`, new: func() scheduler { return &nextMovesClock{} }},
	{name: "past deadlines are kept", check: "PastDeadlines", says: `"Next"`, new: func() scheduler { return &noClamp{} }},
	{name: "past deadlines are kept by Reschedule", check: "PastDeadlines", says: `"Next"`, new: func() scheduler { return &noClampWhenMoved{} }},
	{name: "a deadline in the past counts as the clock", check: "PastDeadlines", says: `"Next"`, new: func() scheduler { return &clampsToClock{} }},
	{name: "clock+1 wraps around", check: "Range", says: `"Next"`, new: func() scheduler { return &clampWraps{} }},
	{name: "Timer.Deadline is what was asked", check: "PastDeadlines", says: `"PastDeadlines"`, new: func() scheduler { return &tellsAsked{asked: map[id]tick{}} }},
	{name: "far deadlines are cut off", check: "Range", says: "the earliest deadline", new: func() scheduler { return &cutsFar{} }},

	{name: "fires one tick early", check: "Order", says: "never early", new: func() scheduler { return &early{} }},
	{name: "fires one tick late", check: "Order", says: "never lost", new: func() scheduler { return &late{} }},
	{name: "fires twice", check: "Order", says: "not pending", new: func() scheduler { return &firesTwice{} }},
	{name: "loses every hundredth timer", check: "Order", says: "never lost", new: func() scheduler { return &loses{} }},
	{name: "a jump fires in order of scheduling", check: "Order/Earliest", says: "the earliest first", new: func() scheduler { return &jumbled{} }},
	{name: "ties are LIFO", check: "Order/Ties", says: "FIFO", opts: []Option{FIFO()}, new: func() scheduler { return &lifo{} }},
	{name: "Reschedule keeps the place in a tie", check: "Order/Ties", says: "FIFO", opts: []Option{FIFO()}, new: func() scheduler { return &keepsPlace{} }},
	{name: "values are mixed up", check: "Order", says: "with value", new: func() scheduler { return &mixesValues{} }},

	{name: "Reschedule changes the value", check: "Reschedule", says: "with value", new: func() scheduler { return &changesValue{} }},
	{name: "Reschedule changes the ID", check: "Reschedule", says: `"Identity"`, new: func() scheduler { return &changesID{} }},
	{name: "Reschedule of a pending timer is false", check: "Reschedule", says: "it is pending", new: func() scheduler { return &movesAndDenies{} }},
	{name: "Reschedule moves later only", check: "Reschedule", says: "never lost", new: func() scheduler { return &movesLaterOnly{} }},
	{name: "Reschedule across 2^12 is forgotten", check: "Reschedule/Across", says: "want deadline", new: func() scheduler { return &forgetsBoundary{} }},

	{name: "Next is too late", check: "Next", says: "the earliest deadline", new: func() scheduler { return &nextTooLate{} }},
	{name: "Next of a wheel is too late", check: "Next", says: "at most", opts: []Option{Levels(4)}, new: func() scheduler { return &nextTooLate{} }},
	{name: "Next is too early", check: "Next", says: "the earliest deadline", new: func() scheduler { return &nextHalfway{} }},
	{name: "Next is not after the clock", check: "Next", says: "after the clock", opts: []Option{Levels(4)}, new: func() scheduler { return &nextIsClock{} }},
	{name: "Next takes too many steps", check: "Next", says: "steps", opts: []Option{Levels(4)}, new: func() scheduler { return &nextHalfway{} }},
	{name: "Next is ok when empty", check: "Next", says: "exactly when Len is 0", new: func() scheduler { return &nextAlwaysOK{} }},
	{name: "Next is not ok with timers far away", check: "Next", says: "exactly when Len is 0", new: func() scheduler { return &nextOverlooksFar{} }},
	{name: "Len leaves out what is due", check: "Len", says: `"Len"`, new: func() scheduler { return &lenWithoutDue{} }},
	{name: "Len counts every Schedule", check: "Len", says: `"Len"`, new: func() scheduler { return &lenCountsAll{} }},
	{name: "an invariant is broken", check: "Order", says: "heap upside down", new: func() scheduler { return &insane{} }},
	{name: "a counter counts down", check: "Order", says: "only count up", new: func() scheduler { return &countsDown{} }},
	{name: "one scheduler for all", check: "Instances", says: "rule", new: func() func() scheduler {
		shared := new(model)
		return func() scheduler { return shared }
	}()},

	{name: "a deadline 2^20 ticks away is a tick off", check: "Spans/Jump", says: "deadline", new: func() scheduler { return &offByOneFarAway{} }},
	{name: "the same, stepping by Next", check: "Spans/Step", says: "deadline", new: func() scheduler { return &offByOneFarAway{} }},
	{name: "the same, in one jump", check: "Spans/One", says: "deadline", new: func() scheduler { return &offByOneFarAway{} }},

	{name: "late beyond its bound", check: "Order", says: "has to have fired", opts: []Option{Coarse(upTo6)}, new: func() scheduler { return &coarse{} }},
	{name: "coarse and late without saying so", check: "Order", says: "the earliest deadline", new: func() scheduler { return &coarse{} }},
	{name: "coarse, and fires early", check: "Order", says: "never early", opts: []Option{Coarse(upTo7)}, new: func() scheduler { return &early{} }},
	{name: "coarse, and Next is too late", check: "Next", says: "has to have fired", opts: []Option{Coarse(upTo7)}, new: func() scheduler { return &coarseNext{} }},
	{name: "coarse, and fires before Next", check: "Next", says: "no timer is due before it", opts: []Option{Coarse(upTo7)}, new: func() scheduler { return &firesBeforeNext{} }},

	{name: "walks every tick", check: "Jumps", says: "whatever the width", resource: true, new: func() scheduler { return &walks{} }},
	{name: "leaks cancelled timers", check: "Memory/Heap", says: "timers started and stopped: after", resource: true, new: func() scheduler { return &leaks{} }},
	{name: "keeps far timers cancelled", check: "Memory/Heap", says: "far timers started and stopped: after", resource: true, new: func() scheduler { return &leaks{from: 1 << 59} }},
	{name: "leaks timers moved", check: "Memory/Heap", says: "timers moved: after", resource: true, new: func() scheduler { return &leaksMoved{} }},
	{name: "keeps room at every tick", check: "Memory/Heap", says: "the heap has grown by", resource: true, new: func() scheduler { return &keepsRoom{} }},
	{name: "allocates in Schedule", check: "Memory/Steady", says: "Schedule and Cancel at once: 15000 allocations", resource: true, new: func() scheduler { return &allocates{} }},
	{name: "allocates now and then", check: "Memory/Steady", says: "allocations", resource: true, new: func() scheduler { return &allocates{every: 100} }},
	{name: "allocates once in 10,000 operations", check: "Memory/Steady", says: "allocations", normal: true, resource: true, new: func() scheduler { return &allocates{every: 9_999} }},

	{name: "values are swapped once", check: "Order/LongHold", says: "that value belongs to", resource: true, new: func() scheduler { return &swapsValues{} }},
	{name: "Next is too late once in 1000", check: "Order/LongHold", says: "Next had named", resource: true, new: func() scheduler { return &nextRarelyLate{} }},
	{name: "ties are rarely LIFO", check: "Order/LongHold", says: "FIFO", opts: []Option{FIFO()}, resource: true, new: func() scheduler { return &rarelyLIFO{} }},
	{name: "coarse, and too late in a long hold", check: "Order/LongHold", says: "too late", opts: []Option{Coarse(upTo6)}, resource: true, new: func() scheduler { return &coarse{} }},
	{name: "a generation of 16 bits", check: "Identity/StaleAfterMany", says: "names a timer again", resource: true, new: func() scheduler { return &forgetsGenerations{bits: 16} }},
	{name: "a generation of 15 bits", check: "Identity/StaleAfterMany", says: "names a timer again", resource: true, new: func() scheduler { return &forgetsGenerations{bits: 15} }},
}

func TestBrokenSchedulersAreReported(t *testing.T) {
	for _, b := range broken {
		t.Run(b.name, func(t *testing.T) {
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
	c := newConfig(func() scheduler { return &leaks{} }, []Option{Allocates()})
	if got := failures(c, "Memory"); len(got) != 0 {
		t.Fatalf("reported in spite of Allocates: %s", got[0])
	}
}

// These conform: a structure may be coarse or a wheel, if it says so, and may fire ties
// in any order.

func TestCoarseConforms(t *testing.T) {
	Run(t, func() scheduler { return &coarse{} }, Coarse(upTo7), inShort)
}

func TestSteppingConforms(t *testing.T) {
	Run(t, func() scheduler { return &nextInTwoSteps{} }, Levels(1), FIFO(), inShort)
}

func TestUndeclaredTiesConform(t *testing.T) { Run(t, func() scheduler { return &lifo{} }, inShort) }

func inShort(c *config) { c.scale = short }

func upTo6(tick) tick { return 6 }
func upTo7(tick) tick { return 7 }

// Identity.

type issuesZero struct{ model }

func (s *issuesZero) Schedule(at tick, v uint64) id {
	got := s.model.Schedule(at, v) - 1
	s.pending[len(s.pending)-1].ID = got
	return got
}

// slotted issues the slot as the ID, and uses slots again.
type slotted struct{ model }

func (s *slotted) Schedule(at tick, v uint64) id {
	slot := id(1)
	for s.find(slot) >= 0 {
		slot++
	}
	s.admit(slot, at, v)
	return slot
}

type zeroCancels struct{ model }

func (s *zeroCancels) Cancel(i id) bool {
	if i == 0 && s.Len() > 0 {
		i = s.pending[0].ID
	}
	return s.model.Cancel(i)
}

// acceptsUnissued takes the ID that comes next for pending.
type acceptsUnissued struct{ model }

func (s *acceptsUnissued) Cancel(i id) bool { return s.model.Cancel(i) || i == s.issued+1 }

// forgetsGenerations takes an ID of another timer for one of a pending timer if they agree
// in the lower bits.
type forgetsGenerations struct {
	model
	bits int
}

func (s *forgetsGenerations) Cancel(i id) bool {
	for _, e := range s.pending {
		if (e.ID-i)&(1<<s.bits-1) == 0 {
			i = e.ID
		}
	}
	return s.model.Cancel(i)
}

type cancelsAnything struct{ model }

func (s *cancelsAnything) Cancel(i id) bool {
	return s.model.Cancel(i) || i != 0 && i <= s.issued
}

type movesAnything struct{ model }

func (s *movesAnything) Reschedule(i id, at tick) bool {
	return s.model.Reschedule(i, at) || i != 0 && i <= s.issued
}

type revives struct{ model }

func (s *revives) Reschedule(i id, at tick) bool {
	if !s.model.Reschedule(i, at) && i != 0 && i <= s.issued {
		s.admit(i, at, 0)
		return true
	}
	return s.find(i) >= 0
}

// losesNeighbour drops the timer before the cancelled one, and counts it still.
type losesNeighbour struct {
	model
	lost int
}

func (s *losesNeighbour) Cancel(i id) bool {
	if at := s.find(i); at > 3 {
		s.remove(at - 1)
		s.lost++
	}
	return s.model.Cancel(i)
}

func (s *losesNeighbour) Len() int { return s.model.Len() + s.lost }

// batching takes all due timers out at once, and hands them out even if they
// are cancelled meanwhile.
type batching struct {
	model
	batch []timer
	dead  map[id]bool
}

func (s *batching) Pop(now tick) (timer, bool) {
	for t, ok := s.model.Pop(now); ok; t, ok = s.model.Pop(now) {
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
	return s.model.Cancel(i)
}

func (s *batching) Reschedule(i id, at tick) bool {
	if b := s.inBatch(i); b >= 0 {
		s.admit(i, at, s.batch[b].Value)
		s.batch = slices.Delete(s.batch, b, b+1)
		return true
	}
	return s.model.Reschedule(i, at)
}

func (s *batching) Next() (tick, bool) {
	for _, t := range s.batch {
		if !s.dead[t.ID] {
			return t.Deadline, true
		}
	}
	return s.model.Next()
}

func (s *batching) Len() int { return s.model.Len() + len(s.batch) - len(s.dead) }

// Clock, PastDeadlines and Range.

type clockGoesBack struct{ model }

func (s *clockGoesBack) Pop(now tick) (timer, bool) {
	s.clock = now
	return s.model.Pop(now)
}

type startsBefore struct{ model }

type nextMovesClock struct{ model }

func (s *nextMovesClock) Next() (tick, bool) {
	at, ok := s.model.Next()
	if ok {
		s.advance(at - 1)
	}
	return at, ok
}

type noClamp struct{ model }

func (s *noClamp) Schedule(at tick, v uint64) id {
	got := s.model.Schedule(at, v)
	s.pending[len(s.pending)-1].Deadline = at
	return got
}

type noClampWhenMoved struct{ model }

func (s *noClampWhenMoved) Reschedule(i id, at tick) bool {
	ok := s.model.Reschedule(i, at)
	if ok {
		s.pending[len(s.pending)-1].Deadline = at
	}
	return ok
}

type clampsToClock struct{ model }

func (s *clampsToClock) Schedule(at tick, v uint64) id {
	got := s.model.Schedule(at, v)
	s.pending[len(s.pending)-1].Deadline = max(at, s.clock)
	return got
}

type clampWraps struct{ model }

func (s *clampWraps) Schedule(at tick, v uint64) id {
	got := s.model.Schedule(at, v)
	if at <= s.clock {
		s.pending[len(s.pending)-1].Deadline = s.clock + 1
	}
	return got
}

type tellsAsked struct {
	model
	asked map[id]tick
}

func (s *tellsAsked) Schedule(at tick, v uint64) id {
	got := s.model.Schedule(at, v)
	s.asked[got] = at
	return got
}

func (s *tellsAsked) Pop(now tick) (timer, bool) {
	t, ok := s.model.Pop(now)
	t.Deadline = s.asked[t.ID]
	return t, ok
}

type cutsFar struct{ model }

func (s *cutsFar) Schedule(at tick, v uint64) id {
	return s.model.Schedule(min(at, add(s.clock, 1<<36)), v)
}

// Order.

type early struct{ model }

func (s *early) Pop(now tick) (timer, bool) {
	t, ok := s.model.Pop(now)
	if i := s.earliest(); !ok && i >= 0 && s.pending[i].Deadline == s.clock+1 {
		return s.remove(i).Timer, true
	}
	return t, ok
}

type late struct{ model }

func (s *late) Pop(now tick) (timer, bool) {
	s.advance(now)
	if i := s.earliest(); i >= 0 && s.pending[i].Deadline < s.clock {
		return s.remove(i).Timer, true
	}
	return timer{}, false
}

type firesTwice struct {
	model
	last timer
}

func (s *firesTwice) Pop(now tick) (timer, bool) {
	t, ok := s.model.Pop(now)
	if !ok && s.last.ID != 0 {
		t, ok, s.last = s.last, true, timer{}
	} else if ok && t.ID%16 == 0 {
		s.last = t
	}
	return t, ok
}

// loses drops every hundredth timer at once, and counts it still.
type loses struct {
	model
	lost int
}

func (s *loses) Schedule(at tick, v uint64) id {
	got := s.model.Schedule(at, v)
	if got%100 == 0 {
		s.remove(len(s.pending) - 1)
		s.lost++
	}
	return got
}

func (s *loses) Len() int { return s.model.Len() + s.lost }

type jumbled struct{ model }

func (s *jumbled) Pop(now tick) (timer, bool) {
	s.advance(now)
	for i := range s.pending {
		if s.pending[i].Deadline <= s.clock {
			return s.remove(i).Timer, true
		}
	}
	return timer{}, false
}

type lifo struct{ model }

func (s *lifo) Pop(now tick) (timer, bool) {
	s.advance(now)
	last := s.earliest()
	if last < 0 || s.pending[last].Deadline > s.clock {
		return timer{}, false
	}
	for i, e := range s.pending {
		if e.Deadline == s.pending[last].Deadline {
			last = i
		}
	}
	return s.remove(last).Timer, true
}

type rarelyLIFO struct {
	lifo
	calls int
}

func (s *rarelyLIFO) Pop(now tick) (timer, bool) {
	if s.calls++; s.calls%1000 == 0 {
		return s.lifo.Pop(now)
	}
	return s.model.Pop(now)
}

type keepsPlace struct{ model }

func (s *keepsPlace) Reschedule(i id, at tick) bool {
	p := s.find(i)
	if p >= 0 {
		s.pending[p].Deadline = s.clamp(at)
	}
	return p >= 0
}

type mixesValues struct{ model }

func (s *mixesValues) Pop(now tick) (timer, bool) {
	t, ok := s.model.Pop(now)
	if i := s.earliest(); ok && i >= 0 && s.pending[i].Deadline == t.Deadline {
		t.Value, s.pending[i].Value = s.pending[i].Value, t.Value
	}
	return t, ok
}

// Reschedule.

type changesValue struct{ model }

func (s *changesValue) Reschedule(i id, at tick) bool {
	ok := s.model.Reschedule(i, at)
	if ok {
		s.pending[len(s.pending)-1].Value = 0
	}
	return ok
}

type changesID struct{ model }

func (s *changesID) Reschedule(i id, at tick) bool {
	ok := s.model.Reschedule(i, at)
	if ok {
		s.issued++
		s.pending[len(s.pending)-1].ID = s.issued
	}
	return ok
}

type movesAndDenies struct{ model }

func (s *movesAndDenies) Reschedule(i id, at tick) bool {
	return s.model.Reschedule(i, at) && s.Len()%4 != 0
}

type movesLaterOnly struct{ model }

func (s *movesLaterOnly) Reschedule(i id, at tick) bool {
	if p := s.find(i); p >= 0 {
		at = max(at, s.pending[p].Deadline)
	}
	return s.model.Reschedule(i, at)
}

type forgetsBoundary struct{ model }

func (s *forgetsBoundary) Reschedule(i id, at tick) bool {
	if p := s.find(i); p >= 0 && at>>12 != s.pending[p].Deadline>>12 && at&(1<<12-1) == 0 {
		return true
	}
	return s.model.Reschedule(i, at)
}

// Next and Len.

type nextTooLate struct{ model }

func (s *nextTooLate) Next() (tick, bool) {
	at, ok := s.model.Next()
	return add(at, 1), ok
}

type nextRarelyLate struct {
	model
	calls int
}

func (s *nextRarelyLate) Next() (tick, bool) {
	at, ok := s.model.Next()
	if s.calls++; s.calls%1000 == 0 {
		at++
	}
	return at, ok
}

// nextHalfway names the tick half of the way to the earliest deadline.
type nextHalfway struct{ model }

func (s *nextHalfway) Next() (tick, bool) {
	at, ok := s.model.Next()
	if ok && at > s.clock {
		at = s.clock + (at-s.clock+1)/2
	}
	return at, ok
}

// nextInTwoSteps names the tick just before the earliest deadline first.
type nextInTwoSteps struct{ model }

func (s *nextInTwoSteps) Next() (tick, bool) {
	at, ok := s.model.Next()
	if ok && at > s.clock+1 {
		at--
	}
	return at, ok
}

type nextIsClock struct{ model }

func (s *nextIsClock) Next() (tick, bool) {
	at, ok := s.model.Next()
	return min(at, s.clock), ok
}

type nextAlwaysOK struct{ model }

func (s *nextAlwaysOK) Next() (tick, bool) {
	at, _ := s.model.Next()
	return at, true
}

type nextOverlooksFar struct{ model }

func (s *nextOverlooksFar) Next() (tick, bool) {
	at, ok := s.model.Next()
	return at, ok && at-s.clock < 1<<32
}

type lenWithoutDue struct{ model }

func (s *lenWithoutDue) Len() int {
	n := 0
	for _, e := range s.pending {
		if e.Deadline > s.clock {
			n++
		}
	}
	return n
}

type lenCountsAll struct {
	model
	n int
}

func (s *lenCountsAll) Schedule(at tick, v uint64) id { s.n++; return s.model.Schedule(at, v) }
func (s *lenCountsAll) Len() int                      { return s.n }

type insane struct{ model }

func (s *insane) CheckInvariants() error {
	if s.Len() > 5 {
		return errors.New("heap upside down")
	}
	return nil
}

// offByOneFarAway files a timer on the wrong side of a boundary of 2^20 ticks,
// and fires it as if nothing was wrong.
type offByOneFarAway struct{ model }

func (s *offByOneFarAway) Schedule(at tick, v uint64) id {
	if at-s.clock == 1<<20 {
		at--
	}
	return s.model.Schedule(at, v)
}

// Coarse structures.

// coarse rounds deadlines up to multiples of 8.
type coarse struct{ model }

func roundUp(at tick) tick {
	if at > math.MaxInt64-7 {
		return math.MaxInt64
	}
	return (at + 7) &^ 7
}

func (s *coarse) Pop(now tick) (timer, bool) {
	s.advance(now)
	if i := s.earliest(); i >= 0 && roundUp(s.pending[i].Deadline) <= s.clock {
		return s.remove(i).Timer, true
	}
	return timer{}, false
}

func (s *coarse) Next() (tick, bool) {
	at, ok := s.model.Next()
	return roundUp(at), ok
}

type coarseNext struct{ coarse }

func (s *coarseNext) Next() (tick, bool) {
	at, ok := s.coarse.Next()
	return add(at, 8), ok
}

// firesBeforeNext says in Next that it rounds up, but does not.
type firesBeforeNext struct{ coarse }

func (s *firesBeforeNext) Pop(now tick) (timer, bool) { return s.model.Pop(now) }

// Time and memory.

type walks struct {
	model
	walked tick
}

func (s *walks) Pop(now tick) (timer, bool) {
	if now > s.clock {
		s.walked += now - s.clock
	}
	return s.model.Pop(now)
}

func (s *walks) Work() structures.Work { return structures.Work{SlotsVisited: uint64(s.walked)} }

type countsDown struct {
	model
	work structures.Work
}

func (s *countsDown) Pop(now tick) (timer, bool) {
	s.work.Comparisons--
	return s.model.Pop(now)
}

func (s *countsDown) Work() structures.Work { return s.work }

// leaks keeps what was cancelled, if its deadline is far enough.
type leaks struct {
	model
	from tick
	dead []timer
}

func (s *leaks) Cancel(i id) bool {
	p := s.find(i)
	if p >= 0 && s.pending[p].Deadline >= s.from {
		s.dead = append(s.dead, s.pending[p].Timer)
	}
	return s.model.Cancel(i)
}

type leaksMoved struct {
	model
	dead []timer
}

func (s *leaksMoved) Reschedule(i id, at tick) bool {
	s.dead = append(s.dead, timer{ID: i, Deadline: at})
	return s.model.Reschedule(i, at)
}

// keepsRoom has a slot for every tick and never gives up its room.
type keepsRoom struct {
	model
	slots [4096][]byte
}

func (s *keepsRoom) Schedule(at tick, v uint64) id {
	slot := at & 4095
	s.slots[slot] = append(s.slots[slot], 0)
	return s.model.Schedule(at, v)
}

func (s *keepsRoom) Pop(now tick) (timer, bool) {
	t, ok := s.model.Pop(now)
	if slot := t.Deadline & 4095; ok {
		s.slots[slot] = s.slots[slot][:len(s.slots[slot])-1]
	}
	return t, ok
}

type allocates struct {
	model
	every, n int
	last     *[16]byte
}

func (s *allocates) Schedule(at tick, v uint64) id {
	if s.n++; s.n > s.every {
		s.last, s.n = new([16]byte), 0
	}
	return s.model.Schedule(at, v)
}

// Release. These are schedulers of payloads.

func TestBrokenReleasesAreReported(t *testing.T) {
	for _, b := range []struct {
		name, check, says string
		new               func() structures.Scheduler[*Payload]
	}{
		{"keeps the last that fired", "Release/Fired", "has been fired", func() structures.Scheduler[*Payload] { return &keepsFired{} }},
		{"keeps the last that was cancelled", "Release/Cancelled", "has been cancelled", func() structures.Scheduler[*Payload] { return &keepsCancelled{} }},
		{"does not clear the place it frees", "Release/Slots", "still referred to", func() structures.Scheduler[*Payload] { return &clearsNothing{} }},
		{"keeps a second copy when moved", "Release/Fired", "still referred to", func() structures.Scheduler[*Payload] { return &keepsMoved{} }},
		{"fires without the value", "Release/Fired", "without its value", func() structures.Scheduler[*Payload] { return &losesValue{} }},
	} {
		t.Run(b.name, func(t *testing.T) {
			var got []string
			for _, rule := range releaseRules {
				if strings.HasPrefix(rule.name, b.check) {
					got = append(got, record(func(r reporter) { rule.check(&holder{reporter: r, s: b.new()}) })...)
				}
			}
			if !slices.ContainsFunc(got, func(f string) bool { return strings.Contains(f, b.says) }) {
				t.Fatalf("the checks %q report %q, want %q", b.check, got, b.says)
			}
		})
	}
}

type payloads = Model[*Payload]

type keepsFired struct {
	payloads
	last structures.Timer[*Payload]
}

func (s *keepsFired) Pop(now tick) (structures.Timer[*Payload], bool) {
	t, ok := s.payloads.Pop(now)
	if ok {
		s.last = t
	}
	return t, ok
}

type keepsCancelled struct {
	payloads
	last *Payload
}

func (s *keepsCancelled) Cancel(i id) bool {
	if p := s.find(i); p >= 0 {
		s.last = s.pending[p].Value
	}
	return s.payloads.Cancel(i)
}

// clearsNothing shortens its slice and leaves the last value behind its end.
type clearsNothing struct{ payloads }

func (s *clearsNothing) Pop(now tick) (structures.Timer[*Payload], bool) {
	s.advance(now)
	i := s.earliest()
	if i < 0 || s.pending[i].Deadline > s.clock {
		return structures.Timer[*Payload]{}, false
	}
	t := s.pending[i].Timer
	s.pending[i] = s.pending[len(s.pending)-1]
	s.pending = s.pending[:len(s.pending)-1]
	return t, true
}

type keepsMoved struct {
	payloads
	moved []*Payload
}

func (s *keepsMoved) Reschedule(i id, at tick) bool {
	if p := s.find(i); p >= 0 {
		s.moved = append(s.moved, s.pending[p].Value)
	}
	return s.payloads.Reschedule(i, at)
}

type losesValue struct{ payloads }

func (s *losesValue) Pop(now tick) (structures.Timer[*Payload], bool) {
	t, ok := s.payloads.Pop(now)
	t.Value = nil
	return t, ok
}
