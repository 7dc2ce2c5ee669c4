package schedtest

import (
	"math"
	"math/rand/v2"

	"github.com/timerbench/timerbench/structures"
)

// The rules "Clock", "PastDeadlines" and "Range". The subject checks the answers; the
// functions here choose the operations.

func clockStartsAtZero(r reporter, c *config) {
	r.Helper()
	for _, now := range []structures.Tick{0, -1, math.MinInt64} {
		s := newSubject(r, c, "before the first tick")
		s.next()
		s.pop(now)
		s.schedule(1)
		s.schedule(0) // counts as tick 1
		s.next()
		s.pop(now)
		s.drain(0)
		s.drain(1)
		s.stepAll()
	}
}

func clockNeverGoesBack(r reporter, c *config) {
	r.Helper()
	for _, start := range []structures.Tick{100, 1 << 12, 1 << 40} {
		s := newSubject(r, c, "clock going back from %d", start)
		s.schedule(10)
		s.schedule(20)
		s.schedule(30)
		s.schedule(start + 1)
		s.pop(start)
		for _, now := range []structures.Tick{start - 1, 20, 5, 0, -7, math.MinInt64} {
			s.pop(now) // counts as start, so what is due keeps coming
			s.next()
			s.schedule(now) // and the past begins at start
			s.schedule(start)
		}
		s.drain(start)
		s.drain(start + 1)
		s.stepAll()
	}
}

func clockOnlyPopMovesIt(r reporter, c *config) {
	r.Helper()
	for _, start := range []structures.Tick{0, 63, 1 << 20} {
		s := newSubject(r, c, "no Pop after tick %d", start)
		s.drain(start)
		far := s.schedule(start + 1000)
		s.next()
		s.reschedule(far, start+1<<30)
		s.next()
		s.reschedule(far, start+1)
		s.next()
		s.cancel(far)
		s.next()
		s.schedule(start + 2) // not yet in the past
		s.schedule(start + 1)
		s.schedule(start)
		s.stepAll()
	}
}

// clocks are ticks from which deadlines in the past are tried.
var clocks = []structures.Tick{
	0, 1, 2, 62, 63, 64, 65, 255, 256, 1023, 1024, 4095, 4096, 1<<18 - 1, 1 << 18, 1<<32 - 1, 1 << 32,
	1<<62 - 1, 1 << 62, math.MaxInt64 - 64, math.MaxInt64 - 2, math.MaxInt64 - 1, math.MaxInt64,
}

func pasts(now structures.Tick) []structures.Tick {
	return []structures.Tick{now, now - 1, add(now, 1), now / 2, 1, 0, -1, math.MinInt64 + 1, math.MinInt64}
}

func pastCountsAsNextTick(r reporter, c *config) {
	r.Helper()
	for _, now := range clocks {
		s := newSubject(r, c, "deadlines in the past of tick %d", now)
		s.drain(now)
		for _, deadline := range pasts(now) {
			s.schedule(deadline)
			s.next()
			if now < math.MaxInt64 {
				s.drain(now) // nothing: they all count as the tick after
			}
		}
		s.drain(add(now, 1))
		s.stepAll()
	}
}

func pastWhenRescheduled(r reporter, c *config) {
	r.Helper()
	for _, now := range clocks {
		s := newSubject(r, c, "timers moved to the past of tick %d", now)
		s.drain(now)
		for i, deadline := range pasts(now) {
			id := s.schedule(add(now, 1<<(7*i)))
			s.reschedule(id, deadline)
			s.next()
			if now < math.MaxInt64 {
				s.drain(now)
			}
		}
		s.drain(add(now, 1))
		s.stepAll()
	}
}

// pastPoppingEnds has every timer that fires schedule another one at once, or
// move one that is due: the loop ends, as neither is due in this tick.
func pastPoppingEnds(r reporter, c *config) {
	r.Helper()
	const now, timers = 20, 10
	for _, past := range []structures.Tick{now, now - 1, 0, math.MinInt64} {
		s := newSubject(r, c, "every timer that fires schedules another at %d", past)
		for i := range structures.Tick(timers) {
			s.schedule(1 + i)
		}
		for tick := structures.Tick(now); tick < now+4; tick++ {
			fired := 0
			for _, ok := s.pop(tick); ok; _, ok = s.pop(tick) {
				if fired++; fired > timers {
					s.fail("PastDeadlines", "%d timers fired at tick %d, of %d: popping until nothing is due ends", fired, tick, timers)
				}
				s.schedule(past)
			}
		}
		s.stepAll()

		s = newSubject(r, c, "every timer that fires moves those that are due to %d", past)
		var ids []structures.ID
		for i := range structures.Tick(timers) {
			ids = append(ids, s.schedule(1+i))
		}
		for tick := structures.Tick(now); s.model.Len() > 0 && tick < now+4*timers; tick++ {
			t, ok := s.pop(tick)
			for _, id := range ids {
				if ok && id != t.ID && s.model.find(id) >= 0 {
					s.reschedule(id, past)
				}
			}
			s.drain(tick)
		}
		s.stepAll()
	}
}

// extremes are deadlines all over the range of int64.
func extremes() []structures.Tick {
	all := []structures.Tick{math.MinInt64, math.MinInt64 + 1, math.MaxInt64 - 1, math.MaxInt64, math.MaxInt64, 0}
	for bits := range 63 {
		t := structures.Tick(1) << bits
		all = append(all, t-1, t, t+1, -t, math.MaxInt64-t)
	}
	rng := rand.New(rand.NewPCG(1, 3))
	for range 100 {
		all = append(all, structures.Tick(rng.Uint64()))
	}
	rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all
}

func rangeWholeInt64(r reporter, c *config) {
	r.Helper()
	for _, start := range []structures.Tick{0, 1000, 1 << 33, 1 << 62} {
		s := newSubject(r, c, "deadlines all over int64, from tick %d", start)
		s.drain(start)
		for _, deadline := range extremes() {
			s.schedule(deadline)
		}
		for now := start; now < math.MaxInt64/2; now = add(2*now, 1) {
			s.drain(now)
			s.next()
		}
		s.drain(math.MaxInt64 - 1)
		s.next()
		s.finish()
	}
}

func rangeClockAtItsEnd(r reporter, c *config) {
	r.Helper()
	s := newSubject(r, c, "clock at the end of time")
	never := s.schedule(math.MaxInt64)
	s.drain(math.MaxInt64 - 1)
	s.next()
	s.schedule(math.MaxInt64)
	s.schedule(0)
	s.pop(math.MaxInt64)
	s.next()
	for _, deadline := range []structures.Tick{math.MinInt64, 0, math.MaxInt64 - 1, math.MaxInt64} {
		id := s.schedule(deadline) // clock+1 saturates: due at once
		s.reschedule(id, deadline)
		s.next()
		s.pop(math.MaxInt64)
		s.next()
	}
	s.cancel(never)
	s.finish()
	s.pop(0)
}
