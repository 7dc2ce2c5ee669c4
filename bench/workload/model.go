package workload

import (
	"reflect"
	"time"

	"github.com/timerbench/timerbench/bench/script"
)

// Model is what the timers of a workload do, given by parameters: it is a struct
// whose exported fields are the parameters in human units ([Duration], [Rate],
// [Share], [Weight], [Count], [Delay]), and from which a scenario file is read and
// printed.
//
// A field is named by its toml tag and explained by its comment tag. It must be
// given, unless the tag says omitempty; a tag zero:"no" says that 0 is not the same
// as leaving it out. Each type of parameter checks its own
// range (see [CheckModel]); a model whose parameters depend on one another has a
// method of the interface [Checker] besides.
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

	// nothingFires says that the script never moves the clock, so that real timers
	// can be measured beside virtual ones.
	NothingFires bool

	// cyclic marks the models whose Step is a whole cycle of all timers.
	Cyclic bool

	// mixed marks the models whose point is the mixture, not the scaling.
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
