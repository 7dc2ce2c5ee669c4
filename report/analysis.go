package report

import (
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
}

// ranked is a structure and its standing in a cell.
type ranked struct {
	rank.Structure
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
		if v.analysed == nil {
			v.analysed = make(map[*results.Row]*analysis)
		}
		of := v.ranking().Cell(c)
		a = &analysis{cell: of, costs: make(map[string]stat)}
		for _, row := range c.Rows {
			a.costs[row.Structure] = cost(row, inCell(c, of.Centers))
		}
		a.ranked = a.beside(of.Structures)
		v.analysed[key] = a
	}
	return a
}

// ranking ranks the cells of the results once.
func (v *view) ranking() *rank.Run {
	if v.ranked == nil {
		v.ranked = rank.Of(v.r)
	}
	return v.ranked
}

func (a *analysis) beside(structures []rank.Structure) []ranked {
	var out []ranked
	for _, s := range structures {
		out = append(out, ranked{s, a.costs[s.Name]})
	}
	return out
}

// among returns the analysis of some structures of the cell among themselves.
func (a *analysis) among(keep func(name string) bool) *analysis {
	return &analysis{cell: a.cell, costs: a.costs, ranked: a.beside(a.cell.Among(keep))}
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
		if r.Name == row.Structure {
			return r.ToBest
		}
	}
	if len(a.ranked) == 0 {
		return stats.Ratio{}
	}
	best, _ := rowOf(c, a.ranked[0].Name)
	return a.ratio(row, best)
}

// compared reports which of two rows of this cell is faster, by their ratio.
func compared(r stats.Ratio) against {
	switch {
	case !r.Differs():
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
			out = append(out, r.Name)
		}
	}
	return out
}

func (r ranked) ties() bool      { return r.Standing() == stats.Tie }
func (r ranked) isUnclear() bool { return r.Standing() == stats.Unclear }
func (r ranked) isWorse() bool   { return r.Standing() == stats.Worse }

// inBest reports whether a structure ties with the best, or is not told apart from it.
func (a *analysis) inBest(name string) bool {
	return slices.ContainsFunc(a.ranked, func(r ranked) bool { return r.Name == name && !r.isWorse() })
}

// others returns the structures that are worse than the best.
func (a *analysis) others() []ranked {
	return slices.DeleteFunc(slices.Clone(a.ranked), func(r ranked) bool { return !r.isWorse() })
}
