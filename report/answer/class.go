package answer

import (
	"slices"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/stats"
	"github.com/timerbench/timerbench/bench/workload"
)

// Classes lists the classes of workloads in the order of charts: recordings and models of programs, each at its own size, the
// grid of delays and shares cancelled, and patterns at many sizes.
var Classes = []workload.Category{workload.Recorded, workload.Program, workload.Grid, workload.Synthetic}

// ClassOf returns the class of a cell. A scenario file counts as a model of a program, and an unknown category as a pattern.
func ClassOf(c *stats.Costs) workload.Category {
	switch class := workload.Category(c.Category); {
	case class == workload.Custom:
		return workload.Program
	case slices.Contains(Classes, class):
		return class
	}
	return workload.Synthetic
}

// InClass returns, for each workload of a class, the largest cell with a cost.
func (r *Run) InClass(class workload.Category) []*stats.Costs {
	return slices.DeleteFunc(r.LargestOfEach((*results.Row).HasCost), func(c *stats.Costs) bool { return ClassOf(c) != class })
}

// Scaled returns the synthetic workloads that were run at several sizes, or all synthetic ones if none was.
func (r *Run) Scaled() []string {
	var all, several []string
	for _, c := range r.InClass(workload.Synthetic) {
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
