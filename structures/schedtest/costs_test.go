package schedtest_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/timerbench/timerbench/internal/longtest"
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/catalog"
	"github.com/timerbench/timerbench/structures/entry"
)

// span is the longest delay, in ticks. It is the same for any number of timers, as the
// levels of a wheel and the bits of a radix heap depend on it.
const span structures.Tick = 1 << 20

// With ten times the timers, an operation takes no more work than the catalog claims. Work is what the structure
// counts itself, of a third-party container the comparisons, and the calls of Next and Pop until a timer fires.
func TestCostsGrowNoFasterThanClaimed(t *testing.T) {
	for _, e := range append(catalog.All(), catalog.Intrusive()...) {
		t.Run(e.Name, func(t *testing.T) {
			t.Parallel()
			costs := make(map[string]*cost)
			most := longtest.Scale(t, 10_000, 10_000, 100_000)
			if e.Limit > 0 {
				most = min(most, e.Limit)
			}
			for n := 1000; n <= most; n *= 10 {
				for _, pattern := range []func(*load){atRandom, farAhead, oneTimeout, oneTick} {
					pattern(&load{
						s: e.New(), n: n, claims: e.Costs, costs: costs,
						rng: rand.New(rand.NewPCG(uint64(n), 1)),
					})
				}
			}
			for what, c := range costs {
				if err := c.check(); err != nil {
					t.Errorf("%s: %v", what, err)
				}
			}
		})
	}
}

// growth is how the work of an operation grows with the number of pending timers, from the slowest to the fastest.
type growth int

const (
	constant growth = iota
	logDistinct
	logarithmic
	linear
)

// growthOf returns the growth of a bound of the catalog.
func growthOf(bound string) growth {
	quantity, _, _ := strings.Cut(strings.TrimPrefix(bound, "O("), ")")
	return map[string]growth{
		"1": constant, "log k": logDistinct, "log n": logarithmic, "levels": logarithmic, "bits": logarithmic, "n": linear, "n/slots": linear,
	}[quantity]
}

// cost is the work of an operation among more and more timers, ten times as many each time, from 1000 on.
type cost struct {
	claim growth
	work  []float64
}

// check returns an error if the work grows faster than claimed. What is amortized comes in steps, so that one figure
// may be above the one before it; but not two in a row, and not the last one by much.
func (c *cost) check() error {
	const (
		little, much = 1.1, 3 // factors of the allowed work
		few          = 1
		level        = 3 // comparisons or moves for each doubling, which are always allowed
		changed      = 8 // where a structure changes its form once
	)
	if c.claim == linear {
		return nil
	}
	above, n := 0, 1000.0
	for i := 1; i < len(c.work); i++ {
		allowed := c.work[i-1]
		if c.claim == logarithmic {
			// Where only some timers are in a heap their share grows as well.
			allowed = max(allowed*math.Log(10*n)/math.Log(n), level*math.Log2(10*n))
		}
		n *= 10
		if c.work[i] > little*allowed+few {
			above++
		} else {
			above = 0
		}
		if above == 2 || i == len(c.work)-1 && c.work[i] > max(much*allowed, changed)+few {
			return fmt.Errorf("from 1000 timers on it took %.1f, claimed are %v", c.work, c.claim)
		}
	}
	return nil
}

func TestWhatGrowsFasterThanClaimedIsFound(t *testing.T) {
	for _, g := range []struct {
		name    string
		slowest growth // that allows it
		work    func(n float64) float64
	}{
		{"nothing", constant, func(float64) float64 { return 40 }},
		{"less", constant, func(n float64) float64 { return 1e6 / n }},
		{"one step", constant, func(n float64) float64 { return 40 + 40*min(1, math.Floor(n/10_000)) }},
		{"log", logarithmic, func(n float64) float64 { return 5 * math.Log2(n) }},
		{"log squared", linear, func(n float64) float64 { return math.Pow(math.Log2(n), 2) }},
		{"root", linear, func(n float64) float64 { return 2 * math.Sqrt(n) }},
		{"little linear", linear, func(n float64) float64 { return 100 + n/100 }},
		{"linear", linear, func(n float64) float64 { return n }},
	} {
		for _, claim := range []growth{constant, logarithmic, linear} {
			c := cost{claim, []float64{g.work(1000), g.work(10_000), g.work(100_000)}}
			if err := c.check(); (err == nil) != (claim >= g.slowest) {
				t.Errorf("%s, claimed %v: %v", g.name, claim, err)
			}
		}
	}
}

// load is a scheduler with n timers, whose values are 0 to n-1.
type load struct {
	s         structures.Scheduler[uint64]
	n         int
	few       bool // few different deadlines or delays
	claims    entry.Costs
	costs     map[string]*cost // by pattern and operation
	now       structures.Tick
	ids       []structures.ID
	deadlines []structures.Tick
	calls     uint64 // of Next and Pop
	rng       *rand.Rand
}

// atRandom is timers with delays from 1 tick to span.
func atRandom(l *load) {
	anywhere := func(uint64) structures.Tick { return l.now + l.delay() }
	l.fill("random delays: fill", anywhere)
	l.fire("random delays: fire a quarter", anywhere)
	l.replace("random delays: replace the earliest", l.byDeadline()[:l.n/4], anywhere)
	latest := l.byDeadline()
	slices.Reverse(latest)
	l.replace("random delays: replace the latest", latest[:l.n/4], anywhere)
	l.replace("random delays: replace any", l.any()[:l.n/4], anywhere)
	l.move("random delays: move any", l.any()[:l.n/4], anywhere)
	after := l.now + 2*span
	l.move("random delays: move the earliest to the end", l.byDeadline()[:l.n/4], func(uint64) structures.Tick {
		after++
		return after
	})
	l.move("random delays: move some to be earlier", l.any()[:l.n/4], func(v uint64) structures.Tick {
		return l.deadlines[v] - structures.Tick(l.rng.Int64N(max(1, int64(l.deadlines[v]-l.now))))
	})
	l.drain("random delays: drain")
}

// farAhead is timers of which none is due for a long time, the last one first.
func farAhead(l *load) {
	at := 4 * span
	l.fill("falling deadlines: fill", func(uint64) structures.Tick {
		at--
		return at
	})
	l.startStop("far ahead: start and stop among the others", func() structures.Tick { return 2*span + l.delay() })
	l.startStop("far ahead: start and stop after the others", func() structures.Tick { return span << 20 })
	l.startStop("far ahead: start and stop before the others", func() structures.Tick { return l.now + l.delay() })
	l.measure("far ahead: a clock ticks", growthOf(l.claims.Pop), 1000, func() {
		for range 1000 {
			l.now++
			l.s.Pop(l.now)
			l.s.Next()
		}
	})
	before := 2 * span
	l.move("far ahead: move some to be the earliest", l.any()[:l.n/4], func(uint64) structures.Tick {
		before--
		return before
	})
	l.measure("far ahead: the clock jumps past all, drain", growthOf(l.claims.Pop), l.n, func() {
		for range structures.Due(l.s, 8*span) {
		}
	})
}

// oneTimeout is timers that all have the same delay.
func oneTimeout(l *load) {
	l.few = true
	timeout := func(uint64) structures.Tick { return l.now + span }
	l.fill("one timeout: fill", func(v uint64) structures.Tick {
		if v%uint64(l.n/4) == 0 { // in four bursts
			l.now += span / 8
			l.s.Pop(l.now)
		}
		return l.now + span
	})
	l.fire("one timeout: fire a quarter", timeout)
	l.replace("one timeout: replace the oldest", l.byDeadline()[:l.n/2], timeout)
	l.move("one timeout: restart any", l.any()[:l.n/2], timeout)
	l.drain("one timeout: drain")
}

// oneTick is timers that are all due at one tick.
func oneTick(l *load) {
	l.few = true
	tick := func(uint64) structures.Tick { return span }
	l.fill("one tick: fill", tick)
	l.replace("one tick: replace any", l.any()[:l.n/4], tick)
	l.move("one tick: move any to the same tick", l.any()[:l.n/4], tick)
	l.drain("one tick: drain")
}

func (l *load) delay() structures.Tick { return 1 + structures.Tick(l.rng.Int64N(int64(span))) }

// any returns the timers in random order.
func (l *load) any() []uint64 {
	order := make([]uint64, l.n)
	for i, v := range l.rng.Perm(l.n) {
		order[i] = uint64(v)
	}
	return order
}

// byDeadline returns the timers, the earliest first.
func (l *load) byDeadline() []uint64 {
	order := l.any()
	slices.SortFunc(order, func(a, b uint64) int { return int(l.deadlines[a] - l.deadlines[b]) })
	return order
}

// fill schedules all timers.
func (l *load) fill(what string, deadline func(v uint64) structures.Tick) {
	l.ids, l.deadlines = make([]structures.ID, l.n), make([]structures.Tick, l.n)
	all := make([]uint64, l.n)
	for v := range all {
		all[v] = uint64(v)
	}
	l.schedule(what, all, deadline)
}

func (l *load) schedule(what string, timers []uint64, deadline func(v uint64) structures.Tick) {
	l.each(what+", schedule", growthOf(l.claims.Schedule), timers, func(v uint64) {
		l.deadlines[v] = deadline(v)
		l.ids[v] = l.s.Schedule(l.deadlines[v], v)
	})
}

// replace cancels timers and schedules them again.
func (l *load) replace(what string, timers []uint64, deadline func(v uint64) structures.Tick) {
	l.each(what+", cancel", growthOf(l.claims.Cancel), timers, func(v uint64) { l.s.Cancel(l.ids[v]) })
	l.schedule(what, timers, deadline)
}

// move reschedules timers, which may cost what Cancel and Schedule do.
func (l *load) move(what string, timers []uint64, deadline func(v uint64) structures.Tick) {
	l.each(what, max(growthOf(l.claims.Schedule), growthOf(l.claims.Cancel)), timers, func(v uint64) {
		l.deadlines[v] = deadline(v)
		l.s.Reschedule(l.ids[v], l.deadlines[v])
	})
}

// startStop starts a timer and stops it at once, and asks for the next tick after each.
func (l *load) startStop(what string, deadline func() structures.Tick) {
	claim := max(growthOf(l.claims.Schedule), growthOf(l.claims.Cancel), growthOf(l.claims.Pop))
	l.measure(what, claim, l.n/4, func() {
		for range l.n / 4 {
			id := l.s.Schedule(deadline(), 0)
			l.s.Next()
			l.s.Cancel(id)
			l.s.Next()
		}
	})
}

// fire fires the earliest quarter, and schedules it again.
func (l *load) fire(what string, deadline func(v uint64) structures.Tick) {
	fired := make([]uint64, l.n/4)
	l.measure(what, growthOf(l.claims.Pop), len(fired), func() {
		for i := range fired {
			fired[i] = l.pop()
		}
	})
	l.schedule(what, fired, deadline)
}

// drain fires all timers.
func (l *load) drain(what string) {
	l.measure(what, growthOf(l.claims.Pop), l.n, func() {
		for range l.n {
			l.pop()
		}
	})
}

// pop lets the clock go from one tick that Next names to another until a timer fires.
func (l *load) pop() (value uint64) {
	for {
		at, ok := l.s.Next()
		if !ok {
			panic("no timer is pending")
		}
		l.now = max(l.now, at)
		l.calls += 2
		if t, ok := l.s.Pop(l.now); ok {
			return t.Value
		}
	}
}

// each does an operation on each of the timers. On the first half of them it asks for the
// next tick after each, as a driver does before it waits: that shows work put off.
func (l *load) each(what string, claim growth, timers []uint64, do func(v uint64)) {
	half := len(timers) / 2
	l.measure(what+", next", max(claim, growthOf(l.claims.Pop)), half, func() {
		for _, v := range timers[:half] {
			do(v)
			l.s.Next()
		}
	})
	l.measure(what, claim, len(timers)-half, func() {
		for _, v := range timers[half:] {
			do(v)
		}
	})
	l.s.Next()
}

// measure runs f, which takes a number of turns, and notes what each took.
func (l *load) measure(what string, claim growth, turns int, f func()) {
	if claim == logDistinct {
		claim = logarithmic
		if l.few {
			claim = constant
		}
	}
	before := l.work()
	f()
	c := l.costs[what]
	if c == nil {
		c = &cost{claim: claim}
		l.costs[what] = c
	}
	c.work = append(c.work, float64(l.work()-before)/float64(turns))
}

// work returns the sum of the structure's own counters and of the calls.
func (l *load) work() uint64 {
	w := l.s.(interface{ Work() structures.Work }).Work()
	return l.calls + w.SlotsVisited + w.Moved + w.Dropped + w.Comparisons
}
