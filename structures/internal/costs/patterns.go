package costs

import "github.com/timerbench/timerbench/structures"

// span is the longest delay, in ticks. It is the same for any number of timers, as the
// levels of a wheel and the bits of a radix heap depend on it.
const span structures.Tick = 1 << 20

// populations make timers that are pending together, and run patterns on them.
var populations = []struct {
	run func(*load)
	few bool // few different deadlines or delays
}{
	{run: random}, {run: far}, {run: falling}, {run: oneTimeout, few: true}, {run: oneTick, few: true},
}

// random is timers with delays between 1 tick and span, evenly distributed.
func random(l *load) {
	anywhere := func() structures.Tick { return l.now + l.delay() }
	l.fill("random delays: fill", anywhere)
	l.fire("random delays: fire the earliest, schedule one", anywhere)
	l.cancelAndSchedule("random delays: cancel the earliest, schedule one", l.earliest, anywhere)
	l.cancelAndSchedule("random delays: cancel the latest, schedule one", l.latest, anywhere)
	l.cancelAndSchedule("random delays: cancel any, schedule one", l.any, anywhere)
	l.reschedule("random delays: reschedule any at random", l.any, anywhere)
	after := l.now + 2*span
	l.reschedule("random delays: reschedule the earliest to be the latest", l.earliest, func() structures.Tick {
		after++
		return after
	})
	l.each(0, "random delays: reschedule all to be earlier", Reschedule, l.any(l.n), func(v int) {
		deadline := l.timers[v].deadline
		l.move(v, deadline-structures.Tick(l.random.Int64N(max(1, int64(deadline-l.now)))))
	})
	l.drain("random delays: drain")
}

// far is timers of which none is due for a long time.
func far(l *load) {
	const ticks = 1000
	l.fill("", func() structures.Tick { return 2*span + l.delay() })
	l.startStop("far ahead: start and stop one among the others", func() structures.Tick { return 2*span + l.delay() })
	l.startStop("far ahead: start and stop one after the others", func() structures.Tick { return span << 20 })
	l.startStop("far ahead: start and stop one before the others", func() structures.Tick { return l.now + l.delay() })
	l.measure("far ahead: a clock ticks, and nothing is due", Pop, ticks, func() {
		for range ticks {
			l.tick(1)
		}
	})
	l.measure("far ahead: Next, and nothing has changed", Next, ticks, func() {
		for range ticks {
			l.next()
		}
	})
	before := 2 * span
	l.each(0, "far ahead: reschedule each to be the earliest", Reschedule, l.any(l.n), func(v int) {
		before--
		l.move(v, before)
	})
	l.measure("far ahead: the clock jumps past all, drain", Pop, l.n, func() {
		l.now += 4 * span
		for range l.n {
			l.s.Pop(l.now)
		}
	})
}

// falling is timers that are scheduled in the order of their deadlines, the last one
// first.
func falling(l *load) {
	at := 2 * span
	l.fill("falling deadlines: fill", func() structures.Tick {
		at--
		return at
	})
}

// oneTimeout is timers that all have the same delay, in bursts.
func oneTimeout(l *load) {
	timeout := func() structures.Tick { return l.now + span }
	l.timers = make([]timer, l.n)
	for v := range l.timers {
		if v%l.batch() == 0 {
			l.tick(span / (2 * rounds))
		}
		l.schedule(v, timeout())
	}
	l.fire("one timeout: fire the oldest, schedule one", timeout)
	l.cancelAndSchedule("one timeout: cancel the oldest, schedule one", l.oldest, timeout)
	l.reschedule("one timeout: restart the oldest", l.oldest, timeout)
	l.reschedule("one timeout: restart any", l.any, timeout)
	l.drain("one timeout: drain")
}

// oneTick is timers that are all due at one tick.
func oneTick(l *load) {
	tick := func() structures.Tick { return span }
	l.fill("one tick: fill", tick)
	l.cancelAndSchedule("one tick: cancel any, schedule one", l.any, tick)
	l.reschedule("one tick: reschedule any to the same tick", l.any, tick)
	l.drain("one tick: drain")
}

// fill schedules all timers.
func (l *load) fill(pattern string, deadline func() structures.Tick) {
	l.timers = make([]timer, l.n)
	l.measure(pattern, Schedule, l.n, func() {
		for v := range l.timers {
			l.schedule(v, deadline())
		}
	})
	l.next()
}

// drain fires all timers.
func (l *load) drain(pattern string) {
	l.measure(pattern, Pop, l.n, func() {
		for range l.n {
			l.pop()
		}
	})
}

// rounds is how many batches a pattern takes, all timers in total, as what is amortised
// over many operations would not show in few. In half of the batches it asks for the
// next tick after each operation.
const rounds = 4

// batch is the number of timers in a batch.
func (l *load) batch() int { return l.n / rounds }

// fire fires the earliest timers of all, and schedules them again.
func (l *load) fire(pattern string, deadline func() structures.Tick) {
	for r := range rounds {
		var fired []int
		l.measure(pattern, Pop, l.batch(), func() {
			for range l.batch() {
				fired = append(fired, l.pop())
			}
		})
		l.turn += len(fired)
		l.each(r, pattern, Schedule, fired, func(v int) { l.schedule(v, deadline()) })
	}
}

// cancelAndSchedule cancels timers and schedules them again.
func (l *load) cancelAndSchedule(pattern string, victims func(n int) []int, deadline func() structures.Tick) {
	for r := range rounds {
		batch := victims(l.batch())
		l.each(r, pattern, Cancel, batch, l.cancel)
		l.each(r, pattern, Schedule, batch, func(v int) { l.schedule(v, deadline()) })
	}
}

// reschedule moves timers.
func (l *load) reschedule(pattern string, victims func(n int) []int, deadline func() structures.Tick) {
	for r := range rounds {
		l.each(r, pattern, Reschedule, victims(l.batch()), func(v int) { l.move(v, deadline()) })
	}
}

// each does an operation on some timers. In every other round it asks for the next tick
// after each.
func (l *load) each(round int, pattern string, op Ops, timers []int, do func(value int)) {
	if round%2 == 0 {
		l.measure(pattern, op|Next, len(timers), func() {
			for _, v := range timers {
				do(v)
				l.next()
			}
		})
		return
	}
	l.measure(pattern, op, len(timers), func() {
		for _, v := range timers {
			do(v)
		}
	})
	l.next()
}

// startStop starts a timer and stops it at once, and asks for the next tick after each
// operation.
func (l *load) startStop(pattern string, deadline func() structures.Tick) {
	turns := l.n / 4
	l.measure(pattern, Schedule|Cancel|Next, turns, func() {
		for range turns {
			id := l.s.Schedule(deadline(), 0)
			l.next()
			l.s.Cancel(id)
			l.next()
		}
	})
}
