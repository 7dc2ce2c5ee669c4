package schedtest

import (
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/timerbench/timerbench/structures"
)

// The rule "Memory". These checks use no model, whose memory they would measure.

const residents = 1000

// resident is a scheduler in its steady state, with as many timers pending all
// the time.
type resident struct {
	reporter
	s      structures.Scheduler[uint64]
	rng    *rand.Rand
	clock  structures.Tick
	ids    [residents]structures.ID // of the timer whose value is the index
	oldest int
}

func newResident(r reporter, c *config) *resident {
	m := &resident{reporter: r, s: c.new(), rng: rand.New(rand.NewPCG(29, 31))}
	for i := range m.ids {
		m.ids[i] = m.s.Schedule(m.delay(), uint64(i))
	}
	return m
}

// delay returns a deadline that is after the clock by anything up to 2^40 ticks,
// all powers of two being as likely.
func (m *resident) delay() structures.Tick {
	return m.clock + 1 + structures.Tick(m.rng.Uint64()>>24>>m.rng.IntN(40))
}

// startStop schedules a timer and cancels the oldest.
func (m *resident) startStop(deadline structures.Tick) {
	i := m.oldest
	if !m.s.Cancel(m.ids[i]) {
		m.Fatalf("rule %q broken: Cancel of a pending timer = false, want true", "Identity")
	}
	m.ids[i] = m.s.Schedule(deadline, uint64(i))
	m.oldest = (i + 1) % residents
}

func (m *resident) reschedule(deadline structures.Tick) {
	if !m.s.Reschedule(m.ids[m.rng.IntN(residents)], deadline) {
		m.Fatalf("rule %q broken: Reschedule of a pending timer = false, want true", "Identity")
	}
}

// fire wakes the structure at the tick that Next names, and schedules every
// timer that fires again.
func (m *resident) fire() {
	at, ok := m.s.Next()
	if !ok {
		m.Fatalf("rule %q broken: Next() says that nothing is pending, want %d timers", "Next", residents)
	}
	m.clock = max(m.clock, at)
	for range 4 * residents { // more than could be due, so that this ends
		t, ok := m.s.Pop(at)
		if !ok {
			return
		}
		m.ids[t.Value%residents] = m.s.Schedule(m.delay(), t.Value)
	}
	m.Fatalf("rule %q broken: Pop(%d) never ends, with %d timers pending", "PastDeadlines", at, residents)
}

func memorySteadyState(r reporter, c *config) {
	r.Helper()
	m := newResident(r, c)
	for _, op := range []struct {
		name string
		ops  int
		do   func()
	}{
		{"Schedule and Cancel at once", c.amount(200_000, 30_000), func() { m.s.Cancel(m.s.Schedule(m.delay(), 0)) }},
		{"Schedule, and Cancel of the oldest timer", c.amount(200_000, 30_000), func() { m.startStop(m.delay()) }},
		{"Reschedule", c.amount(200_000, 30_000), func() { m.reschedule(m.delay()) }},
		{"Next, Pop and Schedule", c.amount(100_000, 4000), m.fire},
		{"refused Cancel and Reschedule", c.amount(200_000, 30_000), func() { m.s.Cancel(0); m.s.Reschedule(0, 1) }},
		{"Next and Len", c.amount(200_000, 10_000), func() { m.s.Next(); m.s.Len() }},
	} {
		// The runtime may allocate once or twice itself. One allocation in ten thousand
		// operations is more than that. AllocsPerRun runs the function twice and counts
		// the second time, in the steady state.
		if n := testing.AllocsPerRun(1, func() {
			for range op.ops {
				op.do()
			}
		}); n > 2 {
			r.Errorf("rule %q broken: %s: %v allocations in %d rounds with %d timers pending, want none: the steady state allocates nothing",
				"Memory", op.name, n, op.ops, residents)
		}
	}
}

// memoryHolds does op over and over, and fails when the heap grows.
func memoryHolds(r reporter, c *config, m *resident, name string, ops int, op func()) {
	r.Helper()
	const tolerance = 16 << 10
	checks := c.amount(8, 2)           // each waits for four collections
	for range min(ops, 20*residents) { // into the steady state
		op()
	}
	before := heap()
	for i := range checks {
		for range ops / checks {
			op()
		}
		grown := heap() - before
		for again := 0; grown > tolerance && again < 3; again++ {
			grown = heap() - before
		}
		if grown > tolerance {
			r.Fatalf("rule %q broken: %s: after %d rounds with %d timers pending the heap has grown by %d bytes, want at most %d: memory is proportional to the largest Len so far",
				"Memory", name, (i+1)*(ops/checks), residents, grown, tolerance)
		}
	}
	runtime.KeepAlive(m)
}

// heap returns the bytes in use on the heap once the garbage is gone.
func heap() int64 {
	runtime.GC()
	runtime.GC() // what the first one has found dead is swept by now
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc)
}

func memoryStartStop(r reporter, c *config) {
	r.Helper()
	m := newResident(r, c)
	memoryHolds(r, c, m, "timers started and stopped", c.amount(1_000_000, 50_000), func() { m.startStop(m.delay()) })
}

// memoryCancelledFar cancels timers so far away that they never come up by
// themselves, while the clock moves on.
func memoryCancelledFar(r reporter, c *config) {
	r.Helper()
	m := newResident(r, c)
	far := func() { m.startStop(m.clock + 1<<60 + structures.Tick(m.rng.Uint32())) }
	for range residents {
		far()
	}
	memoryHolds(r, c, m, "far timers started and stopped", c.amount(200_000, 30_000), func() {
		far()
		m.clock++
		if t, ok := m.s.Pop(m.clock); ok {
			r.Fatalf("rule %q broken: Pop(%d) returned deadline %d: never early", "Order", m.clock, t.Deadline)
		}
	})
}

func memoryRescheduled(r reporter, c *config) {
	r.Helper()
	m := newResident(r, c)
	memoryHolds(r, c, m, "timers moved", c.amount(200_000, 30_000), func() { m.reschedule(m.delay()) })
	m = newResident(r, c)
	memoryHolds(r, c, m, "timers moved ever further away", c.amount(200_000, 30_000), func() {
		m.clock++
		m.reschedule(m.clock + 1<<60)
	})
}

// memoryBunches fires bunches of timers, each bunch at another tick: a structure that
// keeps room for a bunch at every tick grows.
func memoryBunches(r reporter, c *config) {
	r.Helper()
	m := &resident{reporter: r, s: c.new()}
	const bunch = 100
	width := structures.Tick(1)
	memoryHolds(r, c, m, "bunches of timers fired", c.amount(4000, 800), func() {
		for range bunch {
			m.s.Schedule(m.clock+width, 0)
		}
		m.clock += width
		for range 4 * bunch {
			if _, ok := m.s.Pop(m.clock); !ok {
				break
			}
		}
		width = width*5%8191 + 1
	})
}
