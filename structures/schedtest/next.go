package schedtest

import (
	"math/rand/v2"
	"time"

	"github.com/timerbench/timerbench/structures"
)

// The rules "Next", "Jumps" and "Len".

func nextNamesWhenToPop(r reporter, c *config) {
	r.Helper()
	s := newSubject(r, c, "a few timers")
	s.next()
	s.schedule(500)
	s.next()
	early := s.schedule(70)
	s.next()
	s.reschedule(early, 700)
	s.next()
	s.reschedule(early, 3)
	s.next()
	s.cancel(early)
	s.next()
	s.stepAll()
	s.next()

	s = newSubject(r, c, "what was left of the due timers is cancelled")
	var due []structures.ID
	for _, deadline := range []structures.Tick{10, 10, 10, 30, 100} {
		due = append(due, s.schedule(deadline))
	}
	s.pop(10)
	s.pop(40) // of those due at 10 one is left, and one due at 30
	s.next()  // due now
	for _, id := range due[:4] {
		s.cancel(id) // some are pending, some have fired
	}
	s.next() // after the clock
	s.finish()

	for _, reach := range []int64{20, 1000, 1 << 18, 1 << 40} {
		rng := rand.New(rand.NewPCG(uint64(reach), 17))
		s := newSubject(r, c, "timers within %d ticks, asked after every operation", reach)
		for range c.amount(400, 100) {
			deadline := add(s.clock(), structures.Tick(rng.Int64N(reach)))
			switch n := s.model.Len(); {
			case n == 0 || rng.IntN(3) == 0:
				s.schedule(deadline)
			case rng.IntN(2) == 0:
				s.cancel(s.model.pending[rng.IntN(n)].ID)
			case rng.IntN(2) == 0:
				s.reschedule(s.model.pending[rng.IntN(n)].ID, deadline)
			default:
				at, _ := s.next()
				s.drain(at - 1) // nothing: no timer is due before at
				s.pop(at)       // and something may be left
			}
			s.next()
		}
		s.finish()
	}
}

func nextReachesEveryTimer(r reporter, c *config) {
	r.Helper()
	for bits := byte(0); bits < 63; bits += byte(63 / c.amount(63, 21)) {
		s := newSubject(r, c, "one timer 2^%d ticks away", bits)
		s.schedule(1 << bits)
		s.stepAll()
		s.schedule(boundary(s.clock(), bits))
		s.stepAll()
	}
	for seed := range uint64(c.amount(20, 4)) {
		rng := rand.New(rand.NewPCG(seed, 19))
		s := newSubject(r, c, "timers at all distances, seed %d", seed)
		for range 60 {
			s.schedule(structures.Tick(rng.Int64() >> rng.IntN(63)))
		}
		for range 30 {
			s.cancel(s.model.pending[rng.IntN(s.model.Len())].ID)
		}
		s.stepAll()
	}
}

// jumpsCostNotTheirWidth jumps over ever wider gaps. A structure that walks the
// ticks is caught by its Work where it counts that, or else by the clock on the
// wall before the gaps get so wide that the test would never end.
func jumpsCostNotTheirWidth(r reporter, c *config) {
	r.Helper()
	const (
		tooMuchWork = 1 << 20 // far more than any number of slots and levels
		tooLong     = 5 * time.Second
	)
	for bits := 8; bits <= 62; bits += 2 {
		for _, timers := range []int{0, 1, 3, 40} {
			s := newSubject(r, c, "%d timers, a jump over 2^%d ticks", timers, bits)
			width := structures.Tick(1) << bits
			for i := range timers {
				s.schedule(add(width>>i, structures.Tick(i)-1)) // and some beyond
				s.schedule(add(width, width>>i))
			}
			before, start := work(s.s), time.Now()
			s.drain(width)
			done := work(s.s).Sub(before)
			if n := done.SlotsVisited + done.Moved + done.Dropped + done.Comparisons; n > tooMuchWork {
				s.fail("Jumps", "Pop over %d ticks did %d steps of work with %d timers pending, want at most %d whatever the width",
					width, n, 2*timers, tooMuchWork)
			}
			if took := time.Since(start); took > tooLong {
				s.fail("Jumps", "Pop over %d ticks took %v with %d timers pending: it costs what the structure holds, not the ticks skipped",
					width, took, 2*timers)
			}
			s.finish()
		}
	}
	s := newSubject(r, c, "many jumps")
	for i := range structures.Tick(c.amount(1000, 100)) {
		s.schedule(s.clock() + i)
		s.drain(s.clock() + 1<<52 + i)
	}
	s.finish()
}

// work reads the structure's counters; without any, they stay 0.
func work(s any) structures.Work {
	if w, ok := s.(interface{ Work() structures.Work }); ok {
		return w.Work()
	}
	return structures.Work{}
}

func lenCountsPending(r reporter, c *config) {
	r.Helper()
	s := newSubject(r, c, "every operation once")
	ids := row(s, 0, 10, 20)
	s.pop(5)
	s.pop(100) // one fires; those that are due but not popped count
	s.pop(100)
	s.cancel(ids[5])
	s.cancel(ids[5])
	s.cancel(ids[15])
	s.reschedule(ids[16], 1000)
	s.reschedule(ids[16], 1)
	s.cancel(0)
	s.drain(100)
	s.drain(150)
	s.next()
	s.stepAll()
	s.drain(1 << 40)
}
