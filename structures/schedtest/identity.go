package schedtest

import (
	"math"
	"math/rand/v2"

	"github.com/timerbench/timerbench/structures"
)

// The rules "Identity" and "Reschedule".

// tryStale uses stale IDs, while another timer may be in their slot. As these calls
// change nothing, it checks the invariants once.
func tryStale(s *subject, stale []structures.ID) {
	s.Helper()
	s.walk = never
	for _, id := range stale[max(0, len(stale)-32):] {
		s.cancel(id)
		s.reschedule(id, add(s.clock(), 1))
		s.reschedule(id, math.MaxInt64)
		s.reschedule(id, math.MinInt64)
	}
	s.walk = thinning
	s.checkInvariants()
	s.next()
}

func identityStaleAfterFire(r reporter, c *config) {
	r.Helper()
	s := newSubject(r, c, "timers fire one after another")
	var stale []structures.ID
	for i := range c.amount(300, 60) {
		id := s.schedule(add(s.clock(), structures.Tick(1+i%5)))
		tryStale(s, stale) // while one timer is pending
		s.stepAll()
		stale = append(stale, id)
		tryStale(s, stale) // while none is
	}

	s = newSubject(r, c, "timers fire together")
	ids := row(s, 0, 1, 40)
	s.drain(30)
	fired := ids[:30]
	if !s.exact() {
		fired = nil
		for _, id := range ids {
			if s.model.find(id) < 0 {
				fired = append(fired, id)
			}
		}
	}
	tryStale(s, fired)
	row(s, 30, 1, 40)
	tryStale(s, fired)
	s.finish()
}

func identityStaleAfterCancel(r reporter, c *config) {
	r.Helper()
	s := newSubject(r, c, "timers are cancelled one after another")
	var stale []structures.ID
	for i := range c.amount(300, 60) {
		id := s.schedule(structures.Tick(1 + i%5*1000))
		tryStale(s, stale)
		s.cancel(id)
		stale = append(stale, id)
		tryStale(s, stale)
	}

	s = newSubject(r, c, "timers are cancelled together")
	ids := row(s, 0, 3, 40)
	for i := range 20 {
		s.cancel(ids[2*i])
		s.cancel(ids[2*i])
	}
	tryStale(s, ids[:1])
	row(s, 0, 5, 20)
	for i := range 20 {
		s.cancel(ids[2*i])
		s.reschedule(ids[2*i], 77)
	}
	s.finish()
}

// identityForged tries IDs that were never issued, on schedulers in several states.
func identityForged(r reporter, c *config) {
	r.Helper()
	try := func(s *subject, ids []structures.ID) {
		s.Helper()
		rng := rand.New(rand.NewPCG(5, 7))
		for range 100 {
			ids = append(ids, structures.ID(rng.Uint64()), structures.ID(rng.Uint32N(64)), structures.ID(rng.Uint64N(64)<<32|rng.Uint64N(64)))
		}
		for i, id := range ids {
			if s.model.find(id) >= 0 {
				continue
			}
			if i%2 == 0 {
				s.cancel(id)
				s.reschedule(id, structures.Tick(i))
			} else {
				s.reschedule(id, math.MaxInt64)
				s.cancel(id)
			}
		}
		s.next()
	}

	s := newSubject(r, c, "forged IDs, nothing issued")
	try(s, forge())

	s = newSubject(r, c, "forged IDs, one issued")
	id := s.schedule(10)
	try(s, forge(id))
	s.stepAll()
	try(s, forge(id)) // its slot's next generation among them, not issued yet
	s.schedule(20)
	try(s, forge(id))
	s.finish()

	s = newSubject(r, c, "forged IDs, many issued")
	ids := row(s, 0, 4, 30)
	for i := 0; i < 30; i += 3 {
		s.cancel(ids[i])
	}
	try(s, forge(ids...))
	s.drain(60)
	try(s, forge(ids...))
	ids = append(ids, row(s, 60, 4, 20)...)
	try(s, forge(ids...))
	s.finish()
	try(s, forge(ids...))
}

func identityCancelTakesOne(r reporter, c *config) {
	r.Helper()
	for seed := range uint64(c.amount(6, 2)) {
		rng := rand.New(rand.NewPCG(seed, 13))
		s := newSubject(r, c, "cancels among neighbours, seed %d", seed)
		var ids []structures.ID
		for range 100 { // close together, so that each has neighbours and ties
			ids = append(ids, s.schedule(structures.Tick(1+rng.IntN(40))))
		}
		rng.Shuffle(len(ids), func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
		for _, id := range ids[:70] {
			s.cancel(id)
			if rng.IntN(4) == 0 {
				s.schedule(structures.Tick(1 + rng.IntN(40)))
			}
		}
		s.stepAll()
	}
}

func rescheduleKeepsIDAndValue(r reporter, c *config) {
	r.Helper()
	for _, start := range []structures.Tick{0, 63, 1 << 12, 1 << 50} {
		s := newSubject(r, c, "timers moved at tick %d", start)
		s.drain(start)
		ids := row(s, start, 10, 20)
		moves := []structures.Tick{
			start + 1000, start + 5, start + 5, start + 101, start + 100, start + 1, start + 1<<20, start + 1<<40,
			math.MaxInt64, start + 2, math.MinInt64, start + 50, start + 50, start + 64, start + 200,
		}
		for i, deadline := range moves {
			s.reschedule(ids[3], deadline)
			s.next()
			s.reschedule(ids[i], deadline)
			s.reschedule(ids[i], deadline) // to where it is
			s.next()
		}
		s.drain(start + 60)
		for _, id := range ids {
			s.reschedule(id, start+100) // false for those that fired
		}
		s.stepAll()
	}
}

// rescheduleAcrossBoundaries moves timers between all pairs of ticks around a
// power of two, where a wheel keeps them on different levels, from clocks on
// both sides of it.
func rescheduleAcrossBoundaries(r reporter, c *config) {
	r.Helper()
	all := []byte{12, 6, 32, 1, 62, 8, 5, 9, 10, 16, 18, 20, 24, 30, 36, 40, 42, 48, 54, 60}
	for _, bits := range all[:c.amount(len(all), 6)] {
		edge := structures.Tick(1) << bits
		for _, clock := range []structures.Tick{0, edge - 2, edge - 1, edge, edge + 1, edge + edge/2} {
			s := newSubject(r, c, "timers moved across 2^%d at tick %d", bits, clock)
			s.drain(clock)
			points := []structures.Tick{
				clock + 1, clock + 2, edge - 1, edge, edge + 1, add(clock, edge-1), add(clock, edge), add(clock, edge+1),
				boundary(clock, bits), add(boundary(clock, bits), -1),
			}
			for _, from := range points {
				for _, to := range points {
					id := s.schedule(from)
					s.reschedule(id, to)
					if s.model.Len() > 12 {
						s.next()
						s.cancel(s.model.pending[0].ID)
					}
				}
			}
			for range 2 {
				if at, ok := s.next(); ok {
					s.drain(at)
				}
				for i, point := range points {
					if i < s.model.Len() {
						s.reschedule(s.model.pending[0].ID, point)
					}
				}
			}
			s.stepAll()
		}
	}
}
