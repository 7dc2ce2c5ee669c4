// Package rank ranks the structures of the cells of a run by their cost, with package stats.
package rank

import (
	"cmp"
	"slices"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/stats"
)

// Run is the ranking of the cells of a run.
type Run struct {
	Noise float64 // factor of all standard errors, from the A/A comparisons of all cells

	cells map[*results.Row]*Cell // by the first row, which all copies of a cell share
}

// Of ranks the cells of a run.
func Of(r *results.Run) *Run {
	out := &Run{cells: make(map[*results.Row]*Cell)}
	var controls []stats.Ratio
	for _, c := range r.Cells {
		if len(c.Rows) == 0 {
			continue
		}
		x := compare(c, r.Parameters.Budget > 0)
		out.cells[&c.Rows[0]] = x
		for _, row := range c.Rows {
			of := slices.IndexFunc(c.Rows, func(r results.Row) bool { return r.Structure == row.Of })
			if row.Role != results.RoleControl || of < 0 {
				continue
			}
			if ratio := x.Ratio(row, c.Rows[of]); ratio.Bounded() {
				controls = append(controls, ratio)
			}
		}
	}
	out.Noise = stats.Noise(controls, stats.Options{})
	for _, c := range out.cells {
		c.Options.Noise, c.pairs.Options.Noise = out.Noise, out.Noise
		c.Structures = c.Among(func(string) bool { return true })
	}
	return out
}

// Cell returns the ranking of a cell of the run.
func (r *Run) Cell(c results.Cell) *Cell {
	if len(c.Rows) == 0 {
		return &Cell{}
	}
	return r.cells[&c.Rows[0]]
}

// Cell is the ranking of a cell.
type Cell struct {
	Structures []Structure // those with a cost, the lowest first
	Options    stats.Options
	Centers    stats.Prior // of the costs of contenders

	names []string // of the structures, in the order of the pairs
	pairs *stats.Cell
}

// Structure is a structure beside the best of its cell.
type Structure struct {
	Name   string
	ToBest stats.Ratio
}

// Standing is that of the structure in its cell.
func (s Structure) Standing() stats.Standing { return s.ToBest.Standing() }

// compare compares the structures of a cell, and what repeats them. The cell was raced or not.
func compare(c results.Cell, raced bool) *Cell {
	out := &Cell{}
	if raced {
		out.Options.Looks = stats.RaceLooks
	}
	var structures, controls [][]stats.Sample
	for _, row := range c.Rows {
		samples := Costs(row)
		if len(samples) == 0 {
			continue
		}
		switch row.Role {
		case results.RoleStructure:
			structures, out.names = append(structures, samples), append(out.names, row.Structure)
		case results.RoleControl:
			controls = append(controls, samples)
		}
	}
	alike := slices.Concat(structures, controls)
	out.pairs = stats.NewCell(alike, out.Options)
	out.Options.Prior = out.pairs.Prior()
	out.Centers = stats.PoolCenters(alike)
	return out
}

// Among ranks the structures that keep accepts among themselves, the best first. Those that share no
// round with it are left out.
func (c *Cell) Among(keep func(name string) bool) []Structure {
	if c.pairs == nil {
		return nil
	}
	places := c.places(keep)
	best := c.pairs.Best(places)
	order := func(s Structure) float64 {
		if s.Name == c.names[best] {
			return 0
		}
		return s.ToBest.Center
	}
	var out []Structure
	for n, ratio := range c.pairs.Beside(best, places) {
		if ratio.Pairs > 0 {
			if circle := ratio.Center; circle < 1 { // nobody is better than the best
				ratio.Center, ratio.Lo, ratio.Hi = 1, ratio.Lo/circle, ratio.Hi/circle
			}
			out = append(out, Structure{c.names[places[n]], ratio})
		}
	}
	slices.SortStableFunc(out, func(x, y Structure) int { return cmp.Compare(order(x), order(y)) })
	return out
}

// Beside returns the ratios of the structures that keep accepts to one of them, by name. There are none if the
// cell lacks that one.
func (c *Cell) Beside(lead string, keep func(name string) bool) map[string]stats.Ratio {
	out := make(map[string]stats.Ratio)
	if of := slices.Index(c.names, lead); of >= 0 {
		places := c.places(keep)
		for n, ratio := range c.pairs.Beside(of, places) {
			if ratio.Pairs > 0 {
				out[c.names[places[n]]] = ratio
			}
		}
	}
	return out
}

func (c *Cell) places(keep func(name string) bool) []int {
	var out []int
	for i, name := range c.names {
		if keep(name) {
			out = append(out, i)
		}
	}
	return out
}

// Ratio compares two rows of the cell, round by round. Pairs is 0 if they have no round in common.
func (c *Cell) Ratio(row, of results.Row) stats.Ratio {
	r, _ := stats.Paired(Costs(row), Costs(of), c.Options)
	return r
}

// Costs returns the usable trials of a row as costs of a unit, in nanoseconds.
func Costs(row results.Row) []stats.Sample { return results.Samples(row.Cost) }
