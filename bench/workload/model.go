package workload

import (
	"time"

	"github.com/timerbench/timerbench/bench/script"
)

// Model describes the behaviour of the timers of a workload. It is a pointer to a struct whose exported fields are
// the parameters, in human units ([Duration], [Rate], [Share], [Weight], [Count], [Delay]). A scenario file is read
// into it and printed from it.
//
// The toml tag of a field is its key in files, the comment tag its explanation. A field must be given, unless its tag
// says omitempty. A tag zero:"no" says that a given 0 is an error and does not count as left out. Each type of
// parameter has a range (see [OutOfRange]). A model whose parameters depend on one another also implements [Checker].
type Model interface {
	// New returns the process that writes the script with n resident timers, on a
	// clock whose ticks have that length. The parameters must be in their ranges.
	New(n int, tick time.Duration) script.Process

	// Kind says what holds for all models of the type.
	Kind() Kind
}

// Kind is what holds for all models of a type.
type Kind struct {
	Name string      // as scenario files have it
	Unit script.Unit // unit of the cost; empty: PerLifecycle

	// Definition rises when the model writes other operations with the same parameters, see Workload.Version.
	Definition int

	// Cyclic says that a Step is a whole cycle of all timers.
	Cyclic bool

	// SingleCalls says that the model is about the longest call, and not about the cost of a timer.
	SingleCalls bool

	// Mixed says that the model is about the mix of operations, so that one size is enough.
	Mixed bool
}

// Models returns a model of every kind, with the parameters that may be left out.
func Models() []Model {
	return []Model{
		&Hold{}, &StartStop{}, &Churn{Burst: defaultBurst}, &Reschedule{Burst: defaultBurst}, &FillDrain{}, &Avalanche{},
		&Flow{}, &Cache{}, &CancelHold{}, &ConnDeadline{}, &ResetEarlier{}, &WorkUnit{}, &TCP{}, &SIP{}, &Cron{},
	}
}

// ModelNames returns the names of the kinds of Models.
func ModelNames() (names []string) {
	for _, m := range Models() {
		names = append(names, m.Kind().Name)
	}
	return names
}

// FindModel returns a model of the kind of that name, as Models does.
func FindModel(name string) (Model, bool) {
	for _, m := range Models() {
		if m.Kind().Name == name {
			return m, true
		}
	}
	return nil, false
}
