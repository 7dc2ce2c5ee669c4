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
}

// Kind is what holds for all models of a type.
type Kind struct {
	Name     string      // as scenario files have it
	Defaults Model       // a new model of the type, with the parameters that may be left out
	Unit     script.Unit // unit of the cost; empty: PerLifecycle

	// Definition rises when the model writes other operations with the same parameters, see Workload.Version.
	Definition int

	Cyclic      bool // a Step is a whole cycle of all timers
	SingleCalls bool // the model is about the longest call, and not about the cost of a timer
	Mixed       bool // the model is about the mix of operations, so that one size is enough
}

// Kinds returns all kinds of models.
func Kinds() []Kind {
	return []Kind{
		{Name: "hold", Defaults: &Hold{}},
		{Name: "start-stop", Defaults: &StartStop{}, Definition: 2},
		{Name: "churn", Defaults: &Churn{Burst: defaultBurst}, Definition: 2},
		{Name: "reschedule", Defaults: &Reschedule{Burst: defaultBurst}, Unit: script.PerReschedule, Definition: 2},
		{Name: "fill-drain", Defaults: &FillDrain{}, Cyclic: true},
		{Name: "avalanche", Defaults: &Avalanche{}, SingleCalls: true},
		{Name: "flow", Defaults: &Flow{}, Mixed: true},
		{Name: "cache", Defaults: &Cache{}, Definition: 2, Mixed: true},
		{Name: "cancel-hold", Defaults: &CancelHold{}, Mixed: true},
		{Name: "conn-deadline", Defaults: &ConnDeadline{}, Unit: script.PerReschedule},
		{Name: "reset-earlier", Defaults: &ResetEarlier{}, Unit: script.PerReschedule},
		{Name: "peers", Defaults: &Peers{}},
		{Name: "workunit", Defaults: &WorkUnit{}},
		{Name: "tcp", Defaults: &TCP{}},
		{Name: "sip", Defaults: &SIP{}},
		{Name: "cron", Defaults: &Cron{}},
	}
}

// findModel returns a new model of the kind of that name, or the names of all kinds.
func findModel(name string) (m Model, names []string) {
	for _, k := range Kinds() {
		if k.Name == name {
			return k.Defaults, nil
		}
		names = append(names, k.Name)
	}
	return nil, names
}
