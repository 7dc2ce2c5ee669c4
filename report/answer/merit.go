package answer

import (
	"cmp"
	"math"
	"slices"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/stats"
	"github.com/timerbench/timerbench/internal/show"
	"github.com/timerbench/timerbench/structures/entry"
)

// Mean returns the geometric mean of a ratio over the cells that have it, and their number.
func Mean(cells []*stats.Costs, ratio func(*stats.Costs) stats.Estimate) (mean float64, n int) {
	logs := 0.0
	for _, c := range cells {
		if e := ratio(c); e.OK() {
			logs, n = logs+math.Log(e.Center), n+1
		}
	}
	return math.Exp(logs / float64(n)), n
}

// Late is 1 for a structure of the catalog that fires late, and else 0.
func (r *Run) Late(structure string) int {
	if e, ok := r.Entry(structure); ok && !e.Exact() {
		return 1
	}
	return 0
}

// AnswerCells returns a cell for each workload. A candidate has at least nine tenths of the structures
// that the fullest cell of the workload has. The cell is the largest candidate up to [results.TypicalN], or else the
// smallest one.
func (r *Run) AnswerCells() []*stats.Costs {
	var out []*stats.Costs
	for _, w := range r.Workloads() {
		cells, most := r.CellsOf(w), 0
		for _, c := range cells {
			most = max(most, c.Structures())
		}
		var best *stats.Costs
		for _, c := range cells {
			if n := c.Structures(); n > 0 && 10*n >= 9*most && (best == nil || c.N <= results.TypicalN) {
				best = c
			}
		}
		if best != nil {
			out = append(out, best)
		}
	}
	return out
}

// merit is what [Run.ByMerit] orders by. The zero merit, of a contender without a cost, comes last.
type merit struct {
	rank    int     // 3: exact, with a cost in every cell; 2: exact, left out of cells in which it may be worst; 1: late
	typical float64 // geometric mean of the multiples of the fastest
}

// ByMerit orders contenders by their merit over [Run.AnswerCells]. Contenders without a merit follow in their old
// order.
func (r *Run) ByMerit(rows []RowName) []RowName {
	if r.merits == nil {
		r.merits = make(map[string]merit)
		cells := r.AnswerCells()
		for _, who := range r.Present(RowName.IsStructure) {
			typical, n := Mean(cells, func(c *stats.Costs) stats.Estimate { return c.ToBest(c.Row(who.Name)) })
			switch {
			case n == 0:
			case r.Late(who.Name) > 0:
				r.merits[who.Name] = merit{1, typical}
			case n < len(cells):
				r.merits[who.Name] = merit{2, typical}
			default:
				r.merits[who.Name] = merit{3, typical}
			}
		}
	}
	out := slices.Clone(rows)
	slices.SortStableFunc(out, func(a, b RowName) int {
		x, y := r.merits[a.Name], r.merits[b.Name]
		return cmp.Or(y.rank-x.rank, cmp.Compare(x.typical, y.typical))
	})
	return out
}

// Classics are the structures of charts that show a few.
var Classics = append(entry.Classics[:], "auto")

// mostCurves is how many structures a chart of curves shows at most (chosen: more cannot be told apart).
const mostCurves = 8

// Leaders returns the given structures that charts of curves show, the best over all workloads first: all if they
// are few, else the classics, and without any of those the best.
func (r *Run) Leaders(rows []RowName) []RowName {
	all := slices.DeleteFunc(r.ByMerit(rows), func(who RowName) bool { return !who.IsStructure() })
	if len(all) <= mostCurves {
		return all
	}
	classic := slices.DeleteFunc(slices.Clone(all), func(who RowName) bool { return !slices.Contains(Classics, who.Name) })
	if len(classic) == 0 {
		return all[:mostCurves]
	}
	return classic
}

// ChoiceNote explains the choice of structures on a chart of curves; empty: it shows all.
func (r *Run) ChoiceNote(rows []RowName) string {
	all := slices.DeleteFunc(slices.Clone(rows), func(who RowName) bool { return !who.IsStructure() })
	left := len(all) - len(r.Leaders(rows))
	if left == 0 {
		return ""
	}
	return "The tables have " + show.Count(left, "more structure") + "."
}
