package workload

import (
	"reflect"
	"time"

	"github.com/timerbench/timerbench/bench/script"
)

// Model describes the behaviour of the timers of a workload. It is a pointer to a struct
// whose exported fields are the parameters, in human units ([Duration], [Rate],
// [Share], [Weight], [Count], [Delay]). A scenario file is read into it and printed
// from it.
//
// The toml tag of a field is its key in files, the comment tag its explanation. A field
// must be given, unless its tag says omitempty. A tag zero:"no" says that a given 0 is
// an error and does not count as left out. Each type of parameter checks its own range
// (see [CheckModel]). A model whose parameters depend on one another also implements
// [Checker].
type Model interface {
	// New returns the process that writes the script with n resident timers, on a
	// clock whose ticks have that length. The parameters must have passed CheckModel.
	New(n int, tick time.Duration) script.Process
}

// ModelKind is one kind of model.
type ModelKind struct {
	Name string       // as scenario files have it
	New  func() Model // with the parameters that may be left out
	Unit script.Unit  // what its cost is counted per; empty: PerLifecycle

	// NothingFires says that the script never moves the clock, so Go's own timers can
	// take part.
	NothingFires bool

	// Cyclic says that a Step is a whole cycle of all timers.
	Cyclic bool

	// SingleCalls says that the model is about the longest call, and not about the cost of
	// a timer.
	SingleCalls bool

	// Mixed says that the model is about the mix of operations, so that one size is
	// enough.
	Mixed bool
}

// Models returns every kind of model.
func Models() []ModelKind {
	return []ModelKind{
		{Name: "hold", New: func() Model { return &Hold{} }},
		{Name: "start-stop", New: func() Model { return &StartStop{} }, NothingFires: true},
		{Name: "churn", New: func() Model { return &Churn{Burst: defaultBurst} }, NothingFires: true},
		{Name: "reschedule", New: func() Model { return &Reschedule{Burst: defaultBurst} }, Unit: script.PerReschedule, NothingFires: true},
		{Name: "fill-drain", New: func() Model { return &FillDrain{} }, Cyclic: true},
		{Name: "avalanche", New: func() Model { return &Avalanche{} }, SingleCalls: true},
		{Name: "flow", New: func() Model { return &Flow{} }, Mixed: true},
		{Name: "cancel-hold", New: func() Model { return &CancelHold{} }, Mixed: true},
		{Name: "conn-deadline", New: func() Model { return &ConnDeadline{} }, Unit: script.PerReschedule},
		{Name: "reset-earlier", New: func() Model { return &ResetEarlier{} }, Unit: script.PerReschedule},
		{Name: "workunit", New: func() Model { return &WorkUnit{} }},
		{Name: "tcp", New: func() Model { return &TCP{} }},
		{Name: "sip", New: func() Model { return &SIP{} }},
		{Name: "cron", New: func() Model { return &Cron{} }},
	}
}

// FindModel returns the kind of model of that name.
func FindModel(name string) (ModelKind, bool) {
	for _, k := range Models() {
		if k.Name == name {
			return k, true
		}
	}
	return ModelKind{}, false
}

// KindOf returns the kind of a model. A model of another package has a kind
// without a name.
func KindOf(m Model) ModelKind {
	for _, k := range Models() {
		if reflect.TypeOf(k.New()) == reflect.TypeOf(m) {
			return k
		}
	}
	return ModelKind{}
}
