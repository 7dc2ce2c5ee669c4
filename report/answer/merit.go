package answer

import (
	"cmp"
	"math"
	"slices"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/stats"
	"github.com/timerbench/timerbench/internal/show"
)

// Merit sums up the costs of a structure over several cells.
type Merit struct {
	RowName
	Typical  float64 // multiple of the fastest: geometric mean over the cells with a cost of the structure
	Worst    float64 // the largest multiple
	Cells    int     // in which it was measured
	Complete bool    // it was measured in every cell
}

// Merits ranks the contenders for which keep reports true by their typical multiple. Those that fire late come last, because they
// are not ranked with exact ones. Complete ones come first, because the others may have been left out of the cells in which they are worst.
func (r *Run) Merits(cells []*stats.Costs, keep func(RowName) bool) []Merit {
	var out []Merit
	for _, who := range r.Present(keep) {
		m := Merit{RowName: who}
		logs := 0.0
		for _, c := range cells {
			if to := c.ToBest(c.Row(who.Name)); to.OK() {
				logs += math.Log(to.Center)
				m.Cells++
				m.Worst = max(m.Worst, to.Center)
			}
		}
		if m.Cells > 0 {
			m.Typical, m.Complete = math.Exp(logs/float64(m.Cells)), m.Cells == len(cells)
			out = append(out, m)
		}
	}
	slices.SortStableFunc(out, func(a, b Merit) int {
		incomplete := map[bool]int{false: 1}
		return cmp.Or(r.Late(a.Name)-r.Late(b.Name), incomplete[a.Complete]-incomplete[b.Complete], cmp.Compare(a.Typical, b.Typical))
	})
	return out
}

// Late is 1 for a structure of the catalog that fires late, and else 0.
func (r *Run) Late(structure string) int {
	if e, ok := r.Entry(structure); ok && !e.Exact() {
		return 1
	}
	return 0
}

// AnswerCells returns a cell for each workload, class by class. A candidate has at least nine tenths of the structures
// that the fullest cell of the workload has. The cell is the largest candidate up to [results.TypicalN], or else the
// smallest one.
func (r *Run) AnswerCells() []*stats.Costs {
	var out []*stats.Costs
	for _, class := range Classes {
		for _, of := range r.InClass(class) {
			cells, most := r.CellsOf(of.Workload), 0
			for _, c := range cells {
				most = max(most, c.Structures())
			}
			var best *stats.Costs
			for _, c := range cells {
				if n := c.Structures(); n == 0 || 10*n < 9*most {
					continue
				}
				if best == nil || c.N <= results.TypicalN {
					best = c
				}
			}
			if best != nil {
				out = append(out, best)
			}
		}
	}
	return out
}

// ByMerit orders contenders by their merit over [Run.AnswerCells]. Contenders without a merit follow in their old
// order.
func (r *Run) ByMerit(rows []RowName) []RowName {
	if r.places == nil {
		r.places = make(map[string]int)
		for i, m := range r.Merits(r.AnswerCells(), RowName.IsStructure) {
			r.places[m.Name] = i - len(r.Contenders) // before all others
		}
	}
	out := slices.Clone(rows)
	slices.SortStableFunc(out, func(a, b RowName) int { return r.places[a.Name] - r.places[b.Name] })
	return out
}

// Classics are the structures of charts that show a few: the six that most timers stand on, and auto.
var Classics = []string{"minheap", "quadheap", "wheel", "hwheel", "rbtree", "skiplist", "auto"}

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

// Curves returns the given contenders that a chart of curves shows: the leaders and the floor.
func (r *Run) Curves(rows []RowName) []RowName { return r.WithFloor(r.Leaders(rows), rows) }

// WithFloor appends the floor of the structures by ID, if it is in rows.
func (r *Run) WithFloor(to, rows []RowName) []RowName {
	for _, who := range rows {
		if who.Role == results.RoleFloor && r.Program(who.Name) == nil && who.Name != results.IntrusiveFloor {
			to = append(to, who)
		}
	}
	return to
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

// Embedded ranks the structures whose timers are fields of the caller's structs, over the cells with a structure by ID, to: those that
// were measured in all of the cells that have one, the lowest time first.
func Embedded(cells []*stats.Costs, to string) []Merit {
	logs, in, most := make(map[string]float64), make(map[string]int), 0
	for _, c := range cells {
		for _, row := range c.Rows {
			if of := c.Ratio(row, c.Row(to)); row.Role == results.RoleIntrusive && of.OK() {
				logs[row.Structure], in[row.Structure] = logs[row.Structure]+math.Log(of.Center), in[row.Structure]+1
				most = max(most, in[row.Structure])
			}
		}
	}
	var out []Merit
	for name, n := range in {
		if n == most {
			out = append(out, Merit{RowName: RowName{Name: name, Role: results.RoleIntrusive}, Typical: math.Exp(logs[name] / float64(n)), Cells: n, Complete: true})
		}
	}
	slices.SortFunc(out, func(x, y Merit) int { return cmp.Or(cmp.Compare(x.Typical, y.Typical), cmp.Compare(x.Name, y.Name)) })
	return out
}
