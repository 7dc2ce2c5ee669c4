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
	const batches = 4
	anywhere := func() structures.Tick { return l.now + l.delay() }
	l.fill("random delays: fill", anywhere)
	l.fire("random delays: fire the earliest, schedule one", batches, anywhere)
	l.cancelAndSchedule("random delays: cancel the earliest, schedule one", batches, l.earliest, anywhere)
	l.cancelAndSchedule("random delays: cancel the latest, schedule one", batches, l.latest, anywhere)
	l.cancelAndSchedule("random delays: cancel any, schedule one", batches, l.any, anywhere)
	l.reschedule("random delays: reschedule any at random", batches, l.any, func(timer) structures.Tick { return anywhere() })
	after := l.now + 2*span
	l.reschedule("random delays: reschedule the earliest to be the latest", batches, l.earliest, func(timer) structures.Tick {
		after++
		return after
	})
	l.reschedule("random delays: reschedule all to be earlier", 1, l.any, func(t timer) structures.Tick {
		return t.deadline - structures.Tick(l.random.Int64N(max(1, int64(t.deadline-l.now))))
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
	l.reschedule("far ahead: reschedule each to be the earliest", 1, l.any, func(timer) structures.Tick {
		before--
		return before
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
	const bursts = 10
	timeout := func() structures.Tick { return l.now + span }
	restart := func(timer) structures.Tick { return timeout() }
	l.timers = make([]timer, l.n)
	for b := range bursts {
		l.tick(span / (2 * bursts))
		for v := l.n * b / bursts; v < l.n*(b+1)/bursts; v++ {
			l.schedule(v, timeout())
		}
	}
	l.fire("one timeout: fire the oldest, schedule one", bursts, timeout)
	l.cancelAndSchedule("one timeout: cancel the oldest, schedule one", bursts, l.oldest, timeout)
	l.reschedule("one timeout: restart the oldest", bursts, l.oldest, restart)
	l.reschedule("one timeout: restart any", bursts, l.any, restart)
	l.drain("one timeout: drain")
}

// oneTick is timers that are all due at one tick.
func oneTick(l *load) {
	const batches = 4
	tick := func() structures.Tick { return span }
	l.fill("one tick: fill", tick)
	l.cancelAndSchedule("one tick: cancel any, schedule one", batches, l.any, tick)
	l.reschedule("one tick: reschedule any to the same tick", batches, l.any, func(timer) structures.Tick { return span })
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

// fire fires each timer once, the earliest of all first, and schedules it again.
func (l *load) fire(pattern string, batches int, deadline func() structures.Tick) {
	for b := range batches {
		var fired []int
		l.measure(pattern, Pop, l.n/batches, func() {
			for range l.n / batches {
				fired = append(fired, l.pop())
			}
		})
		l.each(b, pattern, Schedule, fired, func(v int) { l.schedule(v, deadline()) })
	}
}

// cancelAndSchedule cancels a batch of timers and schedules them again.
func (l *load) cancelAndSchedule(pattern string, batches int, victims func(n int) []int, deadline func() structures.Tick) {
	for b := range batches {
		batch := victims(l.n / batches)
		l.each(b, pattern, Cancel, batch, l.cancel)
		l.each(b, pattern, Schedule, batch, func(v int) { l.schedule(v, deadline()) })
	}
}

// reschedule moves a batch of timers.
func (l *load) reschedule(pattern string, batches int, victims func(n int) []int, deadline func(timer) structures.Tick) {
	for b := range batches {
		l.each(b, pattern, Reschedule, victims(l.n/batches), func(v int) { l.move(v, deadline(l.timers[v])) })
	}
}

// each does an operation on the timers of a batch. In every other batch it asks for the
// next tick after each.
func (l *load) each(batch int, pattern string, op Ops, timers []int, do func(value int)) {
	if batch%2 == 0 {
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
	l.measure(pattern, Schedule|Cancel|Next, l.n, func() {
		for range l.n {
			id := l.s.Schedule(deadline(), 0)
			l.next()
			l.s.Cancel(id)
			l.next()
		}
	})
}
