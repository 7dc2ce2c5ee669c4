package bench

import (
	"github.com/timerbench/timerbench/bench/external"
	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/workload"
	"github.com/timerbench/timerbench/structures/entry"
)

// Config says what to run. [NewPlan] turns it into steps.
type Config struct {
	Profile    Profile
	Structures []entry.Entry
	Workloads  []workload.Workload
	Traces     []*Trace        // replayed after the workloads
	External   []external.Spec // programs of other languages, which take part in each cell
	N          []int           // sizes, instead of the profile's
	Trials     int             // instead of the profile's, if not 0
	Seed       uint64

	// Budget is the time of the run. Steps for which no time is left are not measured, and
	// results.Run.NotMeasured lists them.
	Budget Budget

	// Turns, if not nil, makes the run take turns with another one. Then a budget leaves steps out, but adds no passes.
	Turns *Turns

	// Memory is the memory of the run in bytes; 0: any amount. NewPlan refuses a run that needs more.
	Memory uint64

	// Command is the command line, for the results.
	Command string

	// Resume, if not nil, are the results of an interrupted run of the same configuration, see
	// [CheckResume]. The run keeps its finished steps.
	Resume *results.Run

	// Progress, if not nil, is called before each step and once at the end.
	Progress func(Progress)

	// Checkpoint, if not nil, is called after each step with the results so far. An error ends the
	// run. The results are complete only in the last call.
	Checkpoint func(*results.Run) error
}

// Turns makes a run take turns with a run of another program, see compare.Session. Such a run measures
// only the costs by which builds are compared: it has no control, no latencies, no memory
// and no trials with the garbage collector on.
type Turns struct {
	Wait   func() error // called before each trial of a contender
	Rounds int          // per cell; the operations repeat after Config.Trials rounds
}

// Progress describes the state of a run.
type Progress struct {
	Step, Steps int     // number of the current step, and of all steps
	Name        string  // of the current step; empty at the end
	Done, Total float64 // the same, with each step weighted by its estimated duration
}
