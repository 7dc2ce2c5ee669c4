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
// begins with half a million dead entries.
//
// It schedules n timers and cancels all of them, twice, and schedules n again: the
// heap must not grow by the second time. It moves some, and fires them all: every
// timer must fire in time and once, with the ID, the deadline and the value that
// belong together.
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
		order:     rand.New(rand.NewPCG(41, uint64(n))).Perm(n),
		ids:       make([]structures.ID, n),
		deadlines: make([]structures.Tick, n),
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
	order     []int // the indexes in random order
	s         structures.Scheduler[uint64]
	ids       []structures.ID // 0: fired
	deadlines []structures.Tick
	left      []structures.Tick // the deadlines that are pending, in order
	served    structures.Tick   // nothing is due up to this tick
	named     structures.Tick   // the last tick that Next has named
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

// reschedule moves n timers to earlier and to later deadlines.
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

// fireAll steps n/10 times from one tick that Next names to the next. Then it jumps
// over the other deadlines, a thousandth at a time, and to the end of time.
func (m *crowd) fireAll() {
	m.Helper()
	m.left = slices.Sorted(slices.Values(m.deadlines))
	for range len(m.ids) / 10 {
		m.next()
		m.next() // again, with nothing in between
		m.popAll(m.named)
	}
	const jumps = 1000
	rest := m.left
	for i := range jumps {
		if len(rest) > 0 {
			m.next()
			m.popAll(rest[i*len(rest)/jumps])
		}
	}
	m.popAll(math.MaxInt64)
	m.mustHold(0)
}

func (m *crowd) next() {
	m.Helper()
	at, ok := m.s.Next()
	switch {
	case ok != (m.s.Len() > 0):
		m.Fatalf("rule %q broken: Next() = %d, %t with %d timers pending", "Next", at, ok, m.s.Len())
	case ok && at <= m.served:
		m.Fatalf("rule %q broken: Next() = %d, want a tick after %d, as nothing is due", "Next", at, m.served)
	case ok && m.exact() && at > m.left[0]:
		m.Fatalf("rule %q broken: Next() = %d, want at most %d, the earliest deadline", "Next", at, m.left[0])
	case ok:
		m.named = at
	}
}

// popAll fires all that is due at tick now.
func (m *crowd) popAll(now structures.Tick) {
	m.Helper()
	for {
		t, ok := m.s.Pop(now)
		if !ok {
			break
		}
		m.fired(now, t)
	}
	if m.exact() && len(m.left) > 0 && m.left[0] <= now {
		m.Fatalf("rule %q broken: Pop(%d) returned nothing, but a timer with deadline %d is due: never lost", "Order", now, m.left[0])
	}
	m.served = max(m.served, now)
}

// fired checks a timer that Pop has returned.
func (m *crowd) fired(now structures.Tick, t structures.Timer[uint64]) {
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
	case m.exact() && t.Deadline != m.left[0]:
		m.Fatalf("rule %q broken: Pop(%d) = %+v, want deadline %d: the earliest first", "Order", now, t, m.left[0])
	case !m.exact() && add(t.Deadline, m.maxLate(t.Deadline)) <= m.served:
		m.Fatalf("rule %q broken: Pop(%d) = %+v, which should have fired by tick %d: never lost", "Order", now, t, m.served)
	}
	m.ids[i] = 0
	m.left = m.left[1:]
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
