package analysis

import (
	"cmp"
	"math"
	"slices"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/stats"
)

// Cell is a cell of the results.
//
// All costs of a cell are on one scale. The cost of one row, the reference, is estimated from its trials. The
// cost of any other row is that times its ratio to the reference, which is paired by round. The ratio of two
// rows is the quotient of their costs. So the nanoseconds and the ratios that are printed agree. The reference was chosen
// as the lowest, so its cost is raised by what the choice makes it too low, and the ratios to it fall by as much.
type Cell struct {
	results.Cell
	Rows    []*Row
	Ranked  []*Row // the structures with a cost, the lowest first
	Options stats.Options

	centers   stats.Prior // of the costs of contenders
	names     []string    // of the structures, in the order of the pairs
	controls  []*Row
	pairs     *stats.Cell
	toLead    [][]stats.Ratio         // of all structures to one of them, by the place of that one in names; see paired
	reference *Row                    // the best exact structure, or else the best row; nil: no row has a cost
	optimism  float64                 // of the reference, see stats.Cell.Optimism
	ratios    map[[2]*Row]stats.Ratio // see RatioTo
}

// Row is a row of a cell.
type Row struct {
	results.Row
	Samples []stats.Sample // the usable trials as costs of a unit, in nanoseconds

	cell     *Cell
	multiple float64 // of the cost of the reference; 0: they share no round
	measured float64 // the same before the correction of the choice
	cost     *Stat
}

func (r *Run) cell(of results.Cell) *Cell {
	c := &Cell{Cell: of, ratios: make(map[[2]*Row]stats.Ratio)}
	for _, row := range of.Rows {
		x := &Row{Row: row, Samples: results.Samples(row.Cost), cell: c}
		c.Rows = append(c.Rows, x)
		switch {
		case !x.HasCost():
		case row.Role == results.RoleStructure:
			c.names = append(c.names, row.Structure)
		case row.Role == results.RoleControl:
			c.controls = append(c.controls, x)
		}
	}
	return c
}

// Row finds a contender; nil: it is not in the cell.
func (c *Cell) Row(name string) *Row {
	for _, r := range c.Rows {
		if r.Structure == name {
			return r
		}
	}
	return nil
}

// Of returns the first row with a role; nil: there is none.
func (c *Cell) Of(role results.Role) *Row {
	for _, r := range c.Rows {
		if r.Role == role {
			return r
		}
	}
	return nil
}

// Structures counts the structures with a cost.
func (c *Cell) Structures() int { return len(c.names) }

// Among ranks the structures that keep accepts, the lowest cost first. It leaves out a structure that shares no
// round with the reference of the cell.
func (c *Cell) Among(keep func(name string) bool) []*Row {
	var out []*Row
	for _, place := range c.places(keep) {
		if row := c.Row(c.names[place]); row.multiple > 0 {
			out = append(out, row)
		}
	}
	slices.SortStableFunc(out, func(x, y *Row) int {
		order := func(r *Row) int { // the reference before a structure of the same cost
			if r == c.reference {
				return 0
			}
			return 1
		}
		return cmp.Or(cmp.Compare(x.multiple, y.multiple), order(x)-order(y), cmp.Compare(x.measured, y.measured))
	})
	return out
}

// compare compares the structures and the controls by the rounds of the cell alone.
func (c *Cell) compare(r *Run) {
	var costs [][]stats.Sample
	for _, name := range c.names {
		costs = append(costs, c.Row(name).Samples)
	}
	for _, row := range c.controls {
		costs = append(costs, row.Samples)
	}
	c.pairs, c.centers = stats.NewCell(costs, stats.Options{Floor: stats.InstanceFloor(c.N)}), stats.PoolCenters(costs)
	c.Options, c.toLead = c.pairs.Options, make([][]stats.Ratio, len(c.names))
	c.setScale(r)
	c.Ranked = c.Among(func(string) bool { return true })
}

// setScale chooses the reference and sets the multiple of each row. Programs of other languages are no reference, so that
// costs are the same with and without them in the ranking.
func (c *Cell) setScale(r *Run) {
	candidates := c.places(func(name string) bool { return r.IsExact(name) && r.Program(name) == nil })
	if len(candidates) == 0 {
		candidates = c.places(func(string) bool { return true })
	}
	best := c.pairs.Best(candidates)
	if best < 0 {
		return
	}
	c.reference = c.Row(c.names[best])
	c.optimism = c.pairs.Optimism(best, candidates)
	for _, row := range c.Rows {
		row.measured = c.paired(row, c.reference).Center
		if row.multiple = row.measured; row != c.reference {
			row.multiple /= math.Exp(c.optimism)
		}
	}
	for _, place := range candidates { // nothing is better than the best
		row := c.Row(c.names[place])
		if row.multiple > 0 {
			row.multiple = max(1, row.multiple)
		}
	}
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

// In returns the structures with a standing, the lowest cost first.
func (c *Cell) In(standing stats.Standing) []*Row {
	return slices.DeleteFunc(slices.Clone(c.Ranked), func(r *Row) bool { return r.Standing() != standing })
}

// Names returns the names of structures in order.
func Names(list []*Row) []string {
	var out []string
	for _, r := range list {
		out = append(out, r.Structure)
	}
	return out
}

// HasCost reports whether the row has a usable trial. A nil row has none, and all methods below accept it.
func (r *Row) HasCost() bool { return r != nil && len(r.Samples) > 0 }

// Cost is the time of one unit of the cell in nanoseconds. The unit is mostly a lifecycle: a timer is scheduled, and
// fires or is cancelled. See [Cell] for the estimate. The trials of the row itself determine the width of the interval.
func (r *Row) Cost() Stat {
	if r == nil {
		return Stat{}
	}
	if r.cost == nil {
		s := costOf(r.Row.Cost, r.cell.inCell(r.cell.centers))
		if reference := r.cell.reference; r != reference && r.multiple > 0 {
			s = s.movedTo(reference.Cost().Center * r.multiple)
		} else if r == reference {
			s = s.movedTo(s.Center * math.Exp(r.cell.optimism))
		}
		r.cost = &s
	}
	return *r.cost
}

// RatioTo compares two rows of a cell. The center is the quotient of their costs. The common
// rounds determine the width of the interval, which is that of a single comparison. Worse answers another question: with the
// other one as the best, is this structure among those that may be the best? Pairs
// is 0 if the rows share no round with each other or with the reference of the cell.
func (r *Row) RatioTo(of *Row) stats.Ratio {
	if r == nil || of == nil || r.multiple == 0 || of.multiple == 0 {
		return stats.Ratio{}
	}
	c := r.cell
	ratio, known := c.ratios[[2]*Row{r, of}]
	if known {
		return ratio
	}
	if ratio = c.paired(r, of); ratio.Pairs > 0 {
		ratio = ratio.Recentered(r.multiple / of.multiple).Agreeing()
	}
	c.ratios[[2]*Row{r, of}] = ratio
	return ratio
}

// paired compares two rows of the cell by their common rounds alone.
func (c *Cell) paired(r, of *Row) stats.Ratio {
	if i, j := slices.Index(c.names, r.Structure), slices.Index(c.names, of.Structure); i >= 0 && j >= 0 {
		if c.toLead[j] == nil {
			c.toLead[j] = c.pairs.RatiosTo(j, c.places(func(string) bool { return true }))
		}
		return c.toLead[j][i]
	}
	ratio, _ := stats.Paired(r.Samples, of.Samples, c.Options)
	return ratio
}

// ToBest returns the ratio to the best structure of the cell.
func (r *Row) ToBest() stats.Ratio {
	if r == nil || len(r.cell.Ranked) == 0 {
		return stats.Ratio{}
	}
	return r.RatioTo(r.cell.Ranked[0])
}

// Standing compares the row with the best structure of the cell.
func (r *Row) Standing() stats.Standing { return r.ToBest().Standing() }

// MayBeBest reports whether the row is a structure that is not worse than the best of the cell.
func (r *Row) MayBeBest() bool {
	return r != nil && slices.Contains(r.cell.Ranked, r) && r.Standing() != stats.Worse
}
