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
	trials     int // rounds of each contender
	perPass    int // rounds of a pass
	proveOps   int // least number of operations with a checked answer

	budget bool // each contender gets one pass, and more if a question is open, see budget
	lean   bool // times lean loops
	turns  int  // rounds of a run that takes turns with another one; 0: it takes no turns

	tooSlow  float64 // leave out structures above this ratio to the best among fewer timers; 0: none
	apart    bool    // measure the structures one after the other, because they need too much memory together
	withGC   bool    // add a pass with the garbage collector on
	headline bool    // the first table of the report shows the cell, see Profile.headline
}

// common returns the number of passes of each contender, before any race.
func (c cell) common() int {
	if c.budget {
		return 1
	}
	return c.passes()
}

// passes returns the number of passes that hold the trials.
func (c cell) passes() int { return max(1, (c.trials+c.perPass-1)/c.perPass) }

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

// agePeriod returns the number of operations over which the rounds of a cell are spread. It is about
// the number of operations that replace the population: each timer is scheduled once and ends once.
// The rounds of lean loops are not spread.
func (c cell) agePeriod() int {
	if c.lean {
		return 0
	}
	return 2 * c.n
}

// block returns the number of operations of a timed block.
func (c cell) block() int {
	switch {
	case c.workload.Trial > 0:
		return c.workload.Trial
	case c.lean:
		return longBlock
	}
	return min(max(20_000, c.n/20), longBlock)
}

const longBlock = 200_000
