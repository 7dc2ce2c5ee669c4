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

// crowd says which contenders take part in a cell. It decides by the costs in the cells so far with a tenth of the timers or more.
type crowd int

const (
	everyone   crowd = iota
	allButSlow       // without those that took clearlyBehind times as long as the best
	allButFew        // at most mostContenders: those of always, and the best of those up to nearBest times as slow as the best
)

const mostContenders, nearBest = 9, 1.5 // chosen

// leaveOut returns the names of the structures and programs that the cell leaves out because of their costs in the cells so far.
func (c *Cell) leaveOut(cells []results.Cell) []string {
	cells = slices.DeleteFunc(slices.Clone(cells), func(o results.Cell) bool { return o.N >= c.n || 10*o.N < c.n })
	switch c.leaves {
	case allButSlow:
		return c.slow(cells)
	case allButFew:
		return c.far(cells)
	}
	return nil
}

// slow returns the names of the structures and programs that are clearly behind the best structure in each cell of the same
// workload. A workload with a size of its own has no such cell: it takes all.
func (c *Cell) slow(cells []results.Cell) (out []string) {
	first := true
	for _, smaller := range cells {
		if smaller.Workload != c.workload.Name && c.workload.Resident == 0 {
			continue
		}
		var slow []string
		for i, logs := range toBest(smaller.Rows) {
			row := smaller.Rows[i]
			if compared(row) && !slices.Contains(always, row.Structure) && meanRatio(logs) >= clearlyBehind {
				slow = append(slow, row.Structure)
			}
		}
		slow = append(slow, smaller.LeftOut...)
		if first {
			first, out = false, slow
		}
		out = slices.DeleteFunc(out, func(name string) bool { return !slices.Contains(slow, name) })
	}
	return out
}

// far returns the names of all but the nearest entries: in the cells of the same workload, or if there is none in any, by the
// least ratio.
func (c *Cell) far(cells []results.Cell) (out []string) {
	other := func(o results.Cell) bool { return o.Workload != c.workload.Name }
	if same := slices.DeleteFunc(slices.Clone(cells), other); len(same) > 0 {
		cells = same
	}
	ratios := make(map[string]float64)
	for _, smaller := range cells {
		for i, logs := range toBest(smaller.Rows) {
			if name := smaller.Rows[i].Structure; len(logs) > 0 {
				ratios[name] = min(cmp.Or(ratios[name], math.Inf(1)), meanRatio(logs))
			}
		}
	}
	rank := func(e entry.Entry) float64 {
		if slices.Contains(always, e.Name) {
			return 0
		}
		return cmp.Or(ratios[e.Name], math.Inf(1))
	}
	ranked := slices.SortedStableFunc(slices.Values(c.entries), func(a, b entry.Entry) int { return cmp.Compare(rank(a), rank(b)) })
	for i, e := range ranked {
		if i >= mostContenders || rank(e) > nearBest {
			out = append(out, e.Name)
		}
	}
	return out
}
