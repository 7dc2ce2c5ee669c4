package analysis

import (
	"cmp"
	"slices"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/stats"
)

// Cell is a cell of the results.
type Cell struct {
	results.Cell
	Rows    []*Row
	Ranked  []Ranked // the structures with a cost, the lowest first
	Options stats.Options

	centers  stats.Prior // of the costs of contenders
	names    []string    // of the structures, in the order of the pairs
	controls []*Row
	pairs    *stats.Cell
	beside   map[[2]*Row]stats.Ratio // that were asked for
}

// Row is a row of a cell.
type Row struct {
	results.Row
	Samples []stats.Sample // the usable trials as costs of a unit, in nanoseconds

	cell   *Cell
	cost   *Stat
	center float64
}

// Ranked is a structure beside the best of those with which it is compared.
type Ranked struct {
	*Row
	ToBest stats.Ratio
}

// Standing is that of the structure.
func (r Ranked) Standing() stats.Standing { return r.ToBest.Standing() }

func (r *Run) cell(of results.Cell) *Cell {
	c := &Cell{Cell: of, beside: make(map[[2]*Row]stats.Ratio)}
	if r.Parameters.Budget > 0 {
		c.Options.Looks = looksOf(of)
	}
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

// looksOf returns how often a race looked at the data of a cell before it decided. It looked after each pass from
// stats.LeastRounds on. One that was settled might have gone on, and counts as all looks.
func looksOf(c results.Cell) int {
	looks := 1
	for _, row := range c.Rows {
		if row.Stopped == results.StoppedSettled {
			return stats.RaceLooks
		}
		passes := make(map[int]bool)
		for _, t := range row.Cost {
			passes[t.Instance] = true
		}
		if rounds := len(row.Cost); rounds > stats.LeastRounds {
			looks = max(looks, 1+(rounds-stats.LeastRounds)*len(passes)/rounds)
		}
	}
	return min(looks, stats.RaceLooks)
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

// Of returns the row in a role; nil: there is none.
func (c *Cell) Of(role results.Role) *Row {
	for _, r := range c.Rows {
		if r.Role == role {
			return r
		}
	}
	return nil
}

// Structures counts those that have a cost.
func (c *Cell) Structures() int { return len(c.names) }

// Among ranks the structures that keep accepts among themselves, the best first. Those that share
// no round with it are left out.
func (c *Cell) Among(keep func(name string) bool) []Ranked {
	places := c.places(keep)
	if len(places) == 0 {
		return nil
	}
	best := c.pairs.Best(places)
	order := func(s Ranked) float64 {
		if s.Structure == c.names[best] {
			return 0
		}
		return s.ToBest.Center
	}
	var out []Ranked
	for n, ratio := range c.pairs.Beside(best, places) {
		if ratio.Pairs > 0 {
			if circle := ratio.Center; circle < 1 { // nobody is better than the best
				ratio.Center, ratio.Lo, ratio.Hi = 1, ratio.Lo/circle, ratio.Hi/circle
			}
			out = append(out, Ranked{c.Row(c.names[places[n]]), ratio})
		}
	}
	slices.SortStableFunc(out, func(x, y Ranked) int { return cmp.Compare(order(x), order(y)) })
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

// In returns the structures of a standing, the lowest cost first.
func (c *Cell) In(standing stats.Standing) []Ranked {
	return slices.DeleteFunc(slices.Clone(c.Ranked), func(r Ranked) bool { return r.Standing() != standing })
}

// Names are those of structures.
func Names(list []Ranked) []string {
	var out []string
	for _, r := range list {
		out = append(out, r.Structure)
	}
	return out
}

// HasCost reports whether some trial is usable. The row may be nil, as in the methods below.
func (r *Row) HasCost() bool { return r != nil && len(r.Samples) > 0 }

// Cost is the time of one unit of the cell: mostly a lifecycle, a timer scheduled and done with.
func (r *Row) Cost() Stat {
	if r == nil {
		return Stat{}
	}
	if r.cost == nil {
		s := costOf(r.Row.Cost, r.cell.inCell(r.cell.centers))
		r.cost = &s
	}
	return *r.cost
}

// Center is the robust estimate of the cost of a unit, as ratios are made of; 0: not known.
func (r *Row) Center() float64 {
	if r == nil {
		return 0
	}
	if r.center == 0 {
		i, _ := stats.Center(r.Samples, stats.Options{})
		r.center = i.Center
	}
	return r.center
}

// Beside compares two rows of a cell, round by round. Pairs is 0 if they have no round in common.
// Of two structures it has the interval that holds together with those of all others: wherever two
// structures are compared, it is this one.
func (r *Row) Beside(of *Row) stats.Ratio {
	if r == nil || of == nil {
		return stats.Ratio{}
	}
	c := r.cell
	ratio, known := c.beside[[2]*Row{r, of}]
	if known {
		return ratio
	}
	if i, j := slices.Index(c.names, r.Structure), slices.Index(c.names, of.Structure); i >= 0 && j >= 0 {
		ratio = c.pairs.Ratio(i, j)
	} else {
		ratio, _ = stats.Paired(r.Samples, of.Samples, c.Options)
	}
	c.beside[[2]*Row{r, of}] = ratio
	return ratio
}

// ToBest is the ratio to the best structure of the cell.
func (r *Row) ToBest() stats.Ratio {
	if r == nil || len(r.cell.Ranked) == 0 {
		return stats.Ratio{}
	}
	for _, s := range r.cell.Ranked {
		if s.Row == r {
			return s.ToBest
		}
	}
	return r.Beside(r.cell.Ranked[0].Row)
}

// MayBeBest reports whether a structure ties with the best one, or is not told apart from it.
func (r *Row) MayBeBest() bool {
	return r != nil && slices.ContainsFunc(r.cell.Ranked, func(s Ranked) bool {
		return s.Row == r && s.Standing() != stats.Worse
	})
}
