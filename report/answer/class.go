package answer

import (
	"slices"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/stats"
	"github.com/timerbench/timerbench/bench/workload"
)

// Class is the kind of workload of a cell.
type Class string

// The classes.
const (
	Recorded  Class = "recorded"                    // what programs did, each at its own size
	Programs  Class = "programs"                    // models of programs, each at its own size
	Grid      Class = "delays and shares cancelled" // distribution of delays x share cancelled
	Synthetic Class = "synthetic"                   // one pattern at many sizes
)

// Classes lists all classes in the order of charts.
var Classes = []Class{Recorded, Programs, Grid, Synthetic}

// ClassOf returns the class of a cell. A cell of unknown category is synthetic.
func ClassOf(c *stats.Costs) Class {
	switch workload.Category(c.Category) {
	case workload.Grid:
		return Grid
	case workload.Recorded:
		return Recorded
	case workload.Program, workload.Custom:
		return Programs
	}
	return Synthetic
}

// InClass returns, for each workload of a class, the largest cell with a cost.
func (r *Run) InClass(class Class) []*stats.Costs {
	return slices.DeleteFunc(r.LargestOfEach((*results.Row).HasCost), func(c *stats.Costs) bool { return ClassOf(c) != class })
}

// Scaled returns the synthetic workloads that were run at several sizes, or all synthetic ones if none was.
func (r *Run) Scaled() []string {
	var all, several []string
	for _, c := range r.InClass(Synthetic) {
		all = append(all, c.Workload)
		if len(r.CellsOf(c.Workload)) > 1 {
			several = append(several, c.Workload)
		}
	}
	if len(several) == 0 {
		return all
	}
	return several
}
