package answer

import (
	"cmp"
	"slices"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/stats"
	"github.com/timerbench/timerbench/bench/workload"
	"github.com/timerbench/timerbench/bench/workload/scenario"
	"github.com/timerbench/timerbench/structures/entry"
)

// Run holds the results of a run and what follows from them. It is for one goroutine at a time.
type Run struct {
	*results.Run
	Known Knowledge

	Cells      []*stats.Costs // by workload in the order of the results, then the smallest N first
	Contenders []RowName      // in the order of charts and tables
	Unknown    []string       // the structures that were left out, because this version does not have them

	merits map[string]merit // of structures, see ByMerit
}

// Knowledge is what this version of the program adds to the results.
type Knowledge struct {
	Entries  []entry.Entry // the structures, in the order of the catalog
	Workload func(name string) (workload.Workload, bool)
}

// RowName is the name of a row in the results.
type RowName struct {
	Name string
	Role results.Role
	Of   string // of a control: the structure
}

// IsStructure reports whether the contender is a structure, and not a part of the harness.
func (c RowName) IsStructure() bool { return c.Role == results.RoleStructure }

// Of analyses results with the structures of this version. It leaves out the rows of others.
func Of(r *results.Run, structures []entry.Entry) *Run {
	r, unknown := dropUnknown(r, structures)
	out := With(r, Knowledge{structures, func(name string) (workload.Workload, bool) {
		return scenario.FindIn(r.Parameters.Scenarios, name)
	}})
	out.Unknown = unknown
	return out
}

// With analyses results, which must not change afterwards.
func With(r *results.Run, known Knowledge) *Run {
	out := &Run{Run: r, Known: known}
	order := make(map[string]int) // of the workloads
	for i := range r.Cells {
		c := &r.Cells[i]
		if _, ok := order[c.Workload]; !ok {
			order[c.Workload] = len(order)
		}
		out.Cells = append(out.Cells, stats.CostsOf(r, c))
	}
	slices.SortStableFunc(out.Cells, func(a, b *stats.Costs) int {
		return cmp.Or(order[a.Workload]-order[b.Workload], a.N-b.N)
	})
	out.Contenders = out.contenders()
	return out
}

// contenders returns the structures in the order of the catalog, then the structures that are not in it, then the
// parts of the harness.
func (r *Run) contenders() []RowName {
	var out []RowName
	add := func(c RowName) {
		if !slices.ContainsFunc(out, func(o RowName) bool { return o.Name == c.Name }) {
			out = append(out, c)
		}
	}
	for _, cell := range r.Run.Cells {
		for _, row := range cell.Rows {
			add(RowName{row.Structure, row.Role, row.Of})
		}
	}
	for _, idle := range r.IdleTicks {
		for _, s := range idle.Structures {
			add(RowName{Name: s.Structure, Role: results.RoleStructure})
		}
	}
	for _, calls := range r.Calls {
		add(RowName{Name: calls.Structure, Role: cmp.Or(calls.Role, results.RoleStructure)})
	}
	place := make(map[string]int)
	for i, e := range r.Known.Entries {
		place[e.Name] = i - len(r.Known.Entries) // before all others
	}
	roles := map[results.Role]int{results.RoleControl: 1, results.RoleFloor: 2}
	slices.SortStableFunc(out, func(a, b RowName) int {
		return cmp.Or(roles[a.Role]-roles[b.Role], place[a.Name]-place[b.Name])
	})
	return out
}

// Entry returns the catalog's entry of a structure; ok is false if this version does not know it.
func (r *Run) Entry(name string) (e entry.Entry, ok bool) {
	i := slices.IndexFunc(r.Known.Entries, func(e entry.Entry) bool { return e.Name == name })
	if i < 0 {
		return e, false
	}
	return r.Known.Entries[i], true
}

// Present returns the contenders for which keep reports true, in order.
func (r *Run) Present(keep func(RowName) bool) []RowName {
	return slices.DeleteFunc(slices.Clone(r.Contenders), func(c RowName) bool { return !keep(c) })
}

// Measured returns the contenders with a cost in any of the cells.
func (r *Run) Measured(cells ...*stats.Costs) []RowName {
	return r.Present(func(who RowName) bool {
		return slices.ContainsFunc(cells, func(c *stats.Costs) bool { return c.Row(who.Name).HasCost() })
	})
}

// Workloads returns the workloads of the cells, in the order of the results.
func (r *Run) Workloads() []string {
	var out []string
	for _, c := range r.Cells {
		out = append(out, c.Workload)
	}
	return slices.Compact(out)
}

// CellsOf returns the cells of a workload, the smallest N first.
func (r *Run) CellsOf(workload string) []*stats.Costs {
	return slices.DeleteFunc(slices.Clone(r.Cells), func(c *stats.Costs) bool { return c.Workload != workload })
}

// Largest returns the cell of a workload with the largest N in which has reports true for a row; nil: there is none.
// The last cells of an interrupted run may lack rows.
func (r *Run) Largest(workload string, has func(*results.Row) bool) *stats.Costs {
	for _, c := range slices.Backward(r.Cells) {
		if c.Workload == workload && slices.ContainsFunc(c.Rows, has) {
			return c
		}
	}
	return nil
}

// ClassOf returns the class of a cell. A scenario file counts as a model of a program, and an unknown category as a pattern.
func ClassOf(c *stats.Costs) workload.Category {
	switch class := workload.Category(c.Category); class {
	case workload.Custom:
		return workload.Program
	case workload.Recorded, workload.Program, workload.Grid:
		return class
	}
	return workload.Synthetic
}

// dropUnknown returns r without the structures that are not in the catalog, such as those that a later version removed, and
// their names in order. A sentence or a rank would send the reader to a package that does not exist. r does not change.
func dropUnknown(r *results.Run, entries []entry.Entry) (*results.Run, []string) {
	var names []string
	unknown := func(name string, role results.Role) bool {
		out := cmp.Or(role, results.RoleStructure) == results.RoleStructure && r.Program(name) == nil &&
			!slices.ContainsFunc(entries, func(e entry.Entry) bool { return e.Name == name }) ||
			role == results.RoleIntrusive && !slices.Contains(entry.InStructs[:], name)
		if out {
			names = append(names, name)
		}
		return out
	}
	out := *r
	out.Cells = slices.Clone(r.Cells)
	for i, c := range out.Cells {
		out.Cells[i].Rows = slices.DeleteFunc(slices.Clone(c.Rows), func(row results.Row) bool {
			return row.Role == results.RoleControl && unknown(row.Of, results.RoleStructure) || unknown(row.Structure, row.Role)
		})
	}
	out.IdleTicks = slices.Clone(r.IdleTicks)
	for i, of := range out.IdleTicks {
		out.IdleTicks[i].Structures = slices.DeleteFunc(slices.Clone(of.Structures), func(s results.IdleTickOf) bool { return unknown(s.Structure, "") })
	}
	out.Calls = slices.DeleteFunc(slices.Clone(r.Calls), func(c results.Calls) bool { return unknown(c.Structure, c.Role) })
	slices.Sort(names)
	names = slices.Compact(names)
	out.Memory = slices.DeleteFunc(slices.Clone(r.Memory), func(m results.Memory) bool { return slices.Contains(names, m.Structure) })
	if names == nil {
		return r, nil
	}
	return &out, names
}

// Checked sums up the A/A comparisons of a run, which test its intervals.
type Checked struct {
	Controls int     // A/A comparisons with an interval
	Differ   int     // comparisons whose interval does not hold 1
	P        float64 // probability of at least Differ differences by chance
}

// Fails reports whether more controls differ than chance allows: the intervals of the run are too narrow.
func (c Checked) Fails() bool { return c.P < 0.01 }

// Checked checks the intervals of the run by its controls.
func (r *Run) Checked() Checked {
	var out Checked
	for _, c := range r.Cells {
		for _, row := range c.Controls {
			ratio := c.Control(row)
			if ratio.Bounded() {
				out.Controls++
			}
			if ratio.Differs() {
				out.Differ++
			}
		}
	}
	out.P = stats.ByChance(out.Differ, out.Controls)
	return out
}
