package schedtest

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/timerbench/timerbench/structures"
)

// Timers at all distances from clocks around the powers of two, fired in three
// ways: by a jump to each deadline, by steps of Next, and by one huge jump. These rules
// find mistakes in the arithmetic of wheels.

func spansJumpToEach(r reporter, c *config) {
	r.Helper()
	spans(r, c, "jumping to each deadline", func(s *subject) {
		var at []structures.Tick
		for _, e := range s.model.pending {
			at = append(at, e.Deadline)
		}
		slices.Sort(at)
		for _, deadline := range slices.Compact(at) {
			s.drain(deadline - 1) // nothing, unless another timer is due there
			s.drain(deadline)
		}
	})
}

func spansStepByNext(r reporter, c *config) {
	r.Helper()
	spans(r, c, "stepping by Next", func(s *subject) { s.stepAll() })
}

func spansOneJump(r reporter, c *config) {
	r.Helper()
	spans(r, c, "in one jump", func(s *subject) { s.drain(math.MaxInt64 - 1) })
}

func spans(r reporter, c *config, how string, drive func(*subject)) {
	r.Helper()
	clocks := []structures.Tick{0, math.MaxInt64 - 1, math.MaxInt64}
	for bits := 0; bits < 63; bits += 63 / c.amount(63, 9) {
		t := structures.Tick(1) << bits
		clocks = append(clocks, t-1, t, t+t/2)
	}
	for _, clock := range clocks {
		s := newSubject(r, c, "timers at all distances from tick %d, %s", clock, how)
		s.walk = never
		s.drain(clock)
		at := []structures.Tick{clock, add(clock, 1), add(clock, 2)}
		for bits := 1; bits < 63; bits++ {
			t := structures.Tick(1) << bits
			at = append(at, add(clock, t-1), add(clock, t), add(clock, t+1))
		}
		rng := rand.New(rand.NewPCG(uint64(clock), 23))
		rng.Shuffle(len(at), func(i, j int) { at[i], at[j] = at[j], at[i] })
		for _, deadline := range at {
			s.schedule(deadline)
		}
		s.checkInvariants()
		drive(s)
		s.checkInvariants()
		s.finish()
	}
}
