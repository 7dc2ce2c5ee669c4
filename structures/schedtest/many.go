package schedtest

import (
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/timerbench/timerbench/structures"
)

// Many checks the structure that newScheduler makes with n timers at a time. It is
// for faults that few timers do not show: one in a hundred thousand, or one that
// begins when there are half a million dead entries.
//
// It schedules n timers and cancels all of them, twice, and schedules n again: the
// heap must not grow by the second time. It moves some, and fires them all: every
// timer must fire with the ID, the deadline and the value that belong together, in
// time and once.
//
// Memory is measured, so the test that calls Many must not be parallel. Each timer
// costs six operations and 40 bytes beside the structure.
func Many(t *testing.T, n int, newScheduler func() structures.Scheduler[uint64], opts ...Option) {
	t.Helper()
	many(t, n, newConfig(newScheduler, opts))
}

func many(r reporter, n int, c *config) {
	r.Helper()
	m := &crowd{
		reporter:  r,
		config:    c,
		rng:       rand.New(rand.NewPCG(37, uint64(n))),
		ids:       make([]structures.ID, n),
		deadlines: make([]structures.Tick, n),
		order:     rand.New(rand.NewPCG(41, uint64(n))).Perm(n),
	}
	empty := heap()
	m.s = c.new()
	m.fill()
	m.cancelAll()
	m.fill()
	before := heap()
	m.cancelAll()
	m.fill()
	grown, bound := heap()-before, (before-empty)/20+16<<10
	if c.bounded() && grown > bound {
		r.Fatalf("rule %q broken: %d timers take %d bytes; after all were cancelled, as many new ones take %d bytes more, want at most %d: "+
			"memory is proportional to the largest Len so far, and dead entries are bounded", "Memory", n, before-empty, grown, bound)
	}
	m.checkInvariants()
	m.reschedule(n / 4)
	m.checkInvariants()
	m.fireAll()
	m.checkInvariants()
	runtime.KeepAlive(m)
}

// crowd is a scheduler with many timers. The value of a timer is its index in ids
// and deadlines.
type crowd struct {
	reporter
	*config
	rng       *rand.Rand
	s         structures.Scheduler[uint64]
	ids       []structures.ID // 0: not pending
	deadlines []structures.Tick
	order     []int // the indexes in random order
}

// deadline returns a tick of the next minute of milliseconds, where many timers
// have each deadline, or one of up to 2^40 ticks, all powers of two being as likely.
func (m *crowd) deadline() structures.Tick {
	if m.rng.IntN(2) == 0 {
		return 1 + structures.Tick(m.rng.IntN(60_000))
	}
	return 1 + structures.Tick(m.rng.Uint64()>>24>>m.rng.IntN(40))
}

func (m *crowd) fill() {
	m.Helper()
	for i := range m.ids {
		m.deadlines[i] = m.deadline()
		m.ids[i] = m.s.Schedule(m.deadlines[i], uint64(i))
	}
	m.mustHold(len(m.ids))
}

func (m *crowd) cancelAll() {
	m.Helper()
	for _, i := range m.order {
		if !m.s.Cancel(m.ids[i]) {
			m.Fatalf("rule %q broken: Cancel(%#x) of a pending timer = false, want true", "Identity", m.ids[i])
		}
	}
	m.mustHold(0)
	for _, id := range m.ids {
		if m.s.Cancel(id) {
			m.Fatalf("rule %q broken: Cancel(%#x) of a cancelled timer = true, want false", "Identity", id)
		}
	}
}

// reschedule moves n timers, those before and those after their deadline alike.
func (m *crowd) reschedule(n int) {
	m.Helper()
	for _, i := range m.order[:n] {
		m.deadlines[i] = m.deadline()
		if !m.s.Reschedule(m.ids[i], m.deadlines[i]) {
			m.Fatalf("rule %q broken: Reschedule(%#x, %d) of a pending timer = false, want true", "Identity", m.ids[i], m.deadlines[i])
		}
	}
	m.mustHold(len(m.ids))
}

// fireAll jumps to deadlines further and further away, and to the end of time.
func (m *crowd) fireAll() {
	m.Helper()
	const jumps = 1000
	sorted := slices.Sorted(slices.Values(m.deadlines))
	var stops []structures.Tick
	for i := range jumps {
		stops = append(stops, sorted[i*len(sorted)/jumps])
	}
	pending, before := len(m.ids), structures.Tick(0)
	for _, now := range slices.Compact(append(stops, math.MaxInt64)) {
		at, ok := m.s.Next()
		if !ok && pending > 0 || ok && at <= before {
			m.Fatalf("rule %q broken: Next() = %d, %t at tick %d with %d timers pending, want a tick after that", "Next", at, ok, before, pending)
		}
		first := structures.Tick(0)
		for {
			t, ok := m.s.Pop(now)
			if !ok {
				break
			}
			m.fired(t, before, now, at, first)
			first = t.Deadline
			pending--
		}
		m.mustHold(pending)
		before = now
	}
	if pending != 0 {
		m.Fatalf("rule %q broken: %d of %d timers have not fired at the end of time: never lost", "Order", pending, len(m.ids))
	}
}

// fired checks a timer that has fired at tick now, when tick before had been served,
// Next had named a tick, and a timer of deadline last had fired before it.
func (m *crowd) fired(t structures.Timer[uint64], before, now, next, last structures.Tick) {
	m.Helper()
	i := t.Value
	switch {
	case i >= uint64(len(m.ids)) || m.ids[i] == 0:
		m.Fatalf("rule %q broken: Pop(%d) = %+v, whose value is that of no pending timer", "Order", now, t)
	case t.ID != m.ids[i]:
		m.Fatalf("rule %q broken: Pop(%d) = %+v, whose value is that of timer %#x", "Identity", now, t, m.ids[i])
	case t.Deadline != m.deadlines[i]:
		m.Fatalf("rule %q broken: Pop(%d) = %+v, want deadline %d", "Identity", now, t, m.deadlines[i])
	case t.Deadline > now:
		m.Fatalf("rule %q broken: Pop(%d) = %+v: never early", "Order", now, t)
	case t.Deadline < last && m.exact():
		m.Fatalf("rule %q broken: Pop(%d) = %+v after one of deadline %d: the earliest first", "Order", now, t, last)
	case t.Deadline < next && m.exact():
		m.Fatalf("rule %q broken: Pop(%d) = %+v, and Next had named tick %d", "Next", now, t, next)
	case m.mustFireBy(t.Deadline) <= before:
		m.Fatalf("rule %q broken: Pop(%d) = %+v, which should have fired by tick %d: never lost", "Order", now, t, before)
	}
	m.ids[i] = 0
}

// mustFireBy returns the tick by which a timer has to fire that was scheduled or
// moved to deadline at tick 0.
func (m *crowd) mustFireBy(deadline structures.Tick) structures.Tick {
	if m.exact() {
		return deadline
	}
	return add(deadline, m.maxLate(deadline))
}

func (m *crowd) mustHold(want int) {
	m.Helper()
	if got := m.s.Len(); got != want {
		m.Fatalf("rule %q broken: Len() = %d, want %d", "Len", got, want)
	}
}

// checkInvariants may take longer than all else, so it leaves out large crowds.
func (m *crowd) checkInvariants() {
	m.Helper()
	if c, ok := m.s.(Checked); ok && len(m.ids) <= 100_000 {
		if err := c.CheckInvariants(); err != nil {
			m.Fatalf("rule %q broken: %v", "CheckInvariants", err)
		}
	}
}
