package bench

import (
	"fmt"

	"github.com/timerbench/timerbench/bench/workload"
)

// cell describes how a workload is measured at one size. It is data: a plan holds cells.
type cell struct {
	workload workload.Workload
	n        int
	seed     uint64
	trace    *Trace // nil: a workload

	// period is the number of operations over which the rounds are spread, after a warm-up: about those that replace the
	// population. It is 0 without a warm-up: a cycle has all operations, and a recording ends.
	period int
	schedule
	leaves     crowd // the contenders that take part
	apart      bool  // measure the structures one after the other, because they need too much memory together
	debt       bool  // measure the growth of debt
	otherSeeds int   // seeds after the first one, on which the cell is proved without timing
	proveOps   int   // least number of operations with a checked answer
}

func (c cell) name() string { return cellName(c.workload.Name, c.n) }

func (c cell) where() string { return fmt.Sprintf("%s, seed %d", c.name(), c.seed) }

func cellName(workload string, n int) string { return fmt.Sprintf("%s, n %d", workload, n) }

func (c cell) cyclic() bool { return c.workload.Kind().Cyclic }

func (c cell) block() int {
	const most = 200_000
	if c.workload.Trial > 0 {
		return c.workload.Trial
	}
	return min(max(20_000, c.n/20), most)
}
