package bench

import (
	"github.com/timerbench/timerbench/bench/external"
	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/workload"
	"github.com/timerbench/timerbench/structures/entry"
)

// Config says what to run. [NewPlan] turns it into a list of steps.
type Config struct {
	Profile    Profile
	Structures []entry.Entry
	Workloads  []workload.Workload
	Traces     []*Trace        // replayed after the workloads
	External   []external.Spec // programs of other languages, which take part in each cell
	N          []int           // sizes, instead of the profile's
	Trials     int             // instead of the profile's, if not 0
	Seed       uint64

	// Rounds is the number of rounds of a cell in a run that takes turns with a run of another build, see compare.Session; 0: it
	// takes no turns. Its operations repeat after Trials rounds. It measures only the costs by which builds are compared: it has no control, no
	// latencies and no memory. A budget then leaves steps out, but adds no rounds.
	Rounds int

	// Budget is the time of the run. Steps for which no time is left are not measured, and
	// results.Run.NotMeasured lists them.
	Budget Budget

	// Memory is the memory of the run in bytes; 0: any amount. NewPlan refuses a run that needs more.
	Memory uint64

	// Environment is the machine and the build, see package machine. The cost of its clock is taken off times.
	Environment results.Environment

	// Command is the command line, for the results.
	Command string
}

// Hooks are calls of a run to its caller. Each may be nil.
type Hooks struct {
	// Resume has the results of an interrupted run of the same plan, see [Plan.CheckResume]. The run keeps its finished steps.
	Resume *results.Run

	// Turn waits for the turn of a trial of a contender.
	Turn func() error

	// Progress is called before each step and once at the end.
	Progress func(Progress)

	// Checkpoint is called after each step with the results so far. An error ends the
	// run. The results are complete only in the last call.
	Checkpoint func(*results.Run) error
}

// Progress describes the state of a run.
type Progress struct {
	Step, Steps int     // number of the current step, and of all steps
	Name        string  // of the current step; empty at the end
	Done, Total float64 // the same, with each step weighted by its estimated duration
}
