package bench

import (
	"cmp"
	"math"
	"slices"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/structures/entry"
)

// always lists the structures that no cell leaves out: six that most programs and textbooks use, and auto.
var always = []string{"minheap", "quadheap", "wheel", "hwheel", "rbtree", "skiplist", ReferenceName}

// crowd says which contenders take part in a cell.
type crowd int

const (
	everyone   crowd = iota
	allButSlow       // without those that are slow among fewer timers
	allButFew        // at most mostContenders, see nearest
)

// leaveOut returns the entries that take part in a cell, and the names of the structures and
// programs that the cell leaves out because of their costs in the cells so far: [clearlyBehind] times
// the cost of the best or more, on the same workload at a tenth of the size or more. A workload with a
// size of its own has no such cell. It leaves out the structures that are behind in each cell of such a size.
func (c cell) leaveOut(entries []entry.Entry, cells []results.Cell) (in []entry.Entry, out []string) {
	if c.leaves == allButFew {
		return c.nearest(entries, cells)
	}
	first := true
	for _, smaller := range cells {
		like := smaller.Workload == c.workload.Name || c.workload.Resident > 0
		if c.leaves != allButSlow || !like || smaller.N >= c.n || 10*smaller.N < c.n {
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

// A cell of few contenders has those of always, and those that took at most nearBest times as long as the best with fewer
// timers, the best first, until there are mostContenders (chosen).
const mostContenders, nearBest = 9, 1.5

// nearest returns the entries that take part in a cell of few contenders, and the names of the others. It compares them in
// the cells so far with a tenth of the timers or more: of the same workload, or if there is none in any, by the least ratio.
func (c cell) nearest(entries []entry.Entry, cells []results.Cell) (in []entry.Entry, out []string) {
	cells = slices.DeleteFunc(slices.Clone(cells), func(o results.Cell) bool { return o.N >= c.n || 10*o.N < c.n })
	same := func(o results.Cell) bool { return o.Workload == c.workload.Name }
	ratios := make(map[string]float64)
	for _, smaller := range cells {
		if slices.ContainsFunc(cells, same) && !same(smaller) {
			continue
		}
		var rows []*results.Row
		for i := range smaller.Rows {
			rows = append(rows, &smaller.Rows[i])
		}
		best := bestOf(rows)
		for _, row := range rows {
			if best != nil && len(row.Cost) > 0 {
				ratio := meanRatio(logRatios(row.Cost, best.Cost))
				ratios[row.Structure] = min(cmp.Or(ratios[row.Structure], ratio), ratio)
			}
		}
	}
	rank := func(e entry.Entry) float64 {
		if slices.Contains(always, e.Name) {
			return 0
		}
		return cmp.Or(ratios[e.Name], math.Inf(1))
	}
	ranked := slices.SortedStableFunc(slices.Values(entries), func(a, b entry.Entry) int { return cmp.Compare(rank(a), rank(b)) })
	for i, e := range ranked {
		if i >= mostContenders || rank(e) > nearBest {
			out = append(out, e.Name)
		}
	}
	return slices.DeleteFunc(slices.Clone(entries), func(e entry.Entry) bool { return slices.Contains(out, e.Name) }), out
}
