package stats

// Reports, answers and comparisons share this estimate of the costs of a cell, so that they cannot contradict each other.

import (
	"cmp"
	"math"
	"slices"

	"github.com/timerbench/timerbench/bench/results"
)

// Costs are the costs of the contenders of a cell, on one scale.
//
// The cost of one row, the reference, is estimated from its trials. The cost of any other row is that times its
// ratio to the reference, which is paired by round. The ratio of two rows is the quotient of their costs. So the
// nanoseconds and the ratios that are printed agree. The reference was chosen as the lowest, so its cost is raised
// by the bias of the choice, and the ratios to it fall by as much.
//
// A nil row has no cost. Costs are for one goroutine at a time.
type Costs struct {
	*results.Cell
	Rows     []*results.Row // of the cell
	Ranked   []*results.Row // the structures with a cost, the lowest first
	Controls []*results.Row // with a cost
	Options  Options

	figures   map[string]*figure // by name
	centers   Prior              // of the costs of contenders
	names     []string           // of the structures, in the order of the pairs
	pairs     *Pairs
	toLead    [][]Ratio    // of all structures to one of them, by the place of that one in names; see paired
	reference *results.Row // the best exact structure, or else the best one; nil: no row has a cost
	optimism  float64      // of the reference, see Pairs.Optimism
	ratios    map[[2]string]Ratio
}

type figure struct {
	samples  []Sample
	multiple float64 // of the cost of the reference; 0: they share no round
	measured float64 // the same before the correction of the choice
	cost     *Cost
}

// CostsOf estimates the costs of a cell of a run, which must not change afterwards. The reference is the best exact structure, or
// else the best one of all. A program of another language is no reference, so the costs of the structures are the same with
// and without it.
func CostsOf(r *results.Run, cell *results.Cell) *Costs {
	c := &Costs{Cell: cell, figures: make(map[string]*figure), ratios: make(map[[2]string]Ratio)}
	var controls [][]Sample
	var costs [][]Sample
	for i := range cell.Rows {
		row := &cell.Rows[i]
		f := &figure{samples: Samples(row.Cost)}
		c.Rows, c.figures[row.Structure] = append(c.Rows, row), f
		switch {
		case len(f.samples) == 0:
		case row.Role == results.RoleStructure:
			c.names, costs = append(c.names, row.Structure), append(costs, f.samples)
		case row.Role == results.RoleControl:
			c.Controls, controls = append(c.Controls, row), append(controls, f.samples)
		}
	}
	costs = append(costs, controls...)
	c.pairs, c.centers = NewPairs(costs, Options{Floor: InstanceFloor(c.N)}), PoolCenters(costs)
	c.Options, c.toLead = c.pairs.Options, make([][]Ratio, len(c.names))
	c.setScale(func(name string) bool { return !c.Row(name).Coarse && r.Program(name) == nil })
	c.Ranked = c.Among(anyName)
	return c
}

func anyName(string) bool { return true }

// setScale chooses the reference and sets the multiple of each row.
func (c *Costs) setScale(mayLead func(name string) bool) {
	candidates := c.places(mayLead)
	if len(candidates) == 0 {
		candidates = c.places(anyName)
	}
	best := c.pairs.Best(candidates)
	if best < 0 {
		return
	}
	c.reference = c.Row(c.names[best])
	c.optimism = c.pairs.Optimism(best, candidates)
	for _, row := range c.Rows {
		f := c.of(row)
		f.measured = c.paired(row, c.reference).Center
		if f.multiple = f.measured; row != c.reference {
			f.multiple /= math.Exp(c.optimism)
		}
	}
	for _, place := range candidates { // nothing is better than the best
		if f := c.figures[c.names[place]]; f.multiple > 0 {
			f.multiple = max(1, f.multiple)
		}
	}
}

func (c *Costs) of(r *results.Row) *figure {
	if r == nil {
		return &figure{}
	}
	return c.figures[r.Structure]
}

func (c *Costs) places(keep func(name string) bool) []int {
	var out []int
	for i, name := range c.names {
		if keep(name) {
			out = append(out, i)
		}
	}
	return out
}

// Structures counts the structures with a cost.
func (c *Costs) Structures() int { return len(c.names) }

// Samples returns the usable trials of a row as costs of a unit, in nanoseconds.
func (c *Costs) Samples(r *results.Row) []Sample { return c.of(r).samples }

// Among ranks the structures that keep accepts, the lowest cost first. It leaves out a structure that shares no
// round with the reference of the cell.
func (c *Costs) Among(keep func(name string) bool) []*results.Row {
	var out []*results.Row
	for _, place := range c.places(keep) {
		if row := c.Row(c.names[place]); c.of(row).multiple > 0 {
			out = append(out, row)
		}
	}
	slices.SortStableFunc(out, func(x, y *results.Row) int {
		order := func(r *results.Row) int { // the reference before a structure of the same cost
			if r == c.reference {
				return 0
			}
			return 1
		}
		a, b := c.of(x), c.of(y)
		return cmp.Or(cmp.Compare(a.multiple, b.multiple), order(x)-order(y), cmp.Compare(a.measured, b.measured))
	})
	return out
}

// In returns the structures with a standing, the lowest cost first.
func (c *Costs) In(standing Standing) []*results.Row {
	return slices.DeleteFunc(slices.Clone(c.Ranked), func(r *results.Row) bool { return c.ToBest(r).Standing() != standing })
}

// Cost is the time of one unit of the cell in nanoseconds. The unit is mostly a lifecycle: a timer is scheduled, and
// fires or is cancelled. The trials of the row itself determine the width of the interval.
func (c *Costs) Cost(r *results.Row) Cost {
	f := c.of(r)
	if f.cost == nil {
		s := c.alone(r)
		if r != c.reference && f.multiple > 0 {
			s = s.movedTo(c.Cost(c.reference).Center * f.multiple)
		} else if r != nil && r == c.reference {
			s = s.movedTo(s.Center * math.Exp(c.optimism))
		}
		f.cost = &s
	}
	return *f.cost
}

// alone estimates the cost of a row from its own trials.
func (c *Costs) alone(r *results.Row) Cost {
	if r == nil {
		return Cost{}
	}
	return summarize(c.of(r).samples, c.inCell(c.centers))
}

// Ratio compares two rows. The center is the quotient of their costs. The common rounds determine the width of the
// interval, which is that of a single comparison. Worse answers another question: is this structure certainly
// behind the other one, in the one-sided comparison of all structures of the cell? Pairs is 0 if the rows share no
// round with each other or with the reference of the cell.
func (c *Costs) Ratio(r, of *results.Row) Ratio {
	x, y := c.of(r).multiple, c.of(of).multiple
	if x == 0 || y == 0 {
		return Ratio{}
	}
	at := [2]string{r.Structure, of.Structure}
	ratio, known := c.ratios[at]
	if known {
		return ratio
	}
	if ratio = c.paired(r, of); ratio.Pairs > 0 {
		ratio = ratio.Recentered(x / y).Agreeing()
	}
	c.ratios[at] = ratio
	return ratio
}

// paired compares two rows by their common rounds alone.
func (c *Costs) paired(r, of *results.Row) Ratio {
	if i, j := slices.Index(c.names, r.Structure), slices.Index(c.names, of.Structure); i >= 0 && j >= 0 {
		if c.toLead[j] == nil {
			c.toLead[j] = c.pairs.RatiosTo(j, c.places(anyName))
		}
		return c.toLead[j][i]
	}
	ratio, _ := Paired(c.Samples(r), c.Samples(of), c.Options)
	return ratio
}

// Control compares a control with its structure by their common rounds alone.
func (c *Costs) Control(r *results.Row) Ratio {
	if of := c.Row(r.Of); of.HasCost() {
		return c.paired(r, of)
	}
	return Ratio{}
}

// ToBest returns the ratio to the best structure.
func (c *Costs) ToBest(r *results.Row) Ratio {
	if len(c.Ranked) == 0 {
		return Ratio{}
	}
	return c.Ratio(r, c.Ranked[0])
}

// MayBeBest reports whether the row is a structure that is not worse than the best one.
func (c *Costs) MayBeBest(r *results.Row) bool {
	return r != nil && slices.Contains(c.Ranked, r) && c.ToBest(r).Standing() != Worse
}

// Samples returns the usable trials as costs per unit, in nanoseconds.
func Samples(trials []results.Trial) []Sample {
	var out []Sample
	for _, t := range trials {
		if t.Usable() {
			out = append(out, Sample{
				Layout: t.Layout, Instance: t.Instance, Round: t.Round, Value: t.NS / t.Units,
			})
		}
	}
	return out
}
