package bench

import (
	"slices"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/stats"
	"github.com/timerbench/timerbench/structures/entry"
)

// A structure is left out of a frugal cell if the lower end of its ratio to the best, of the same
// workload at a tenth of the size or more, is above one of these (chosen).
const (
	tooSlow       = 2.5
	tooSlowInGrid = 2 // of many cells that are alike, the best few say enough
)

// leaveOut divides entries into those that take part in a cell, and the names of the structures and
// programs that the cell leaves out because of their costs in the cells so far.
func (c cell) leaveOut(entries []entry.Entry, cells []results.Cell) (in []entry.Entry, out []string) {
	if c.tooSlow == 0 {
		return entries, nil
	}
	for _, smaller := range cells {
		if smaller.Workload == c.workload.Name && smaller.N < c.n && 10*smaller.N >= c.n {
			out = append(append(out, smaller.LeftOut...), tooSlowIn(smaller, c.tooSlow)...)
		}
	}
	return slices.DeleteFunc(slices.Clone(entries), func(e entry.Entry) bool {
		return slices.Contains(out, e.Name)
	}), out
}

// tooSlowIn returns who takes more than so many times as long as the best of a cell: the best
// structure for a structure, so that the best of them stays beside whatever programs, and the
// best of all for a program.
func tooSlowIn(c results.Cell, times float64) (out []string) {
	for _, role := range []results.Role{results.RoleStructure, results.RoleExternal} {
		var rows []results.Row
		var costs [][]stats.Sample
		for _, row := range c.Rows {
			if row.Role == results.RoleStructure || row.Role == role {
				rows, costs = append(rows, row), append(costs, results.Samples(row.Cost))
			}
		}
		for i, toBest := range stats.Best(costs, stats.Options{}) {
			slow := toBest.Bounded() && toBest.Lo > times ||
				rows[i].Stopped == results.StoppedBeaten && toBest.Center > times
			if slow && rows[i].Role == role {
				out = append(out, rows[i].Structure)
			}
		}
	}
	return out
}
