package results

import "slices"

// first returns the first of a list that is wanted; nil: none is.
func first[T any](list []T, wanted func(*T) bool) *T {
	for i := range list {
		if wanted(&list[i]) {
			return &list[i]
		}
	}
	return nil
}

// Cell finds a cell. It returns nil if there is none.
func (r *Run) Cell(workload string, n int) *Cell {
	return first(r.Cells, func(c *Cell) bool { return c.Workload == workload && c.N == n })
}

// Program finds a program of another language; nil: none has that name.
func (r *Run) Program(name string) *External {
	return first(r.External, func(e *External) bool { return e.Name == name })
}

// Redefined returns the cells whose operations are not those of the current version of their workload, which version returns.
// A version of 0 is not known, and matches any cell. A cell that was not read from a file may lack a definition, and matches too.
func (r *Run) Redefined(version func(workload string) int) []Cell {
	return slices.DeleteFunc(slices.Clone(r.Cells), func(c Cell) bool {
		v := version(c.Workload)
		return v == 0 || c.Definition == 0 || v == c.Definition
	})
}

// Row finds a contender; nil: it is not in the cell.
func (c *Cell) Row(name string) *Row {
	return first(c.Rows, func(r *Row) bool { return r.Structure == name })
}

// Of returns the first row with a role; nil: there is none.
func (c *Cell) Of(role Role) *Row { return first(c.Rows, func(r *Row) bool { return r.Role == role }) }

// HasCost reports whether the row has a usable trial. A nil row has none.
func (r *Row) HasCost() bool {
	return r != nil && slices.ContainsFunc(r.Cost, Trial.Usable)
}

// Allocations returns the objects and bytes allocated in one unit, over all trials together.
func (r *Row) Allocations() (objects, bytes float64) {
	if r == nil {
		return 0, 0
	}
	var units float64
	for _, t := range r.Cost {
		objects += float64(t.Allocs)
		bytes += float64(t.AllocBytes)
		units += t.Units
	}
	if units <= 0 {
		return 0, 0
	}
	return objects / units, bytes / units
}

// Intrusive reports whether the timers of the row are fields of the caller's structs, even if [Run.Among] made it a structure.
func (r *Row) Intrusive() bool { return r.Role == RoleIntrusive || r.inStruct }

// Names returns the names of rows in order.
func Names(list []*Row) []string {
	var out []string
	for _, r := range list {
		out = append(out, r.Structure)
	}
	return out
}

// Usable reports whether the trial took time and has units.
func (t Trial) Usable() bool { return t.Units > 0 && t.NS > 0 }

// Among returns a copy of r in which the rows of some roles are structures, so that they are ranked
// among the structures. r does not change.
func (r *Run) Among(roles ...Role) *Run {
	out := *r
	out.Cells = slices.Clone(r.Cells)
	for i, c := range out.Cells {
		c.Rows = slices.Clone(c.Rows)
		for j, row := range c.Rows {
			if slices.Contains(roles, row.Role) {
				c.Rows[j].Role, c.Rows[j].inStruct = RoleStructure, row.Intrusive()
			}
		}
		out.Cells[i] = c
	}
	return &out
}

// Structures returns the names of the structures in the cell.
func (c Cell) Structures() []string {
	var out []string
	for _, row := range c.Rows {
		if row.Role == RoleStructure {
			out = append(out, row.Structure)
		}
	}
	return out
}
