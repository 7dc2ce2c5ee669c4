package bench

import (
	"slices"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/structures/entry"
)

// always lists the structures that no cell leaves out: six that most programs and textbooks use, and auto.
var always = []string{"minheap", "quadheap", "wheel", "hwheel", "rbtree", "skiplist", ReferenceName}

// leaveOut returns the entries that take part in a cell, and the names of the structures and
// programs that the cell leaves out because of their costs in the cells so far: [clearlyBehind] times
// the cost of the best or more, on the same workload at a tenth of the size or more. A workload with a
// size of its own has no such cell. It leaves out the structures that are behind in each cell of such a size.
func (c cell) leaveOut(entries []entry.Entry, cells []results.Cell) (in []entry.Entry, out []string) {
	first := true
	for _, smaller := range cells {
		like := smaller.Workload == c.workload.Name || c.workload.Resident > 0
		if !c.frugal || !like || smaller.N >= c.n || 10*smaller.N < c.n {
			continue
		}
		slow := append(tooSlowIn(smaller), smaller.LeftOut...)
		if first {
			first, out = false, slow
		}
		out = slices.DeleteFunc(out, func(name string) bool { return !slices.Contains(slow, name) })
	}
	return slices.DeleteFunc(slices.Clone(entries), func(e entry.Entry) bool {
		return slices.Contains(out, e.Name)
	}), out
}

// tooSlowIn returns the names of the structures and programs that are clearly behind the best structure
// in the mean.
func tooSlowIn(c results.Cell) (out []string) {
	var rows []*results.Row
	for i := range c.Rows {
		rows = append(rows, &c.Rows[i])
	}
	best := bestOf(rows)
	for _, row := range rows {
		compared := slices.Contains([]results.Role{results.RoleStructure, results.RoleExternal, results.RoleIntrusive}, row.Role)
		if compared && best != nil && !slices.Contains(always, row.Structure) &&
			meanRatio(logRatios(row.Cost, best.Cost)) >= clearlyBehind {
			out = append(out, row.Structure)
		}
	}
	return out
}
