package bench

import (
	"slices"

	"github.com/timerbench/timerbench/bench/external"
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

// beFrugal makes the cell leave out what is too slow and have few instances, if it has very many
// timers. The sizes must be those of the profile. What is left out depends on another cell.
func (c *cell) beFrugal(cfg Config) {
	from, times := cfg.Profile.frugalFrom, float64(tooSlow)
	if c.workload.Grid != nil {
		from, times = cfg.Profile.gridFrugalFrom, tooSlowInGrid
	}
	whole := len(cfg.N) == 0 && cfg.Turns == nil
	if whole && from > 0 && c.n >= from {
		c.tooSlow, c.perPass = times, roundsPerFrugalPass
	}
}

// leaveOut returns the entries that take part in a cell, and the names of those that are
// left out because of what they cost in the cells so far. Programs are left out as structures are.
func (c *cell) leaveOut(entries []entry.Entry, cells []results.Cell) (in []entry.Entry, out []string) {
	if c.tooSlow == 0 {
		return entries, nil
	}
	for _, smaller := range cells {
		if smaller.Workload == c.workload.Name && smaller.N < c.n && 10*smaller.N >= c.n {
			out = append(append(out, smaller.LeftOut...), tooSlowIn(smaller, c.tooSlow)...)
		}
	}
	in = slices.DeleteFunc(slices.Clone(entries), func(e entry.Entry) bool {
		return slices.Contains(out, e.Name)
	})
	c.external = slices.DeleteFunc(slices.Clone(c.external), func(p *external.Program) bool {
		return slices.Contains(out, p.Name)
	})
	return in, out
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
