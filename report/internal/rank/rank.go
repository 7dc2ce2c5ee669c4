// Package rank ranks the structures of a cell by their cost, with package stats.
package rank

import (
	"cmp"
	"math"
	"slices"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/stats"
)

// Cell is the ranking of a cell.
type Cell struct {
	Structures []Structure // those with a cost, the lowest first
	Floor      float64     // log ratio below which a difference is noise; 0: not known
	Options    stats.Options
	Centers    stats.Prior // of the costs of contenders
}

// Structure is a structure and its standing in a cell.
type Structure struct {
	stats.Standing
	Name string
}

// Of ranks the structures of a cell. The cell was raced or not.
func Of(c results.Cell, raced bool) *Cell {
	out := &Cell{}
	if raced {
		out.Options.Looks = stats.RaceLooks
	}
	var structures, alike [][]stats.Sample
	for _, row := range c.Rows {
		samples := Costs(row)
		if len(samples) == 0 {
			continue
		}
		switch row.Role {
		case results.RoleStructure:
			structures = append(structures, samples)
			out.Structures = append(out.Structures, Structure{Name: row.Structure})
			alike = append(alike, samples)
		case results.RoleControl:
			alike = append(alike, samples)
		}
	}
	out.Options.Prior = stats.PoolRatios(alike)
	out.Centers = stats.PoolCenters(alike)
	for _, row := range c.Rows {
		if row.Role != results.RoleControl {
			continue
		}
		if of := slices.IndexFunc(c.Rows, func(r results.Row) bool { return r.Structure == row.Of }); of >= 0 {
			out.Floor = max(out.Floor, stats.Floor(Costs(c.Rows[of]), Costs(row), out.Options))
		}
	}
	for i, s := range stats.Best(structures, out.Floor, out.Options) {
		out.Structures[i].Standing = s
	}
	slices.SortStableFunc(out.Structures, func(x, y Structure) int { return cmp.Compare(x.order(), y.order()) })
	return out
}

// order is what structures are sorted by: the cost as a multiple of the best. Those that share
// no round with the best come last.
func (s Structure) order() float64 {
	if s.ToBest.Pairs == 0 {
		return math.Inf(1)
	}
	return s.ToBest.Center
}

// Ratio compares two rows of the cell, round by round. Pairs is 0 if they have no round in common.
func (c *Cell) Ratio(row, of results.Row) stats.Ratio {
	r, _ := stats.Paired(Costs(row), Costs(of), c.Options)
	return r
}

// Costs returns the usable trials of a row as costs of a unit, in nanoseconds.
func Costs(row results.Row) []stats.Sample { return results.Samples(row.Cost) }
