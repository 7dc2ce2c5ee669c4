package stats

import (
	"cmp"
	"slices"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/script"
)

// Default is the structure that an answer names unless another one is certainly faster.
const Default = "auto"

// TieBelow is the ratio to the fastest below which the interval of a structure that ties with it reaches (chosen).
const TieBelow = 1.05

// NamedUpTo is the ratio to another structure above which the interval of the default must lie for that one to be named (chosen).
const NamedUpTo = 1.10

// Named is the one rule that names a structure. ranked are the names of the structures that may be named, the best first, and ratio
// returns the ratio of two. Named returns the default, unless its ratio to another one lies above [NamedUpTo]: then the first such
// one. Without the default it returns the first, and without any the empty string.
func Named(ranked []string, ratio func(a, b string) Estimate) string {
	if len(ranked) == 0 || !slices.Contains(ranked, Default) {
		return append(ranked, "")[0]
	}
	for _, name := range ranked {
		if name == Default {
			continue
		}
		if r := ratio(Default, name); r.OK() && r.Lo > NamedUpTo {
			return name
		}
	}
	return Default
}

// Costs are the costs of the contenders of a cell. A nil row has no cost. Costs are for one goroutine at a time.
type Costs struct {
	*results.Cell
	Rows     []*results.Row // of the cell
	Exact    []*results.Row // the structures with a cost that fire on time, the lowest cost first
	Late     []*results.Row // the structures with a cost that fire late, the lowest cost first
	Controls []*results.Row // with a cost

	run     *results.Run
	samples map[string][]Sample // by name
	ratios  map[pair]Estimate
}

type pair struct {
	a, b string
	net  bool
}

// CostsOf estimates the costs of a cell of a run, which must not change afterwards.
func CostsOf(r *results.Run, cell *results.Cell) *Costs {
	c := &Costs{Cell: cell, run: r, samples: make(map[string][]Sample), ratios: make(map[pair]Estimate)}
	for i := range cell.Rows {
		row := &cell.Rows[i]
		c.Rows, c.samples[row.Structure] = append(c.Rows, row), Samples(row.Cost)
		switch {
		case len(c.samples[row.Structure]) == 0:
		case row.Role == results.RoleControl:
			c.Controls = append(c.Controls, row)
		case row.Role == results.RoleStructure && row.Coarse:
			c.Late = append(c.Late, row)
		case row.Role == results.RoleStructure:
			c.Exact = append(c.Exact, row)
		}
	}
	for _, group := range [][]*results.Row{c.Exact, c.Late} {
		slices.SortStableFunc(group, func(a, b *results.Row) int { return cmp.Compare(c.Cost(a).Center, c.Cost(b).Center) })
	}
	return c
}

// Structures counts the structures with a cost.
func (c *Costs) Structures() int { return len(c.Exact) + len(c.Late) }

// Samples returns the usable trials of a row as costs of a unit, in nanoseconds.
func (c *Costs) Samples(r *results.Row) []Sample {
	if r == nil {
		return nil
	}
	return c.samples[r.Structure]
}

// Fastest returns the exact structure with the least cost; nil: none has a cost.
func (c *Costs) Fastest() *results.Row { return first(c.Exact) }

// Lead returns the structure with the least cost in the group of a row: exact, or late. A row that is no structure belongs to the exact ones.
func (c *Costs) Lead(r *results.Row) *results.Row {
	if r != nil && r.Coarse && r.Role == results.RoleStructure || len(c.Exact) == 0 {
		return first(c.Late)
	}
	return c.Fastest()
}

func first(rows []*results.Row) *results.Row {
	if len(rows) == 0 {
		return nil
	}
	return rows[0]
}

// Cost is the time of one unit of the cell in nanoseconds, with the loop. The unit is mostly a lifecycle: a timer is scheduled, and
// fires or is cancelled.
func (c *Costs) Cost(r *results.Row) Estimate {
	return Median(c.Samples(r)).Widened(SpreadOf(c.N).Cost)
}

// net returns the samples of a row less the cost of the loop.
func (c *Costs) net(r *results.Row) []Sample { return Less(c.Samples(r), c.Samples(c.Loop(r))) }

// Loop returns the row with the cost of the empty loop around the calls of a row, in its language; nil: there is none.
func (c *Costs) Loop(r *results.Row) *results.Row {
	if r == nil {
		return nil
	}
	p := c.run.Program(r.Structure)
	for _, row := range c.Rows {
		q := c.run.Program(row.Structure)
		same := p == nil && q == nil || p != nil && q != nil && p.Language == q.Language
		if p == nil && q == nil {
			same = r.Intrusive() == (row.Structure == results.IntrusiveFloor)
		}
		if same && row.Role == results.RoleFloor && row.HasCost() {
			return row
		}
	}
	return nil
}

// Ratio is the ratio of the costs of two rows, with the loop. A row has the ratio 1 to itself.
func (c *Costs) Ratio(r, of *results.Row) Estimate {
	return c.ratio(r, of, false, SpreadOf(c.N).Ratio, c.Samples)
}

// Net is the ratio of the costs of two rows without the loop. It is not OK if the loop was not measured, or if a cost is not above it.
func (c *Costs) Net(r, of *results.Row) Estimate {
	return c.ratio(r, of, true, SpreadOf(c.N).Net, c.net)
}

func (c *Costs) ratio(r, of *results.Row, net bool, spread float64, samples func(*results.Row) []Sample) Estimate {
	if r == nil || of == nil {
		return Estimate{}
	}
	at := pair{r.Structure, of.Structure, net}
	e, known := c.ratios[at]
	if known {
		return e
	}
	if e = Ratio(samples(r), samples(of)); r == of && e.OK() {
		e = Estimate{Center: 1, Lo: 1, Hi: 1, Rounds: e.Rounds}
	} else {
		e = e.Widened(spread)
	}
	c.ratios[at] = e
	return e
}

// Deciding is the ratio by which structures tie and are named: without the loop, or with it if the loop was not measured.
func (c *Costs) Deciding(r, of *results.Row) Estimate {
	if e := c.Net(r, of); e.OK() {
		return e
	}
	return c.Ratio(r, of)
}

// ToBest is the ratio of a row to the fastest of its group, with the loop.
func (c *Costs) ToBest(r *results.Row) Estimate { return c.Ratio(r, c.Lead(r)) }

// Ties reports whether the row is the fastest structure of its group or ties with it.
func (c *Costs) Ties(r *results.Row) bool {
	if r == nil || r.Role != results.RoleStructure {
		return false
	}
	e := c.Deciding(r, c.Lead(r))
	return r == c.Lead(r) || e.OK() && e.Lo < TieBelow
}

// Tied returns the fastest exact structure and those that tie with it, the lowest cost first.
func (c *Costs) Tied() []*results.Row {
	return slices.DeleteFunc(slices.Clone(c.Exact), func(r *results.Row) bool { return !c.Ties(r) })
}

// Slower returns the exact structures that do not tie with the fastest, the lowest cost first.
func (c *Costs) Slower() []*results.Row { return slices.DeleteFunc(slices.Clone(c.Exact), c.Ties) }

// Named returns the structure to name in the cell, see [Named]; nil: no exact structure has a cost.
func (c *Costs) Named() *results.Row {
	return c.Row(Named(results.Names(c.Exact), func(a, b string) Estimate { return c.Deciding(c.Row(a), c.Row(b)) }))
}

// Control compares a control with its structure by their common rounds alone.
func (c *Costs) Control(r *results.Row) Estimate {
	if of := c.Row(r.Of); of.HasCost() {
		return Ratio(c.Samples(r), c.Samples(of))
	}
	return Estimate{}
}

// KindCost is the time of one operation of a kind, from the trials that were timed by kind.
func (c *Costs) KindCost(r *results.Row, kind script.Kind) Estimate {
	if r == nil {
		return Estimate{}
	}
	var values []Sample
	for _, t := range r.ByKind {
		for _, k := range t.Kinds {
			if k.Kind == kind && k.Count > 0 {
				values = append(values, Sample{Round: t.Round, Value: k.NS / float64(k.Count)})
			}
		}
	}
	return Median(values).Widened(SpreadOf(c.N).Cost)
}
