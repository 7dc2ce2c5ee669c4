package schedtest

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/timerbench/timerbench/structures"
)

// subject is a structure under test and its model. Each method does one operation on both and
// stops the test at the first difference. None calls Helper, which takes long.
type subject struct {
	reporter
	*config
	label string // names this subject among others of the same check
	s     structures.Scheduler[uint64]
	walk  bool // call CheckInvariants after every operation; otherwise less and less often

	model  Model[uint64]
	issued map[structures.ID]bool
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
		quiet:    math.MinInt64,
	}
}

// violated stops the test, as a rule is broken.
func violated(r reporter, rule, format string, args ...any) {
	r.Helper()
	r.Fatalf("rule %q broken: %s", rule, fmt.Sprintf(format, args...))
}

// fail stops the test. The message names the rule and the operations that led here.
func (s *subject) fail(rule, format string, args ...any) {
	s.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, "rule %q broken: %s\n", rule, fmt.Sprintf(format, args...))
	fmt.Fprintf(&b, "%s; clock %d, %d pending, operation %d; the last operations:\n",
		s.label, s.model.clock, s.model.Len(), len(s.trace))
	const shown = 24
	for _, e := range s.trace[max(0, len(s.trace)-shown):] {
		fmt.Fprintf(&b, "\t%v\n", e)
	}
	s.Fatalf("%s", b.String())
}

func (s *subject) clock() structures.Tick { return s.model.clock }

// schedule schedules a timer with a value of its own.
func (s *subject) schedule(deadline structures.Tick) structures.ID {
	value := uint64(len(s.issued)+1) * 0x9e3779b97f4a7c15
	id := s.s.Schedule(deadline, value)
	s.trace = append(s.trace, event{format: scheduleEvent, id: id, at: deadline, ok: true})
	if id == 0 {
		s.fail("Identity", "Schedule(%d) returned ID 0, which never names a timer", deadline)
	}
	if s.issued[id] {
		s.fail("Identity", "Schedule(%d) returned ID %#x, which was issued before", deadline, id)
	}
	s.issued[id] = true
	s.model.admit(id, deadline, value)
	s.updateQuiet(deadline)
	s.after()
	return id
}

// prefetch gives a Prefetcher an ID that is used next, and others that no timer may have.
func (s *subject) prefetch(id structures.ID) {
	if p, ok := s.s.(structures.Prefetcher); ok {
		p.Prefetch([]structures.ID{id, 0, id + 1, ^id})
	}
}

func (s *subject) reschedule(id structures.ID, deadline structures.Tick) bool {
	s.prefetch(id)
	got, want := s.s.Reschedule(id, deadline), s.model.Reschedule(id, deadline)
	s.trace = append(s.trace, event{format: rescheduleEvent, id: id, at: deadline, ok: got})
	if got != want {
		s.fail("Identity", "Reschedule(%#x, %d) = %v, want %v: %s", id, deadline, got, want, s.state(id, want))
	}
	if want {
		s.updateQuiet(deadline)
	}
	s.after()
	return got
}

func (s *subject) cancel(id structures.ID) bool {
	s.prefetch(id)
	got, want := s.s.Cancel(id), s.model.Cancel(id)
	s.trace = append(s.trace, event{format: cancelEvent, id: id, ok: got})
	if got != want {
		s.fail("Identity", "Cancel(%#x) = %v, want %v: %s", id, got, want, s.state(id, want))
	}
	s.after()
	return got
}

func (s *subject) pop(now structures.Tick) (structures.Timer[uint64], bool) {
	t, ok := s.s.Pop(now)
	s.trace = append(s.trace, event{format: popEvent, id: t.ID, at: now, deadline: t.Deadline, ok: ok})
	s.model.advance(now)
	if ok {
		s.fired(now, t)
	} else if i := s.overdue(); i >= 0 {
		e := s.model.pending[i]
		s.fail("Order",
			"Pop(%d) returned nothing, but ID %#x with deadline %d, scheduled at tick %d, is due: "+
				"never lost",
			now, e.ID, e.Deadline, e.since)
	}
	s.drained = !ok
	s.after()
	return t, ok
}

// fired checks a timer that Pop has returned, and takes it out of the model.
func (s *subject) fired(now structures.Tick, t structures.Timer[uint64]) {
	i := s.model.find(t.ID)
	if i < 0 {
		s.fail("Order", "Pop(%d) returned ID %#x with deadline %d, which is not pending: %s",
			now, t.ID, t.Deadline, s.state(t.ID, false))
	}
	want := s.model.pending[i]
	first := s.model.earliest()
	switch earliest := s.model.pending[first]; {
	case t.Value != want.Value:
		s.fail("Identity", "Pop(%d) returned ID %#x with value %#x, want %#x", now, t.ID, t.Value, want.Value)
	case want.Deadline > s.clock():
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
	case s.clock() < s.quiet:
		s.fail("Next", "Pop(%d) returned ID %#x, but Next had named tick %d: no timer is due before it",
			now, t.ID, s.quiet)
	}
	s.model.remove(i)
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
	s.trace = append(s.trace, event{format: nextEvent, at: at, ok: ok})
	if want := s.model.Len() > 0; ok != want {
		s.fail("Next", "Next() = _, %v, want %v: ok is false exactly when Len is 0", ok, want)
	}
	if !ok {
		return at, ok
	}
	earliest := s.model.pending[s.model.earliest()].Deadline
	switch {
	case s.exact() && s.levels == 0 && at != earliest:
		s.fail("Next", "Next() = %d, want %d, the earliest deadline", at, earliest)
	case s.exact() && at > earliest:
		s.fail("Next", "Next() = %d, want at most %d, the earliest deadline", at, earliest)
	case at > s.latest():
		s.fail("Next", "Next() = %d, want at most %d, where the next timer has to have fired", at, s.latest())
	case at <= s.clock() && (s.drained || earliest > s.clock()):
		s.fail("Next", "Next() = %d, want a tick after the clock, %d, as nothing is due", at, s.clock())
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
	s.quiet = min(s.quiet, s.model.clamp(deadline))
	if s.clock() == math.MaxInt64 {
		s.drained = false // clock+1 saturates, so it is due at once
	}
}

// after checks what must hold after every operation.
func (s *subject) after() {
	if got, want := s.s.Len(), s.model.Len(); got != want {
		s.fail("Len", "Len() = %d, want %d", got, want)
	}
	if n := len(s.trace); s.walk || n < s.amount(128, 8) || n%(256/s.amount(32, 4)) == 0 {
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
	for _, e := range s.model.pending {
		tick = min(tick, s.fireBy(e.Deadline, e.since))
	}
	return tick
}

// overdue returns the index of a timer that has to have fired by now, or -1.
func (s *subject) overdue() int {
	return slices.IndexFunc(s.model.pending, func(e entry[uint64]) bool { return s.fireBy(e.Deadline, e.since) <= s.clock() })
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

// add returns a+b, held at the ends of the range.
func add(a, b structures.Tick) structures.Tick {
	switch sum := a + b; {
	case b > 0 && sum < a:
		return math.MaxInt64
	case b < 0 && sum > a:
		return math.MinInt64
	default:
		return sum
	}
}

// event is one operation as it went, kept for the failure message: a format for what follows.
type event struct {
	format       string
	id           structures.ID
	at, deadline structures.Tick
	ok           bool
}

const (
	scheduleEvent   = "Schedule(%[2]d) = %#[1]x"
	rescheduleEvent = "Reschedule(%#[1]x, %[2]d) = %[4]v"
	cancelEvent     = "Cancel(%#[1]x) = %[4]v"
	popEvent        = "Pop(%[2]d) = %#[1]x with deadline %[3]d, %[4]v"
	nextEvent       = "Next() = %[2]d, %[4]v"
)

func (e event) String() string { return fmt.Sprintf(e.format, e.id, e.at, e.deadline, e.ok) }
