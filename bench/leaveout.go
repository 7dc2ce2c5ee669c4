package bench

import (
	"slices"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/stats"
	"github.com/timerbench/timerbench/structures/catalog"
)

// hopeless is the ratio to the best, of the same workload at a tenth of the size or more,
// above which a structure is left out of the cells of Profile.leaveOutFrom (chosen): it is
// the lower end of the interval.
const hopeless = 3

// leavesOut reports whether cells of n timers leave out what is hopeless. The sizes must
// be those of the profile. The choice depends on another cell, so that the parts of a run,
// which are measured apart, make none.
func (cfg Config) leavesOut(n int) bool {
	from := cfg.Profile.leaveOutFrom
	return from > 0 && n >= from && len(cfg.N) == 0 && cfg.Shard.Of <= 1 && cfg.Layouts <= 1 && cfg.Layout <= 1
}

// leaveOut returns the entries that take part in a cell, and the names of those that are
// left out because of what they cost in the cells so far.
func (c cellConfig) leaveOut(entries []catalog.Entry, cells []results.Cell) (in []catalog.Entry, out []string) {
	if !c.frugal {
		return entries, nil
	}
	for _, smaller := range cells {
		if smaller.Workload == c.workload.Name && smaller.N < c.n && 10*smaller.N >= c.n {
			out = append(append(out, smaller.LeftOut...), hopelessIn(smaller)...)
		}
	}
	in = slices.DeleteFunc(slices.Clone(entries), func(e catalog.Entry) bool { return slices.Contains(out, e.Name) })
	return in, out
}

// hopelessIn returns the structures that are hopeless in a cell.
func hopelessIn(c results.Cell) []string {
	var names []string
	var costs [][]stats.Sample
	for _, row := range c.Rows {
		if row.Role == results.RoleStructure {
			names = append(names, row.Structure)
			costs = append(costs, results.Samples(row.Cost))
		}
	}
	var out []string
	for i, s := range stats.Best(costs, 0, stats.Options{}) {
		if s.ToBest.Bounded() && s.ToBest.Lo > hopeless {
			out = append(out, names[i])
		}
	}
	return out
}
