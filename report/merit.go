package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/structures/catalog"
)

// merit is how a structure does over several cells.
type merit struct {
	contender
	typical  float64 // multiple of the fastest: the geometric mean over the cells in which it was measured
	worst    float64 // the largest multiple
	cells    int     // in which it was measured
	complete bool    // it was measured in every cell
}

// merits returns those that keep accepts, by their typical multiple: those that are complete
// first, since the others may have been left out where they do worst.
func (v *view) merits(cells []results.Cell, keep func(contender) bool) []merit {
	var out []merit
	for _, who := range v.present(keep) {
		m := merit{contender: who}
		logs := 0.0
		for _, c := range cells {
			row, _ := rowOf(c, who.name)
			if r := v.analysis(c).toBest(c, row); r.Pairs > 0 {
				logs += math.Log(r.Center)
				m.cells++
				m.worst = max(m.worst, r.Center)
			}
		}
		if m.cells == 0 {
			continue
		}
		m.typical, m.complete = math.Exp(logs/float64(m.cells)), m.cells == len(cells)
		out = append(out, m)
	}
	slices.SortStableFunc(out, func(a, b merit) int {
		return cmp.Or(order(b.complete)-order(a.complete), cmp.Compare(a.typical, b.typical))
	})
	return out
}

func order(b bool) int {
	if b {
		return 1
	}
	return 0
}

func isStructure(who contender) bool { return who.role == results.RoleStructure }

// classes in the order of charts.
var classes = []class{ofPrograms, ofGrid, synthetic}

// answerCells are the cells that stand for the workloads, class by class: of each workload the one
// with the largest N at which nearly all structures took part.
func (v *view) answerCells() []results.Cell {
	var out []results.Cell
	for _, class := range classes {
		for _, w := range v.ofClass(class) {
			if c, _ := v.largestWithNearlyAll(w); structuresIn(c) > 0 {
				out = append(out, c)
			}
		}
	}
	return out
}

// byMerit orders contenders by their merit over the cells that stand for the workloads. Those
// without any keep their order, after the others.
func (v *view) byMerit(rows []contender) []contender {
	if v.places == nil {
		v.places = make(map[string]int)
		for i, m := range v.merits(v.answerCells(), isStructure) {
			v.places[m.name] = i - len(v.rows) // before all others
		}
	}
	out := slices.Clone(rows)
	slices.SortStableFunc(out, func(a, b contender) int { return v.places[a.name] - v.places[b.name] })
	return out
}

// perFamily is how many structures of each family charts of curves show (chosen: more than
// eight curves cannot be told apart).
const perFamily = 2

// leaders returns the structures that charts of curves show, of those given: the best of each
// family over all workloads.
func (v *view) leaders(rows []contender) []contender {
	count := make(map[catalog.Family]int)
	return slices.DeleteFunc(v.byMerit(rows), func(who contender) bool {
		f := v.family(who.name)
		if !isStructure(who) || count[f] == perFamily {
			return true
		}
		count[f]++
		return false
	})
}

// curves returns what a chart of curves shows of contenders: the leaders, and what is no
// structure, but for controls.
func (v *view) curves(rows []contender) []contender {
	out := v.leaders(rows)
	for _, who := range rows {
		if who.role == results.RoleFloor || who.role == results.RoleBaseline {
			out = append(out, who)
		}
	}
	return out
}

// choiceNote says which structures a chart of curves shows of those that it could show.
func (v *view) choiceNote(rows []contender) string {
	left := len(slices.DeleteFunc(slices.Clone(rows), func(who contender) bool { return !isStructure(who) })) - len(v.leaders(rows))
	if left == 0 {
		return ""
	}
	return fmt.Sprintf("Shown are the two best of each family over all workloads; the other %d are in the tables.", left)
}

// family is that of a structure; empty: it is not known.
func (v *view) family(name string) catalog.Family {
	for _, s := range v.known.structures {
		if s.name == name {
			return s.family
		}
	}
	return others
}
