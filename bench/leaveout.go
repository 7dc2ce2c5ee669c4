package bench

import (
	"slices"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/stats"
	"github.com/timerbench/timerbench/structures/entry"
)

// A cell of many timers leaves out a structure if the lower end of its ratio to the best is above one of
// these limits, on the same workload at a tenth of the size or more (chosen).
const (
	tooSlow       = 2.5
	tooSlowInGrid = 2 // the cells of the grid are similar, so the best few structures suffice
)

// leaveOut returns the entries that take part in a cell, and the names of the structures and
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

// tooSlowIn returns the names of the contenders that take more than a multiple of the time of the best.
// A structure is compared with the best structure, so that the best structure always stays. A program is
// compared with the best of all.
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
