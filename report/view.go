package report

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/bench/workload"
	"github.com/timerbench/timerbench/internal/show"
	"github.com/timerbench/timerbench/report/internal/draw"
	"github.com/timerbench/timerbench/report/internal/rank"
	"github.com/timerbench/timerbench/structures/catalog"
)

// contender is one row name of the results.
type contender struct {
	name string
	role results.Role
	of   string
}

// view is the results in the order in which charts and tables show them.
type view struct {
	r     *results.Run
	known knowledge
	rows  []contender
	looks map[string]draw.Look

	ranked   *rank.Run
	analysed map[*results.Row]*analysis // by the first row of the cell
	places   map[string]int             // of structures in the order of their merit, see byMerit
}

// knowledge is what this version knows besides the results.
type knowledge struct {
	structures []structure // of the catalog, in its order
	workload   func(name string) (workload.Workload, bool)
	entries    []catalog.Entry // of which the report shows how they work
}

// structure is what a chart needs to know of an entry of the catalog.
type structure struct {
	name   string
	family catalog.Family
}

func catalogStructures() []structure {
	var out []structure
	for _, e := range catalog.All() {
		out = append(out, structure{e.Name, e.Family})
	}
	return out
}

// newView orders the contenders: structures as in the catalog, then those that
// it does not know, then what the harness adds.
func newView(r *results.Run, known knowledge) *view {
	v := &view{r: r, known: known}
	seen := make(map[string]bool)
	add := func(c contender) {
		if !seen[c.name] {
			seen[c.name] = true
			v.rows = append(v.rows, c)
		}
	}
	for _, cell := range r.Cells {
		for _, row := range cell.Rows {
			add(contender{row.Structure, row.Role, row.Of})
		}
	}
	for _, idle := range r.Idle {
		add(contender{idle.Structure, results.RoleStructure, ""})
	}
	for _, calls := range r.Calls {
		add(contender{calls.Structure, results.RoleStructure, ""})
	}
	place := make(map[string]int)
	for i, s := range known.structures {
		place[s.name] = i - len(known.structures) // before all others
	}
	roles := map[results.Role]int{results.RoleBaseline: 1, results.RoleControl: 2, results.RoleFloor: 3}
	slices.SortStableFunc(v.rows, func(a, b contender) int {
		return cmp.Or(roles[a.role]-roles[b.role], place[a.name]-place[b.name])
	})
	v.looks = looks(known.structures, v.rows)
	return v
}

// present returns the contenders that keep accepts, in order.
func (v *view) present(keep func(contender) bool) []contender {
	var out []contender
	for _, c := range v.rows {
		if keep(c) {
			out = append(out, c)
		}
	}
	return out
}

func (v *view) looksOf(rows []contender) []draw.Look {
	out := make([]draw.Look, len(rows))
	for i, c := range rows {
		out[i] = v.looks[c.name]
	}
	return out
}

// shown is the name on charts: readers cannot know what the floor is called.
func (c contender) shown() string {
	if c.role == results.RoleFloor {
		return c.name + " (floor)"
	}
	return c.name
}

// keys is a legend of contenders.
func (v *view) keys(rows []contender, line bool) []draw.Key {
	out := make([]draw.Key, len(rows))
	for i, c := range rows {
		out[i] = draw.Key{Text: c.shown(), Look: v.looks[c.name], Line: line, Radius: 3}
	}
	return out
}

// workloads in the order of the results.
func (v *view) workloads() []string {
	var out []string
	for _, c := range v.r.Cells {
		if !slices.Contains(out, c.Workload) {
			out = append(out, c.Workload)
		}
	}
	return out
}

// cells returns those of a workload, smallest N first.
func (v *view) cells(workload string) []results.Cell {
	var out []results.Cell
	for _, c := range v.r.Cells {
		if c.Workload == workload {
			out = append(out, c)
		}
	}
	slices.SortStableFunc(out, func(a, b results.Cell) int { return a.N - b.N })
	return out
}

// largest returns the cell of a workload with the largest N that holds a cost.
func (v *view) largest(workload string) (results.Cell, bool) { return v.largestWith(workload, hasCost) }

// largestWith returns the cell with the largest N that has a row with the data
// asked for: the last cells of an interrupted run may have none.
func (v *view) largestWith(workload string, has func(results.Row) bool) (results.Cell, bool) {
	for _, c := range slices.Backward(v.cells(workload)) {
		if slices.ContainsFunc(c.Rows, has) {
			return c, true
		}
	}
	return results.Cell{}, false
}

// largestWithNearlyAll returns the cell of a workload with the largest N among those in which
// at least nine in ten structures took part of those that did in any.
func (v *view) largestWithNearlyAll(workload string) (results.Cell, bool) {
	cells := v.cells(workload)
	most := 0
	for _, c := range cells {
		most = max(most, structuresIn(c))
	}
	for _, c := range slices.Backward(cells) {
		if n := structuresIn(c); n > 0 && 10*n >= 9*most {
			return c, true
		}
	}
	return results.Cell{}, false
}

func hasCost(r results.Row) bool { return len(costSamples(r)) > 0 }

// structuresIn counts the structures that have a cost in a cell.
func structuresIn(c results.Cell) int {
	n := 0
	for _, r := range c.Rows {
		if r.Role == results.RoleStructure && hasCost(r) {
			n++
		}
	}
	return n
}

func hasLatency(r results.Row) bool {
	return slices.ContainsFunc(r.Latency, func(l results.Latency) bool { return l.Samples > 0 })
}

func hasKinds(r results.Row) bool {
	return slices.ContainsFunc(r.ByKind, func(t results.Trial) bool { return len(t.Kinds) > 0 })
}

// unitOf is what the cost of a cell is counted per. Older results leave it out for
// the lifecycle of a timer.
func unitOf(c results.Cell) script.Unit { return cmp.Or(c.Unit, script.PerLifecycle) }

// perUnit says what the cost of a cell is counted per, where that is not the
// lifecycle of a timer.
func perUnit(c results.Cell) string {
	if unitOf(c) == script.PerLifecycle {
		return ""
	}
	return fmt.Sprintf(" (per %s)", c.Unit)
}

// cellTitle names a cell, and its unit if that is not the lifecycle.
func cellTitle(c results.Cell) string {
	return fmt.Sprintf("%s, N = %s%s", c.Workload, show.Short(float64(c.N)), perUnit(c))
}

// cellName names a cell in attributes of charts.
func cellName(c results.Cell) string { return c.Workload + " " + show.Short(float64(c.N)) }

// rowOf finds a contender in a cell.
func rowOf(c results.Cell, name string) (results.Row, bool) {
	for _, r := range c.Rows {
		if r.Structure == name {
			return r, true
		}
	}
	return results.Row{}, false
}
