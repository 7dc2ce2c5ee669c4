package schedtest

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/schedtest/model"
)

// subject is a structure under test and its model. Each method does one operation on both and
// stops the test at the first difference. None calls Helper, which takes long.
type subject struct {
	reporter
	*config
	label string // names this subject among others of the same check
	s     structures.Scheduler[uint64]
	walk  bool // call CheckInvariants after every operation; otherwise less and less often
	bulk  bool // call it once after many operations
	room  int  // for timers of crowds

	model  model.Model[uint64]
	issued map[structures.ID]bool
	ids    map[uint32]structures.ID // by slot; slot 0 has ID 0
	gone   []uint32                 // the last slots whose timers fired or were cancelled
	trace  []event
	work   structures.Work // as last read
	checks int             // of the invariants so far

	drained bool            // the last Pop returned nothing, and nothing became due since
	quiet   structures.Tick // nothing may fire before this tick, which Next has named
}

func newSubject(r reporter, c *config, label string, args ...any) *subject {
	return &subject{
		reporter: r,
		config:   c,
		label:    fmt.Sprintf(label, args...),
		s:        c.new(),
		issued:   make(map[structures.ID]bool),
		ids:      map[uint32]structures.ID{0: 0},
		quiet:    math.MinInt64,
		room:     400,
	}
}

// violated stops the test, as a rule is broken.
func violated(r reporter, rule, format string, args ...any) {
	r.Helper()
	r.Fatalf("rule %q broken: %s", rule, fmt.Sprintf(format, args...))
}

// fail stops the test. The message names the rule and the operations that led here, as few as are found.
func (s *subject) fail(rule, format string, args ...any) {
	s.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, "rule %q broken: %s\n", rule, fmt.Sprintf(format, args...))
	fmt.Fprintf(&b, "%s; clock %d, %d pending, operation %d; the last operations:\n",
		s.label, s.model.Clock, s.model.Len(), len(s.trace))
	const shown = 24
	for _, e := range s.trace[max(0, len(s.trace)-shown):] {
		fmt.Fprintf(&b, "\t%v\n", e)
	}
	s.Fatalf("%s", s.smallest(rule, b.String()))
}

// Model returns the model of the structure.
func (s *subject) Model() *model.Model[uint64] { return &s.model }

// Do executes an operation.
func (s *subject) Do(o model.Op) (at structures.Tick, ok bool) {
	switch o.Kind {
	case model.Schedule:
		s.scheduleIn(o)
	case model.Cancel, model.Reschedule:
		ok = s.use(o)
	case model.Pop:
		var t structures.Timer[uint64]
		if t, ok = s.pop(o.At); ok {
			s.retire(uint32(t.Value))
		}
	default:
		at, ok = s.next()
	}
	return at, ok
}

// retire notes a slot whose timer has fired or was cancelled, among the last ones.
func (s *subject) retire(slot uint32) {
	const kept = 64
	if len(s.gone) == kept {
		s.gone = s.gone[1:]
	}
	s.gone = append(s.gone, slot)
}

// schedule schedules a timer in a slot of its own.
func (s *subject) schedule(deadline structures.Tick) {
	s.scheduleIn(model.Op{Kind: model.Schedule, Slot: uint32(len(s.issued) + 1), At: deadline})
}

// scheduleIn schedules a timer. Its value is its slot in both halves, as a structure may lose one.
func (s *subject) scheduleIn(o model.Op) {
	value := uint64(o.Slot)<<32 | uint64(o.Slot)
	id := s.s.Schedule(o.At, value)
	s.trace = append(s.trace, event{o, id, 0, true})
	if id == 0 {
		s.fail("Identity", "Schedule(%d) returned ID 0, which never names a timer", o.At)
	}
	if s.issued[id] {
		s.fail("Identity", "Schedule(%d) returned ID %#x, which was issued before", o.At, id)
	}
	s.issued[id], s.ids[o.Slot] = true, id
	s.model.Admit(id, o.At, value)
	s.updateQuiet(o.At)
	s.after()
}

// prefetch gives a Prefetcher an ID that is used next, and others that no timer may have.
func (s *subject) prefetch(id structures.ID) {
	if p, ok := s.s.(structures.Prefetcher); ok {
		p.Prefetch([]structures.ID{id, 0, id + 1, ^id})
	}
}

// use cancels or moves a timer.
func (s *subject) use(o model.Op) (got bool) {
	id, want := s.ids[o.Slot], false
	s.prefetch(id)
	if o.Kind == model.Cancel {
		got, want = s.s.Cancel(id), s.model.Cancel(id)
	} else {
		got, want = s.s.Reschedule(id, o.At), s.model.Reschedule(id, o.At)
	}
	e := event{o, id, 0, got}
	s.trace = append(s.trace, e)
	switch {
	case got != want:
		s.fail("Identity", "%v, want %v: %s", e, want, s.state(id, want))
	case want && o.Kind == model.Cancel:
		s.retire(o.Slot)
	case want:
		s.updateQuiet(o.At)
	}
	s.after()
	return got
}

func (s *subject) pop(now structures.Tick) (structures.Timer[uint64], bool) {
	t, ok := s.s.Pop(now)
	s.trace = append(s.trace, event{model.Op{Kind: model.Pop, At: now}, t.ID, t.Deadline, ok})
	s.model.Advance(now)
	if ok {
		s.fired(now, t)
	} else if i := s.overdue(); i >= 0 {
		e := s.model.Pending[i]
		s.fail("Order",
			"Pop(%d) returned nothing, but ID %#x with deadline %d, scheduled at tick %d, is due: "+
				"never lost",
			now, e.ID, e.Deadline, e.Since)
	}
	s.drained = !ok
	s.after()
	return t, ok
}

// fired checks a timer that Pop has returned, and takes it out of the model.
func (s *subject) fired(now structures.Tick, t structures.Timer[uint64]) {
	i := s.model.Find(t.ID)
	if i < 0 {
		s.fail("Order", "Pop(%d) returned ID %#x with deadline %d, which is not pending: %s",
			now, t.ID, t.Deadline, s.state(t.ID, false))
	}
	want := s.model.Pending[i]
	first := s.model.Earliest()
	switch earliest := s.model.Pending[first]; {
	case t.Value != want.Value:
		s.fail("Identity", "Pop(%d) returned ID %#x with value %#x, want %#x", now, t.ID, t.Value, want.Value)
	case want.Deadline > s.model.Clock:
		s.fail("Order", "Pop(%d) returned ID %#x with deadline %d, whose deadline is %d: never early",
			now, t.ID, t.Deadline, want.Deadline)
	case t.Deadline != want.Deadline:
		s.fail("PastDeadlines", "Pop(%d) returned ID %#x with deadline %d, want deadline %d",
			now, t.ID, t.Deadline, want.Deadline)
	case s.exact() && t.Deadline != earliest.Deadline:
		s.fail("Order",
			"Pop(%d) returned ID %#x with deadline %d before ID %#x with deadline %d: the earliest first",
			now, t.ID, t.Deadline, earliest.ID, earliest.Deadline)
	case s.ties() && i != first:
		s.fail("Order",
			"Pop(%d) returned ID %#x before ID %#x, both with deadline %d: equal deadlines are "+
				"declared FIFO",
			now, t.ID, earliest.ID, t.Deadline)
	case s.model.Clock < s.quiet:
		s.fail("Next", "Pop(%d) returned ID %#x, but Next had named tick %d: no timer is due before it",
			now, t.ID, s.quiet)
	}
	s.model.Remove(i)
}

// drain pops until nothing is due. It ends, as every Pop removes a timer from the model.
func (s *subject) drain(now structures.Tick) {
	for {
		if _, ok := s.pop(now); !ok {
			return
		}
	}
}

func (s *subject) next() (structures.Tick, bool) {
	at, ok := s.s.Next()
	s.trace = append(s.trace, event{model.Op{Kind: model.Next}, 0, at, ok})
	if want := s.model.Len() > 0; ok != want {
		s.fail("Next", "Next() = _, %v, want %v: ok is false exactly when Len is 0", ok, want)
	}
	if !ok {
		return at, ok
	}
	earliest := s.model.Pending[s.model.Earliest()].Deadline
	switch {
	case s.exact() && s.levels == 0 && at != earliest:
		s.fail("Next", "Next() = %d, want %d, the earliest deadline", at, earliest)
	case s.exact() && at > earliest:
		s.fail("Next", "Next() = %d, want at most %d, the earliest deadline", at, earliest)
	case at > s.latest():
		s.fail("Next", "Next() = %d, want at most %d, where the next timer has to have fired", at, s.latest())
	case at <= s.model.Clock && (s.drained || earliest > s.model.Clock):
		s.fail("Next", "Next() = %d, want a tick after the clock, %d, as nothing is due", at, s.model.Clock)
	}
	s.quiet = max(s.quiet, at)
	s.after()
	return at, ok
}

// stepAll pops at each tick that Next names, as a tickless driver does, until nothing is pending.
func (s *subject) stepAll() {
	timers := s.model.Len()
	limit := timers * (s.levels + 1)
	for steps := 0; ; steps++ {
		at, ok := s.next()
		if !ok {
			return
		}
		if steps == limit {
			s.fail("Next",
				"%d of %d timers are still pending after %d steps of Pop at each tick that Next names, "+
					"want at most %d steps a timer",
				s.model.Len(), timers, steps, s.levels+1)
		}
		s.drain(at)
	}
}

// finish fires whatever is pending by one jump to the end of time.
func (s *subject) finish() {
	s.drain(math.MaxInt64)
	if n := s.model.Len(); n != 0 {
		s.fail("Order", "%d timers are pending at the end of time: never lost", n)
	}
	s.next()
}

// updateQuiet updates quiet and drained for a timer scheduled or rescheduled to deadline.
func (s *subject) updateQuiet(deadline structures.Tick) {
	s.quiet = min(s.quiet, s.model.Clamp(deadline))
	if s.model.Clock == math.MaxInt64 {
		s.drained = false // clock+1 saturates, so it is due at once
	}
}

// inBulk does many operations, with one check of the invariants.
func (s *subject) inBulk(do func()) {
	s.bulk = true
	do()
	s.bulk = false
	s.after()
}

// step does a few operations, in bulk if there may be so many timers that a check takes a millisecond.
func (s *subject) step(do func()) {
	if s.room > 2000 {
		s.inBulk(do)
	} else {
		do()
	}
}

// cancelAll cancels timers by how far they are ahead of the clock.
func (s *subject) cancelAll(which func(ahead structures.Tick) bool) {
	s.inBulk(func() {
		for _, e := range slices.Backward(slices.Clone(s.model.Pending)) {
			if which(e.Deadline - s.model.Clock) {
				s.Do(model.Op{Kind: model.Cancel, Slot: uint32(e.Value)})
			}
		}
	})
}

// after checks what must hold after every operation.
func (s *subject) after() {
	if got, want := s.s.Len(), s.model.Len(); got != want {
		s.fail("Len", "Len() = %d, want %d", got, want)
	}
	if n := len(s.trace); s.bulk {
		return
	} else if s.walk || n < s.amount(128, 8) || n%(256/s.amount(32, 4)) == 0 {
		s.checkInvariants()
		s.checkWork()
		if s.checks%s.amount(1, 4) == 0 {
			s.checkSnapshot()
		}
		s.checks++
	}
}

// work reads the structure's counters; without any, they stay 0.
func work(s any) structures.Work {
	if w, ok := s.(interface{ Work() structures.Work }); ok {
		return w.Work()
	}
	return structures.Work{}
}

// checkWork checks that the counters only count up: one that goes below 0 becomes huge.
func (s *subject) checkWork() {
	now := work(s.s)
	if d := now.Sub(s.work); max(d.SlotsVisited, d.EmptySlots, d.Moved, d.Dropped, d.Comparisons) > math.MaxInt64 {
		s.fail("Work", "Work() = %+v after %+v: counters only count up", now, s.work)
	}
	if now.EmptySlots > now.SlotsVisited {
		s.fail("Work", "Work() = %+v: more empty slots than slots", now)
	}
	s.work = now
}

func (s *subject) checkInvariants() {
	if c, ok := s.s.(Checked); ok {
		if err := c.CheckInvariants(); err != nil {
			s.fail("CheckInvariants", "%v", err)
		}
	}
}

// latest returns the tick by which the first of the pending timers has to have fired.
func (s *subject) latest() structures.Tick {
	tick := structures.Tick(math.MaxInt64)
	for _, e := range s.model.Pending {
		tick = min(tick, s.fireBy(e.Deadline, e.Since))
	}
	return tick
}

// overdue returns the index of a timer that has to have fired by now, or -1.
func (s *subject) overdue() int {
	return slices.IndexFunc(s.model.Pending, func(e model.Entry[uint64]) bool { return s.fireBy(e.Deadline, e.Since) <= s.model.Clock })
}

// state describes the state of an ID in the model.
func (s *subject) state(id structures.ID, pending bool) string {
	switch {
	case pending:
		return "it is pending"
	case s.issued[id]:
		return "it has fired or was cancelled"
	}
	return "it was never issued"
}

// event is an operation as it went: the ID of its timer, and the deadline of a Pop or the tick of a Next.
type event struct {
	model.Op
	id   structures.ID
	tick structures.Tick
	ok   bool
}

// firstForged is the first slot of an ID that is used without being issued.
const firstForged = 1 << 31

// forge returns a slot for an ID.
func (s *subject) forge(id structures.ID) uint32 {
	slot := firstForged + uint32(len(s.ids))
	s.ids[slot] = id
	return slot
}

func (e event) String() string {
	switch e.Kind {
	case model.Schedule:
		return fmt.Sprintf("Schedule(%d) = %#x", e.At, e.id)
	case model.Cancel:
		return fmt.Sprintf("Cancel(%#x) = %t", e.id, e.ok)
	case model.Reschedule:
		return fmt.Sprintf("Reschedule(%#x, %d) = %t", e.id, e.At, e.ok)
	case model.Pop:
		return fmt.Sprintf("Pop(%d) = %#x with deadline %d, %t", e.At, e.id, e.tick, e.ok)
	}
	return fmt.Sprintf("Next() = %d, %t", e.tick, e.ok)
}
