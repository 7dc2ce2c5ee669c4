// Package whitebox helps the tests of the structures of this module. It checks properties that are not part of the
// contract, which schedtest cannot check.
package whitebox

import (
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/checking"
)

// Checked is a structure, or a part of one, that can check itself.
type Checked interface{ CheckInvariants() error }

// FindsDamage checks that CheckInvariants accepts a sound structure and finds each kind of damage.
func FindsDamage[C Checked](r checking.T, makeSound func() C, damages map[string]func(C)) {
	r.Helper()
	for name, damage := range damages {
		c := makeSound()
		if err := c.CheckInvariants(); err != nil {
			r.Fatalf("%s: before: %v", name, err)
		}
		if damage(c); c.CheckInvariants() == nil {
			r.Errorf("%s: broken, and not found", name)
		}
	}
}

// Nine gives a structure nine timers, due at ticks 10 to 18, with values 0 to 8, and returns it.
func Nine[S structures.Scheduler[int]](s S) S {
	for i := range 9 {
		s.Schedule(structures.Tick(10+i), i)
	}
	return s
}
