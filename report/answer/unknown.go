package answer

import (
	"cmp"
	"slices"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/structures/entry"
)

// dropUnknown returns r without the structures that are not in the catalog, such as those that a later version removed, and
// their names in order. A sentence or a rank would send the reader to a package that does not exist. r does not change.
func dropUnknown(r *results.Run, entries []entry.Entry) (*results.Run, []string) {
	var names []string
	unknown := func(name string, role results.Role) bool {
		out := cmp.Or(role, results.RoleStructure) == results.RoleStructure && r.Program(name) == nil &&
			!slices.ContainsFunc(entries, func(e entry.Entry) bool { return e.Name == name })
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
	out.Idle = slices.DeleteFunc(slices.Clone(r.Idle), func(i results.Idle) bool { return unknown(i.Structure, "") })
	out.Calls = slices.DeleteFunc(slices.Clone(r.Calls), func(c results.Calls) bool { return unknown(c.Structure, c.Role) })
	slices.Sort(names)
	names = slices.Compact(names)
	out.Memory = slices.DeleteFunc(slices.Clone(r.Memory), func(m results.Memory) bool { return slices.Contains(names, m.Structure) })
	if names == nil {
		return r, nil
	}
	return &out, names
}
