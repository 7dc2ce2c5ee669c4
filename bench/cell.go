package bench

import (
	"context"
	"fmt"

	"github.com/timerbench/timerbench/bench/workload"
)

// cell describes how a workload is measured at one size. It is data: a plan holds cells.
type cell struct {
	workload   workload.Workload
	trace      *Trace // replayed instead of a script; nil: none
	n          int
	seed       uint64
	otherSeeds int // seeds after the first one, on which the cell is proved without timing
	trials     int // rounds of each contender, without a budget
	perPass    int // rounds of a pass
	instances  int // of a contender, planned for a budget
	proveOps   int // least number of operations with a checked answer

	budget bool // the cell gets its passes one by one, see budget
	turns  int  // rounds of a run that takes turns with another one; 0: it takes no turns

	frugal    bool // leave out structures that are slow among fewer timers
	few       bool // at most mostContenders contenders with one instance, see nearest
	apart     bool // measure the structures one after the other, because they need too much memory together
	debt      bool // measure the growth of debt
	debtFirst bool // even if there is a budget, after the first pass
	withGC    bool // add a pass with the garbage collector on
}

// withBudget returns the cell with the passes and rounds that a budget plans for it (chosen). Rounds
// are planned where they are cheap. With many timers the fill of an instance takes longer than its
// rounds.
func (c cell) withBudget() cell {
	c.budget = true
	switch {
	case c.trace != nil:
		c.perPass = c.trace.roundsPerPass()
		c.instances = (plannedRounds + c.perPass - 1) / c.perPass
	case c.few:
		c.instances, c.perPass = 1, 12
	case c.n >= 50_000:
		c.instances, c.perPass = 2, 12
	default:
		c.instances, c.perPass = 3, plannedRounds/3
	}
	return c
}

// plannedRounds is the number of rounds of a cheap cell under a budget, and mostRounds is the largest
// number for any cell, if time is left (chosen).
const plannedRounds, mostRounds = 48, 96

// common returns the number of passes of each contender, before any race.
func (c cell) common() int {
	if c.budget {
		return 1
	}
	return c.passes()
}

// samplesTwice reports whether the single calls of a second instance are sampled under a budget, for the ranges in the picture of
// latency. It shows the cells with half of the timers cancelled, and the structures of always.
func (c cell) samplesTwice() bool {
	g := c.workload.Grid
	return c.budget && c.instances > 1 && g != nil && g.CancelPercent == 50
}

// passes returns the number of passes that hold the trials, or that a budget plans.
func (c cell) passes() int {
	if c.budget {
		return c.instances
	}
	return max(1, (c.trials+c.perPass-1)/c.perPass)
}

// roundsOf returns the number of rounds of a pass that begins after the given number of rounds.
func (c cell) roundsOf(after int) int {
	if !c.budget && after < c.trials {
		return min(c.perPass, c.trials-after)
	}
	return c.perPass
}

// planned returns the number of rounds that are planned for the cell.
func (c cell) planned() int {
	if c.budget {
		return c.passes() * c.perPass
	}
	return c.trials
}

// proved returns the number of rounds under a budget after which the proofs of the results are taken.
// All contenders take part until then.
func (c cell) proved() int { return min(leastRounds, c.perPass) }

func (c cell) name() string { return cellName(c.workload.Name, c.n) }

// where names the cell and its seed in failures.
func (c cell) where() string { return fmt.Sprintf("%s, seed %d", c.name(), c.seed) }

func cellName(workload string, n int) string { return fmt.Sprintf("%s, n %d", workload, n) }

func (c cell) cyclic() bool { return c.workload.Kind().Cyclic }

// open returns the source of the blocks of the cell.
func (c cell) open(ctx context.Context) (source, error) {
	if c.trace != nil {
		return newTraceSource(c.trace), nil
	}
	return openScript(ctx, c)
}

// period returns the number of operations over which the rounds of a cell are spread, after a warm-up. It is about
// the number of operations that replace the population: each timer is scheduled once and ends once. It is 0 if the
// cell has no warm-up: a cycle has all operations, and a recording ends.
func (c cell) period() int {
	if c.trace != nil || c.cyclic() {
		return 0
	}
	return 2 * c.n
}

// block returns the number of operations of a timed block.
func (c cell) block() int {
	const most = 200_000
	if c.workload.Trial > 0 {
		return c.workload.Trial
	}
	return min(max(20_000, c.n/20), most)
}
