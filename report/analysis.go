package report

import (
	"math"
	"slices"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/stats"
	"github.com/timerbench/timerbench/report/internal/rank"
)

// analysis is what the trials of a cell say.
type analysis struct {
	cell   *rank.Cell
	costs  map[string]stat
	ranked []ranked // structures, the lowest cost first
	floor  float64  // log ratio below which a difference is noise; 0: not known
}

// ranked is a structure and its standing in a cell.
type ranked struct {
	stats.Standing
	name string
	stat stat
}

// analysis analyses a cell once.
func (v *view) analysis(c results.Cell) *analysis {
	if len(c.Rows) == 0 {
		return &analysis{cell: &rank.Cell{}}
	}
	key := &c.Rows[0] // the same in all copies of the cell
	a := v.analysed[key]
	if a == nil {
		a = analyse(c, v.r.Parameters.Budget > 0)
		if v.analysed == nil {
			v.analysed = make(map[*results.Row]*analysis)
		}
		v.analysed[key] = a
	}
	return a
}

// analyse analyses a cell, in which there was a race or not.
func analyse(c results.Cell, raced bool) *analysis {
	of := rank.Of(c, raced)
	a := &analysis{costs: make(map[string]stat), floor: of.Floor, cell: of}
	for _, row := range c.Rows {
		a.costs[row.Structure] = cost(row, inCell(c, of.Centers))
	}
	for _, s := range of.Structures {
		a.ranked = append(a.ranked, ranked{Standing: s.Standing, name: s.Name, stat: a.costs[s.Name]})
	}
	return a
}

// costSamples returns the usable trials of a row as costs of a unit.
func costSamples(row results.Row) []stats.Sample { return rank.Costs(row) }

func samplesOf(trials []results.Trial) []stats.Sample { return results.Samples(trials) }

// cost is the cost of a row in its cell.
func (v *view) cost(c results.Cell, row results.Row) stat { return v.analysis(c).costs[row.Structure] }

// ratio compares two rows of the cell, round by round. Pairs is 0 if they have no round in common.
func (a *analysis) ratio(row, of results.Row) stats.Ratio { return a.cell.Ratio(row, of) }

// toBest is the ratio of a row to the best structure.
func (a *analysis) toBest(c results.Cell, row results.Row) stats.Ratio {
	for _, r := range a.ranked {
		if r.name == row.Structure {
			return r.ToBest
		}
	}
	if len(a.ranked) == 0 {
		return stats.Ratio{}
	}
	best, _ := rowOf(c, a.ranked[0].name)
	return a.ratio(row, best)
}

// compared reports whether a ratio of this cell differs from 1 by more than the noise.
func (a *analysis) compared(r stats.Ratio) against {
	switch {
	case !r.Differs() || math.Abs(math.Log(r.Center)) <= a.floor:
		return unclear
	case r.Center < 1:
		return faster
	}
	return slower
}

// names returns the structures that keep accepts, the lowest cost first.
func (a *analysis) names(keep func(ranked) bool) []string {
	var out []string
	for _, r := range a.ranked {
		if keep(r) {
			out = append(out, r.name)
		}
	}
	return out
}

func (r ranked) ties() bool      { return r.InBest && r.Known }
func (r ranked) isUnclear() bool { return r.InBest && !r.Known }

// inBest reports whether a structure may be the best.
func (a *analysis) inBest(name string) bool {
	return slices.ContainsFunc(a.ranked, func(r ranked) bool { return r.name == name && r.InBest })
}

// others returns the structures that are not among the best.
func (a *analysis) others() []ranked {
	return slices.DeleteFunc(slices.Clone(a.ranked), func(r ranked) bool { return r.InBest })
}
