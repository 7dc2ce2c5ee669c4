package schedtest

import (
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/timerbench/timerbench/structures"
)

// crowd is a structure with many timers, for faults that show once in a hundred thousand
// operations, and for what takes memory. It checks each timer that fires against what it was
// scheduled with, without a model, which would take too long and has a memory of its own.
//
// The value of a timer is its index in timers.
type crowd struct {
	reporter
	*config
	s        structures.Scheduler[uint64]
	rng      *rand.Rand
	deadline func(*rand.Rand) structures.Tick // after the clock, of a new timer
	timers   []member
	clock    structures.Tick
	served   structures.Tick // nothing is due up to this tick
	named    structures.Tick // the last tick that Next has named, while nothing was due
	calls    uint64          // of Schedule and Reschedule
	oldest   int             // the timer that startStop cancels next
}

type member struct {
	id              structures.ID // 0: not pending
	deadline, since structures.Tick
	call            uint64 // the number of the last call of Schedule or Reschedule, which was at since
}

func newCrowd(r reporter, c *config, n int) *crowd {
	return &crowd{
		reporter: r, config: c, s: c.new(), rng: rand.New(rand.NewPCG(43, uint64(n))),
		deadline: anyDelay, timers: make([]member, n),
	}
}

// newFilled returns a crowd in its steady state.
func newFilled(r reporter, c *config, n int) *crowd {
	m := newCrowd(r, c, n)
	m.fill()
	return m
}

// anyDelay returns a delay of up to 2^40 ticks. All powers of two are equally likely.
func anyDelay(rng *rand.Rand) structures.Tick {
	return 1 + structures.Tick(rng.Uint64()>>24>>rng.IntN(40))
}

// oftenNear returns a function that draws delays of up to ticks, and sometimes of up to 2^20.
func oftenNear(ticks int) func(*rand.Rand) structures.Tick {
	return func(rng *rand.Rand) structures.Tick {
		if rng.IntN(16) == 0 {
			return 1 + structures.Tick(rng.Uint32()>>12>>rng.IntN(20))
		}
		return 1 + structures.Tick(rng.IntN(ticks))
	}
}

func (m *crowd) set(i int, deadline structures.Tick) {
	m.calls++
	t := &m.timers[i]
	t.deadline, t.since, t.call = deadline, m.clock, m.calls
}

func (m *crowd) schedule(i int) { m.scheduleAt(i, m.clock+m.deadline(m.rng)) }

func (m *crowd) scheduleAt(i int, deadline structures.Tick) {
	m.set(i, deadline)
	m.timers[i].id = m.s.Schedule(deadline, uint64(i))
}

func (m *crowd) cancel(i int) {
	id := m.timers[i].id
	if !m.s.Cancel(id) {
		violated(m, "Identity", "Cancel of the pending timer %#x = false, want true", id)
	}
	m.timers[i].id = 0
}

func (m *crowd) reschedule(i int, deadline structures.Tick) {
	m.set(i, deadline)
	if id := m.timers[i].id; !m.s.Reschedule(id, deadline) {
		violated(m, "Identity", "Reschedule of the pending timer %#x = false, want true", id)
	}
}

// disturb moves a timer, or cancels it and schedules another one.
func (m *crowd) disturb() {
	if i := m.rng.IntN(len(m.timers)); m.rng.IntN(2) == 0 {
		m.reschedule(i, m.clock+m.deadline(m.rng))
	} else {
		m.cancel(i)
		m.schedule(i)
	}
}

func (m *crowd) fill() {
	for i := range m.timers {
		m.schedule(i)
	}
	m.mustHold(len(m.timers))
}

// cancelAll cancels all timers in random order, and tries each stale ID.
func (m *crowd) cancelAll() {
	var stale structures.ID
	for _, i := range m.rng.Perm(len(m.timers)) {
		id := m.timers[i].id
		m.cancel(i)
		if m.s.Cancel(id) || m.s.Cancel(stale) {
			violated(m, "Identity", "Cancel of one of %#x and %#x, which were cancelled, = true, want false",
				id, stale)
		}
		stale = id
	}
	m.mustHold(0)
}

func (m *crowd) mustHold(want int) {
	if got := m.s.Len(); got != want {
		violated(m, "Len", "Len() = %d, want %d", got, want)
	}
}

// next returns the tick that Next names. All that is due must have fired.
func (m *crowd) next() structures.Tick {
	at, ok := m.s.Next()
	if !ok || at <= m.served {
		violated(m, "Next", "Next() = %d, %t at tick %d with %d timers pending, want a tick after that",
			at, ok, m.served, m.s.Len())
	}
	m.named = at
	return at
}

// drain pops until nothing is due. If it is told to, it schedules each timer again, and asks
// Next, which must name a tick after the clock exactly if nothing is due.
func (m *crowd) drain(now structures.Tick, again bool) (fired int) {
	m.clock = max(m.clock, now)
	before, next := member{deadline: math.MinInt64}, m.clock
	for {
		t, ok := m.s.Pop(now)
		if again && fired > 0 && ok != (next <= m.clock) {
			violated(m, "Next", "Pop(%d) = %+v, %t, but Next had named tick %d", now, t, ok, next)
		}
		if !ok {
			break
		}
		m.fired(t, before)
		before = m.timers[t.Value]
		m.timers[t.Value].id = 0
		if again {
			m.schedule(int(t.Value))
			next, _ = m.s.Next()
		}
		if fired++; fired > 4*len(m.timers) {
			violated(m, "PastDeadlines", "Pop(%d) never ends", now)
		}
	}
	m.served = m.clock
	return fired
}

// fired checks a timer that fired at the clock, the next one after before.
func (m *crowd) fired(t structures.Timer[uint64], before member) {
	if t.Value >= uint64(len(m.timers)) || m.timers[t.Value].id == 0 {
		violated(m, "Order", "Pop(%d) = %+v, whose value is that of no pending timer", m.clock, t)
	}
	switch want := &m.timers[t.Value]; {
	case t.ID != want.id || t.Deadline != want.deadline:
		violated(m, "Identity", "Pop(%d) = %+v, but that value belongs to ID %#x, deadline %d",
			m.clock, t, want.id, want.deadline)
	case t.Deadline > m.clock:
		violated(m, "Order", "Pop(%d) = %+v: never early", m.clock, t)
	case m.served >= m.fireBy(want.deadline, want.since):
		violated(m, "Order", "Pop(%d) = %+v, scheduled at tick %d: it fires too late, after tick %d",
			m.clock, t, want.since, m.served)
	case m.clock == m.named && m.clock > m.fireBy(want.deadline, want.since):
		violated(m, "Next", "Pop(%d) = %+v, scheduled at tick %d: too late, but Next had named this tick",
			m.clock, t, want.since)
	case m.exact() && t.Deadline < before.deadline:
		violated(m, "Order", "Pop(%d) = %+v after deadline %d: the earliest first", m.clock, t, before.deadline)
	case m.ties() && t.Deadline == before.deadline && want.call < before.call:
		violated(m, "Order",
			"Pop(%d) = %+v, scheduled before the timer that fired before it: equal deadlines are "+
				"declared FIFO",
			m.clock, t)
	}
}

// audit checks that no timer is overdue, and the invariants, which take too long in large crowds.
func (m *crowd) audit() {
	pending := 0
	for i := range m.timers {
		if t := &m.timers[i]; t.id != 0 {
			pending++
			if m.fireBy(t.deadline, t.since) <= m.served {
				violated(m, "Order", "ID %#x with deadline %d has not fired at tick %d: never lost",
					t.id, t.deadline, m.served)
			}
		}
	}
	m.mustHold(pending)
	if c, ok := m.s.(Checked); ok && len(m.timers) <= 100_000 {
		if err := c.CheckInvariants(); err != nil {
			violated(m, "CheckInvariants", "%v", err)
		}
	}
}

// Many checks a structure with n timers. It finds faults that few timers do not show, such as one in a
// hundred thousand, or one that needs half a million dead entries.
//
// It schedules n timers and cancels all of them, twice, and schedules n timers again. The Go heap must not
// grow the second time. Then it moves some of the timers and fires all of them. Every timer must fire once
// and in time, with its own ID, deadline and value.
//
// Memory is measured, so the test that calls Many must not be parallel. Each timer
// costs six operations, and 40 bytes on top of the structure.
func Many(t *testing.T, n int, newScheduler func() structures.Scheduler[uint64], opts ...Option) {
	t.Helper()
	many(t, n, newConfig(newScheduler, opts))
}

func many(r reporter, n int, c *config) {
	empty := heap()
	m := newCrowd(r, c, n)
	m.deadline = func(rng *rand.Rand) structures.Tick {
		if rng.IntN(2) == 0 { // a minute of milliseconds, where many timers have each deadline
			return 1 + structures.Tick(rng.IntN(60_000))
		}
		return anyDelay(rng)
	}
	m.fill()
	m.cancelAll()
	m.fill()
	before := heap()
	m.cancelAll()
	m.fill()
	grown, bound := heap()-before, (before-empty)/20+16<<10
	if c.bounded() && grown > bound {
		violated(r, "Memory",
			"%d timers take %d bytes; after all were cancelled, as many new ones take %d bytes more, "+
				"want at most %d: memory is proportional to the largest Len so far, and dead entries "+
				"are bounded", n, before-empty, grown, bound)
	}
	m.audit()
	for _, i := range m.rng.Perm(n)[:n/4] {
		m.reschedule(i, m.deadline(m.rng))
	}
	m.audit()
	m.fireAll()
	runtime.KeepAlive(m)
}

// fireAll steps n/10 times by Next, then jumps over the other deadlines, and to the end of time.
func (m *crowd) fireAll() {
	var deadlines []structures.Tick
	for i := range m.timers {
		deadlines = append(deadlines, m.timers[i].deadline)
	}
	slices.Sort(deadlines)
	for range len(m.timers) / 10 {
		if m.s.Len() > 0 {
			m.next()
			m.drain(m.next(), false) // asked again, with nothing in between
		}
	}
	m.audit()
	for i := range 1000 {
		if at := deadlines[i*len(deadlines)/1000]; at > m.served {
			m.next()
			m.drain(at, false)
		}
	}
	m.drain(math.MaxInt64, false)
	m.audit()
}

// orderAdjacentTicks keeps thousands of timers due at each of the next few ticks, which must not be mixed.
func orderAdjacentTicks(r reporter, c *config) {
	for _, ticks := range []int{2, 5, 20} {
		m := newCrowd(r, c, c.amount(3000, 3000))
		m.deadline = func(rng *rand.Rand) structures.Tick { return 1 + structures.Tick(rng.IntN(ticks)) }
		m.fill()
		for range 3 * ticks {
			m.drain(m.clock+1, true)
		}
		m.audit()
	}
}

// orderSteps moves and replaces timers, many of which share a deadline, while the clock goes by
// steps of all widths, without Next.
func orderSteps(r reporter, c *config) {
	for _, step := range []int{1, 40, 1000, 30_000} {
		m := newCrowd(r, c, 800)
		m.deadline = oftenNear(20 * step)
		m.fill()
		for range c.amount(2000, 75) {
			for range 20 {
				m.disturb()
			}
			m.drain(m.clock+1+structures.Tick(m.rng.IntN(2*step)), true)
		}
		m.audit()
	}
}

// orderLongHold moves or replaces a timer, goes to the tick that Next names, and schedules what fires.
func orderLongHold(r reporter, c *config) {
	const residents = 1000
	m := newCrowd(r, c, residents)
	m.deadline = oftenNear(64)
	m.fill()
	idle := 0
	for fires := 0; fires < c.amount(1_000_000, 55_000); {
		m.disturb()
		at := m.next()
		fired := m.drain(at, true)
		if again, _ := m.s.Next(); m.exact() && fired > 0 && again != m.next() {
			violated(m, "Next", "Next() = %d, and another tick after that, and nothing has changed", again)
		}
		if idle++; fired > 0 {
			idle = 0
		}
		if idle > residents*c.levels || idle > 0 && c.levels == 0 && c.exact() {
			violated(m, "Next",
				"nothing has fired at the last %d ticks that Next had named, the last one %d",
				idle, at)
		}
		fires += fired
	}
	m.audit()
	m.cancelAll()
}

// identityManyReuses uses a slot so often that a generation of 16 bits comes round, in steps of
// one or of two, and tries an ID as old as that each time.
func identityManyReuses(r reporter, c *config) {
	const wrap = 1 << 16
	s := c.new()
	var ids [2 * wrap]structures.ID
	for i := range ids {
		ids[i] = s.Schedule(structures.Tick(1+i%100), uint64(i))
		for _, age := range []int{1, wrap / 2, wrap} {
			if i < age {
				continue
			}
			if stale := ids[i-age]; s.Cancel(stale) || s.Reschedule(stale, 1) {
				violated(r, "Identity", "ID %#x names a timer again, %d timers after its own was cancelled",
					stale, age)
			}
		}
		if !s.Cancel(ids[i]) {
			violated(r, "Identity", "Cancel(%#x) = false, want true: it is pending", ids[i])
		}
	}
}
