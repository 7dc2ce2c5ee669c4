package analysis

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/structures/entry"
)

// Merit is how a structure does over several cells.
type Merit struct {
	Contender
	Typical  float64 // multiple of the fastest: the geometric mean over the cells with a cost of it
	Worst    float64 // the largest multiple
	Cells    int     // in which it was measured
	Complete bool    // it was measured in every cell
}

// Merits returns those that keep accepts, by their typical multiple: those that are complete first,
// since the others may have been left out where they do worst.
func (r *Run) Merits(cells []*Cell, keep func(Contender) bool) []Merit {
	var out []Merit
	for _, who := range r.Present(keep) {
		m := Merit{Contender: who}
		logs := 0.0
		for _, c := range cells {
			if to := c.Row(who.Name).ToBest(); to.Pairs > 0 {
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
		if a.Complete != b.Complete {
			return map[bool]int{true: -1, false: 1}[a.Complete]
		}
		return cmp.Compare(a.Typical, b.Typical)
	})
	return out
}

// AnswerCells are the cells that stand for the workloads, class by class: of each workload, those
// in which at least nine in ten structures took part of those that did in any, and of these the
// largest one up to [results.TypicalN], or if there is none, the smallest one.
func (r *Run) AnswerCells() []*Cell {
	var out []*Cell
	for _, class := range Classes {
		for _, of := range r.InClass(class) {
			cells, most := r.CellsOf(of.Workload), 0
			for _, c := range cells {
				most = max(most, c.Structures())
			}
			var best *Cell
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

// ByMerit orders contenders by their merit over the cells that stand for the workloads. Those
// without any keep their order, after the others.
func (r *Run) ByMerit(rows []Contender) []Contender {
	if r.places == nil {
		r.places = make(map[string]int)
		for i, m := range r.Merits(r.AnswerCells(), Contender.IsStructure) {
			r.places[m.Name] = i - len(r.Contenders) // before all others
		}
	}
	out := slices.Clone(rows)
	slices.SortStableFunc(out, func(a, b Contender) int { return r.places[a.Name] - r.places[b.Name] })
	return out
}

// perFamily is how many structures of each family charts of curves show (chosen: more than
// eight curves cannot be told apart).
const perFamily = 2

// Leaders returns the structures that charts of curves show, of those given: the best of each
// family over all workloads.
func (r *Run) Leaders(rows []Contender) []Contender {
	count := make(map[entry.Family]int)
	return slices.DeleteFunc(r.ByMerit(rows), func(who Contender) bool {
		e, _ := r.Entry(who.Name) // those that are not known are a family
		if !who.IsStructure() || count[e.Family] == perFamily {
			return true
		}
		count[e.Family]++
		return false
	})
}

// Curves returns what a chart of curves shows of contenders: the leaders, and what is no
// structure, but for controls.
func (r *Run) Curves(rows []Contender) []Contender {
	out := r.Leaders(rows)
	for _, who := range rows {
		if who.Role == results.RoleFloor && r.Program(who.Name) == nil || who.Role == results.RoleBaseline {
			out = append(out, who)
		}
	}
	return out
}

// ChoiceNote says which structures a chart of curves shows of those that it could show.
func (r *Run) ChoiceNote(rows []Contender) string {
	left := -len(r.Leaders(rows))
	for _, who := range rows {
		if who.IsStructure() {
			left++
		}
	}
	if left == 0 {
		return ""
	}
	return fmt.Sprintf("Shown are the two best of each family over all workloads; "+
		"the other %d are in the tables.", left)
}
