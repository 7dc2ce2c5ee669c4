package schedtest

import (
	"math"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/timerbench/timerbench/structures"
)

// The rule "Memory". These checks use no model, whose memory they would measure.

// startStop cancels the oldest timer and schedules another one.
func (m *crowd) startStop(delay structures.Tick) {
	m.cancel(m.oldest)
	m.scheduleAt(m.oldest, m.clock+delay)
	m.oldest = (m.oldest + 1) % len(m.timers)
}

// move moves any timer.
func (m *crowd) move(delay structures.Tick) { m.reschedule(m.rng.IntN(len(m.timers)), m.clock+delay) }

func memorySteadyState(r reporter, c *config) {
	r.Helper()
	m := newFilled(r, c, 1000)
	for _, op := range []struct {
		name string
		ops  int
		do   func()
	}{
		{"Schedule and Cancel at once",
			c.amount(200_000, 30_000), func() { m.s.Cancel(m.s.Schedule(m.clock+m.deadline(m.rng), 0)) }},
		{"Schedule, and Cancel of the oldest timer",
			c.amount(200_000, 30_000), func() { m.startStop(m.deadline(m.rng)) }},
		{"Reschedule", c.amount(200_000, 30_000), func() { m.move(m.deadline(m.rng)) }},
		{"Next, Pop and Schedule", c.amount(100_000, 2000), func() { m.drain(m.next(), true) }},
		{"refused Cancel and Reschedule",
			c.amount(200_000, 30_000), func() { m.s.Cancel(0); m.s.Reschedule(0, 1) }},
		{"Next and Len", c.amount(200_000, 5000), func() { m.s.Next(); m.s.Len() }},
	} {
		// The runtime may allocate once or twice itself: one in ten thousand is more. In long runs
		// buffers reach their largest size late, so one of three counts must be small.
		// AllocsPerRun runs the function twice and counts the second time.
		n := math.Inf(1)
		for tries := 0; tries < 3 && n > 2; tries++ {
			n = testing.AllocsPerRun(1, func() {
				for range op.ops {
					op.do()
				}
			})
		}
		if n > 2 {
			r.Errorf("rule %q broken: %s: %v allocations in %d rounds with %d timers pending, want "+
				"none: the steady state allocates nothing",
				"Memory", op.name, n, op.ops, len(m.timers))
		}
	}
}

// memoryHolds does an operation over and over, and fails when the heap grows.
func memoryHolds(r reporter, c *config) {
	r.Helper()
	const (
		tolerance = 16 << 10
		far       = 1 << 60 // so far away that they never come up by themselves
	)
	width := structures.Tick(1) // between bunches: room might be kept at each tick
	for _, op := range []struct {
		name   string
		timers int
		ops    int
		do     func(m *crowd)
	}{
		{"timers started and stopped",
			1000, c.amount(1_000_000, 25_000), func(m *crowd) { m.startStop(m.deadline(m.rng)) }},
		{"far timers started and stopped", 1000, c.amount(200_000, 15_000), func(m *crowd) {
			m.startStop(far + structures.Tick(m.rng.Uint32()))
			m.drain(m.clock+1, true)
		}},
		{"timers moved", 1000, c.amount(200_000, 15_000), func(m *crowd) { m.move(m.deadline(m.rng)) }},
		{"timers moved ever further away", 1000, c.amount(200_000, 15_000), func(m *crowd) {
			m.clock++
			m.move(far)
		}},
		{"bunches of timers fired", 100, c.amount(4000, 400), func(m *crowd) {
			m.deadline = func(*rand.Rand) structures.Tick { return width }
			at := m.clock + width
			if m.clock == 0 {
				at = 1 << 41 // for all that are pending
			}
			width = width*5%8191 + 1
			m.drain(at, true)
		}},
	} {
		m := newFilled(r, c, op.timers)
		checks := c.amount(8, 2)                  // each waits for four collections
		for range min(op.ops, 20*len(m.timers)) { // into the steady state
			op.do(m)
		}
		before := heap()
		for i := range checks {
			for range op.ops / checks {
				op.do(m)
			}
			grown := heap() - before
			for again := 0; grown > tolerance && again < 3; again++ {
				grown = heap() - before
			}
			if grown > tolerance {
				violated(r, "Memory",
					"%s: after %d rounds with %d timers pending the heap has grown by %d bytes, "+
						"want at most %d: memory is proportional to the largest Len so far",
					op.name, (i+1)*(op.ops/checks), len(m.timers), grown, tolerance)
			}
		}
		runtime.KeepAlive(m)
	}
}

// heap returns the bytes in use on the heap once the garbage is gone.
func heap() int64 {
	runtime.GC()
	runtime.GC() // what the first one has found dead is swept by now
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc)
}
