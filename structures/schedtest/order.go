package schedtest

import (
	"math/rand/v2"

	"github.com/timerbench/timerbench/structures"
)

// The rules "Order" and "Freedom".

func orderNeverEarlyLostOrTwice(r reporter, c *config) {
	r.Helper()
	for seed := range uint64(c.amount(8, 2)) {
		for _, reach := range []structures.Tick{16, 300, 5000, 1 << 21, 1 << 45} {
			rng := rand.New(rand.NewPCG(seed, 11))
			s := newSubject(r, c, "300 timers within %d ticks, seed %d", reach, seed)
			for range 300 {
				s.schedule(structures.Tick(rng.Int64N(int64(reach))))
			}
			for range 200 { // wake up at random, some ticks missed and some asked twice
				s.drain(add(s.clock(), structures.Tick(rng.Int64N(int64(reach)/100+2))))
			}
			s.finish()
			s.drain(0)
		}
	}
}

// orderEarliestFirst makes all timers due by one jump, so that the structure has to order
// them.
func orderEarliestFirst(r reporter, c *config) {
	r.Helper()
	const n = 257
	for _, width := range []structures.Tick{1, 3, 64, 1000, 1 << 30} {
		for name, at := range map[string]func(i int) int{
			"rising":    func(i int) int { return i },
			"falling":   func(i int) int { return n - i },
			"scattered": func(i int) int { return i * 101 % n },
			"in pairs":  func(i int) int { return i / 2 },
		} {
			s := newSubject(r, c, "%d timers, %s, %d ticks apart", n, name, width)
			s.walk = never
			for i := range n {
				s.schedule(width * structures.Tick(1+at(i)))
			}
			s.checkInvariants()
			s.drain(width * n / 3)
			s.checkInvariants()
			s.finish()
			s.checkInvariants()
		}
	}
}

// orderManyAtAdjacentTicks keeps many timers due at each of the next few ticks. A structure
// that sorts some of them ahead of time must not mix a tick with the next one.
func orderManyAtAdjacentTicks(r reporter, c *config) {
	r.Helper()
	n := c.amount(3000, 3000)
	for _, ticks := range []int64{2, 5, 20} {
		rng := rand.New(rand.NewPCG(13, uint64(ticks)))
		s := newSubject(r, c, "%d timers within %d ticks", n, ticks)
		s.walk = never
		for now := range structures.Tick(100) {
			for s.model.Len() < n {
				s.schedule(now + 1 + structures.Tick(rng.Int64N(ticks)))
			}
			s.drain(now)
		}
		s.checkInvariants()
		s.finish()
	}
}

func orderTiesAreFIFO(r reporter, c *config) {
	r.Helper()
	for _, deadline := range []structures.Tick{1, 63, 64, 65, 4096, 1<<30 + 5} {
		s := newSubject(r, c, "ties at tick %d", deadline)
		var ids []structures.ID
		for i := range structures.Tick(64) {
			ids = append(ids, s.schedule(deadline))
			s.schedule(deadline + i%3)
		}
		for i := 0; i < len(ids); i += 3 {
			s.reschedule(ids[i], deadline+1) // to the end of another tie
		}
		for i := 1; i < len(ids); i += 3 {
			s.reschedule(ids[i], deadline) // to the end of its own
		}
		for i := 0; i < len(ids); i += 6 {
			s.cancel(ids[i])
		}
		// Timers that are scheduled shortly before the deadline fire after those that
		// were scheduled long before.
		s.drain(deadline - 1)
		for range 8 {
			s.schedule(deadline)
		}
		s.pop(deadline)
		s.schedule(deadline + 1)
		s.schedule(deadline + 2)
		s.drain(deadline)
		s.schedule(deadline)
		s.finish()
	}
}

// spread calls check for several starts and distances between timers.
func spread(r reporter, c *config, check func(s *subject, start, width structures.Tick)) {
	r.Helper()
	for _, start := range []structures.Tick{0, 50, 64, 4095, 1 << 36}[:c.amount(5, 3)] {
		for _, width := range []structures.Tick{1, 7, 64, 4096, 1 << 42} {
			s := newSubject(r, c, "timers %d ticks apart from tick %d on", width, start)
			s.drain(start)
			check(s, start, width)
			s.finish()
		}
	}
}

// row schedules a timer at each of n points after start.
func row(s *subject, start, width structures.Tick, n int) []structures.ID {
	s.Helper()
	var ids []structures.ID
	for i := range n {
		ids = append(ids, s.schedule(start+width*structures.Tick(1+i)))
	}
	return ids
}

func freedomSchedule(r reporter, c *config) {
	r.Helper()
	spread(r, c, func(s *subject, start, width structures.Tick) {
		row(s, start, width, 20)
		now := start + 10*width
		for range 3 {
			s.pop(now)
			s.schedule(start)   // all three come after what is due,
			s.schedule(now)     // as they count as the next tick
			s.schedule(now + 1) //
			s.schedule(now + 2*width)
			s.next()
		}
		s.pop(now + 1) // the clock moves on, and something is left from before
		s.schedule(now + 2)
		s.pop(now + 2)
		s.schedule(now + 3)
		s.next()
		s.drain(now + 5*width)
		s.pop(now + 20*width)
		s.schedule(start)
		s.stepAll()
	})
}

func freedomCancel(r reporter, c *config) {
	r.Helper()
	spread(r, c, func(s *subject, start, width structures.Tick) {
		ids := row(s, start, width, 20)
		ids = append(ids, row(s, start, width, 20)...) // and ties
		now := start + 10*width
		t, _ := s.pop(now)
		s.cancel(t.ID) // fired just now
		for _, i := range []int{9, 2, 22, 5, 30, 12, 0, 20} {
			s.cancel(ids[i])
			s.next()
		}
		s.pop(now)
		s.cancel(ids[8])
		s.pop(now)
		s.drain(now)
		for _, id := range ids {
			s.cancel(id) // half of them fired
		}
		s.next()
		s.drain(now + 100*width)
	})
}

func freedomReschedule(r reporter, c *config) {
	r.Helper()
	spread(r, c, func(s *subject, start, width structures.Tick) {
		ids := row(s, start, width, 30)
		now := start + 15*width
		s.pop(now)
		s.reschedule(ids[14], now+5*width) // due, moved later
		s.reschedule(ids[13], start)       // due, moved to the past: the next tick
		s.reschedule(ids[12], now)         // due, moved to the clock: the same
		s.reschedule(ids[11], now+1)
		s.next()
		s.reschedule(ids[20], start) // not due, moved to the past: it does not become due
		s.reschedule(ids[21], now)
		s.reschedule(ids[22], now+1)
		s.pop(now)
		s.reschedule(ids[14], now+1) // and back
		s.reschedule(ids[10], now+1<<43)
		s.next()
		s.pop(now)
		s.pop(now + 1) // with some still due from before
		s.reschedule(ids[9], now+2)
		s.reschedule(ids[13], now+3)
		s.pop(now + 2)
		s.drain(now + 3)
		s.next()
		s.drain(now + 100*width)
	})
}
