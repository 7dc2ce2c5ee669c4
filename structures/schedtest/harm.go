package schedtest

import (
	"testing"

	"github.com/timerbench/timerbench/structures"
)

// Checked is what can check itself: a structure, or a part of one.
type Checked interface{ CheckInvariants() error }

// FindsHarm checks that CheckInvariants finds what the suite relies on it to
// find: it accepts what sound makes, and refuses it after each of the harms.
func FindsHarm[C Checked](t *testing.T, sound func() C, harms map[string]func(C)) {
	t.Helper()
	findsHarm(t, sound, harms)
}

func findsHarm[C Checked](r reporter, sound func() C, harms map[string]func(C)) {
	r.Helper()
	for name, harm := range harms {
		c := sound()
		if err := c.CheckInvariants(); err != nil {
			r.Fatalf("%s: before: %v", name, err)
		}
		if harm(c); c.CheckInvariants() == nil {
			r.Errorf("%s: broken, and not found", name)
		}
	}
}

// Nine gives a structure nine timers, due at ticks 10 to 18 in this order, whose
// values are 0 to 8, and returns it: something to do harm to.
func Nine[S structures.Scheduler[int]](s S) S {
	for i := range 9 {
		s.Schedule(structures.Tick(10+i), i)
	}
	return s
}
