package bench

import (
	"cmp"
	"math"
	"slices"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/stats"
	"github.com/timerbench/timerbench/structures/entry"
)

// A contender gets no more rounds if it took clearlyBehind times as long as the best structure in each
// of at least leastRounds rounds. After enoughRounds it suffices that it took longer in each round,
// and somewhatBehind times as long in the median. The values are chosen by a simulation: with noise of 28 %
// from round to round, the best of 30 equal structures is dropped in less than 1 % of cells.
const (
	leastRounds, clearlyBehind   = 3, 2.0
	enoughRounds, somewhatBehind = 12, 1.3
)

// behind reports whether the ratios of a contender to the best structure, one for each round, are
// far enough above 1 to drop the contender.
func behind(ratios []float64) bool {
	if len(ratios) < leastRounds {
		return false
	}
	least := slices.Min(ratios)
	return least >= clearlyBehind ||
		len(ratios) >= enoughRounds && least > 1 && stats.MedianOf(ratios) >= somewhatBehind
}

// toBest returns the ratios of each row to the structure with the least cost that is not beaten, one for each common round.
func toBest(rows []results.Row) [][]float64 {
	var best []stats.Sample
	for _, r := range rows {
		samples := stats.Samples(r.Cost)
		if r.Role == results.RoleStructure && r.Stopped != results.StoppedBeaten && len(samples) > 0 &&
			(best == nil || stats.MedianOf(stats.Ratios(samples, best)) < 1) {
			best = samples
		}
	}
	ratios := make([][]float64, len(rows))
	for i, r := range rows {
		ratios[i] = stats.Ratios(stats.Samples(r.Cost), best)
	}
	return ratios
}

// compared reports whether a row is of a structure or a program.
func compared(r results.Row) bool {
	return r.Role != results.RoleFloor && r.Role != results.RoleControl
}

// dropBehind stops the contenders that are far behind the best structure. The floor gets all rounds. The control stops with the
// structure that it repeats.
func dropBehind(rows []*contender) {
	for i, ratios := range toBest(rowsOf(rows)) {
		if r := rows[i]; compared(r.Row) && r.Stopped == results.StoppedDone && behind(ratios) {
			r.Stopped = results.StoppedBeaten
		}
	}
	for _, r := range rows {
		if i := slices.IndexFunc(rows, func(of *contender) bool { return of.Structure == r.Of }); r.Role == results.RoleControl && i >= 0 {
			r.Stopped = rows[i].Stopped
		}
	}
}

// always lists the structures that no cell leaves out.
var always = append(entry.Classics[:], ReferenceName)

// crowd says which contenders take part in a cell. It decides by the costs in the cells so far with a tenth of the timers or more.
type crowd int

const (
	everyone   crowd = iota
	allButSlow       // without structures that took clearlyBehind times as long as the best
	allButFew        // at most mostContenders: the structures of always, then the fastest of less than nearBest times the best
)

const mostContenders, nearBest = 9, 1.5 // chosen

// leaveOut returns the names of the structures and programs that the cell leaves out because of their least ratio to the best in the
// cells so far: those of the same workload, or all if there is none.
func (c *Cell) leaveOut(cells []results.Cell) (out []string) {
	if c.leaves == everyone {
		return nil
	}
	cells = slices.DeleteFunc(slices.Clone(cells), func(o results.Cell) bool { return o.N >= c.n || 10*o.N < c.n })
	other := func(o results.Cell) bool { return o.Workload != c.workload.Name }
	if same := slices.DeleteFunc(slices.Clone(cells), other); len(same) > 0 {
		cells = same
	}
	var names []string
	ratios := make(map[string]float64)
	note := func(name string, ratio float64) {
		least, known := ratios[name]
		if !known {
			names, least = append(names, name), ratio
		}
		ratios[name] = min(least, ratio)
	}
	for _, smaller := range cells {
		for i, to := range toBest(smaller.Rows) {
			if row := smaller.Rows[i]; compared(row) && len(to) > 0 {
				note(row.Structure, stats.MedianOf(to))
			}
		}
		for _, name := range smaller.LeftOut {
			note(name, math.Inf(1))
		}
	}
	limit, most := clearlyBehind, len(names)
	if c.leaves == allButFew {
		limit, most, names = nearBest, mostContenders, nil
		for _, e := range c.entries {
			names, ratios[e.Name] = append(names, e.Name), cmp.Or(ratios[e.Name], math.Inf(1))
		}
	}
	for _, name := range always {
		ratios[name] = 0
	}
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(ratios[a], ratios[b]) })
	for i, name := range names {
		if i >= most || ratios[name] >= limit {
			out = append(out, name)
		}
	}
	return out
}
