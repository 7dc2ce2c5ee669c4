package whitebox

import (
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/checking"
)

// Named is a structure whose timers are named by their deadlines. Make it with NewNamed.
type Named struct {
	s   structures.Scheduler[int]
	ids map[structures.Tick]structures.ID
}

// NewNamed returns s, which has no timers, as Named.
func NewNamed(s structures.Scheduler[int]) Named {
	return Named{s, map[structures.Tick]structures.ID{}}
}

// Schedule schedules a timer for each deadline.
func (n Named) Schedule(deadlines ...structures.Tick) {
	for _, d := range deadlines {
		n.ids[d] = n.s.Schedule(d, 0)
	}
}

// Cancel cancels the timer of a deadline, or uses its stale ID.
func (n Named) Cancel(d structures.Tick) { n.s.Cancel(n.ids[d]) }

// Move reschedules the timer of a deadline.
func (n Named) Move(d, to structures.Tick) { n.s.Reschedule(n.ids[d], to); n.ids[to] = n.ids[d] }

// Step is an operation and its comparisons. It is an alias of an unnamed struct, so go vet accepts literals
// without field names.
type Step = struct {
	Name        string
	Do          func()
	Comparisons uint64
}

// CountsComparisons does all steps, which must count exactly the given comparisons and no other work.
func CountsComparisons(r checking.T, s interface {
	Checked
	Work() structures.Work
}, steps []Step) {
	r.Helper()
	for _, step := range steps {
		before := s.Work()
		step.Do()
		if got, want := s.Work().Sub(before), (structures.Work{Comparisons: step.Comparisons}); got != want {
			r.Errorf("%s: work %+v, want %+v", step.Name, got, want)
		}
		if err := s.CheckInvariants(); err != nil {
			r.Fatalf("%s: %v", step.Name, err)
		}
	}
}
