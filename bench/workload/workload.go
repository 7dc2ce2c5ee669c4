// Package workload defines the workloads: what programs do with their timers.
//
// A [Workload] is a [Model] with parameters. A model creates a [script.Process], which writes the operations. [All]
// lists the built-in workloads. [Load] reads others from files.
package workload

import (
	"cmp"
	"hash/fnv"
	"io"
	"reflect"
	"time"

	"github.com/timerbench/timerbench/bench/script"
)

// Workload is a pattern of operations on timers: when they are scheduled, with which
// delays, and which of them are cancelled or moved. It is the same for every structure.
type Workload struct {
	Name     string
	Summary  string        // one line
	Source   string        // where its parameters come from
	Tick     time.Duration // length of a tick
	Model    Model         // behaviour of the timers
	Category Category      // kind of workload
	Grid     *script.Place // its place in the comparison grid; nil: none

	// Resident is the number of pending timers that follows from the published
	// parameters; 0: no number is typical. The workload takes any other number too.
	Resident int

	// Sizes are more sizes at which a profile measures a workload with a population of its own, up to that of the profile.
	Sizes []int

	// LongWarmUp is the longest warm-up, in operations a timer, of a workload whose warm-up is long; 0: it is usual.
	LongWarmUp int

	// Unit is what its cost is counted per; empty: that of its kind of model.
	Unit script.Unit

	// Extra marks a variant of another workload. By default only the full profile runs it.
	Extra bool

	// Trial is the number of operations in a timed trial; 0: it depends on the size.
	Trial int

	// Scenario is the text of the scenario file that it comes from; empty for the built-in ones.
	Scenario string

	// Definition is the number of its sequence of operations, see [Workload.Version]. It rises when the parameters change.
	Definition int
}

// Version returns the number of the sequence of operations that a cell of the workload measures: the larger one of its own
// number and that of its kind of model, and 1 if it has never changed. Costs of two versions are never compared.
func (w Workload) Version() int { return max(1, w.Definition, w.Kind().Definition) }

// Category is the kind of a workload.
type Category string

// The categories.
const (
	Program   Category = "program"   // modelled on a program, a protocol or published statistics
	Synthetic Category = "synthetic" // a pattern of which all parameters are chosen
	Grid      Category = "grid"      // one of the comparison grid
	Custom    Category = "custom"    // of a scenario file
	Recorded  Category = "recorded"  // a trace of a program
)

// Kind returns the kind of its model. That of a recording, which has no model, has no name.
func (w Workload) Kind() Kind {
	for _, k := range Kinds() {
		if reflect.TypeOf(k.Defaults) == reflect.TypeOf(w.Model) {
			return k
		}
	}
	return Kind{}
}

// CostUnit returns the unit of the cost of w.
func (w Workload) CostUnit() script.Unit { return cmp.Or(w.Unit, w.Kind().Unit, script.PerLifecycle) }

// meanDelay is the mean of the delays of the synthetic families: at a tick of 1 ms
// it makes uniform delays spread over 60,000 ticks.
const meanDelay = Duration(30 * time.Second)

func delayOf(kind string) Delay { return Delay{Kind: kind, Mean: meanDelay} }

// Script returns a new script. w, n and seed determine its operations.
func (w Workload) Script(n int, seed uint64) *script.Script {
	model := w.Model
	if f, ok := model.(*Flow); ok && w.Resident > 0 && n != w.Resident {
		model = f.scaled(float64(n) / float64(w.Resident))
	}
	return script.New(model.New(n, w.Tick), script.NewRand(seed, StreamOf(w.Name, n)), n)
}

// WarmUp returns the warm-up of a script of n timers. A script that does not get steady ends it after 16 operations a timer,
// or LongWarmUp, but at least 100,000 operations (chosen).
func (w Workload) WarmUp(n int) *script.WarmUp {
	return script.NewWarmUp(n, max(cmp.Or(w.LongWarmUp, 16)*n, 100_000))
}

// StreamOf returns the random stream of a workload and size. Each has its own, so its
// script does not depend on the other workloads of a run.
func StreamOf(name string, n int) uint64 {
	h := fnv.New64a()
	_, _ = io.WriteString(h, name) // it never fails
	return h.Sum64() ^ uint64(n)
}

// Model describes the behaviour of the timers of a workload. It is a pointer to a struct whose exported fields are
// the parameters, in human units ([Duration], [Rate], [Share], [Weight], [Count], [Delay]). A scenario file is read
// into it and printed from it.
//
// The toml tag of a field is its key in files, the comment tag its explanation. A field must be given, unless its tag
// says omitempty; then 0 counts as left out. Each type of parameter has a range. A model whose parameters depend on one
// another also implements [Checker].
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

// FindModel returns a new model of the kind of that name, or the names of all kinds.
func FindModel(name string) (m Model, names []string) {
	for _, k := range Kinds() {
		if k.Name == name {
			return k.Defaults, nil
		}
		names = append(names, k.Name)
	}
	return nil, names
}
