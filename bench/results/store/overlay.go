package store

import (
	"maps"
	"slices"

	"github.com/timerbench/timerbench/bench/results"
)

// WithCells returns a copy of r with the cells of part, a run of fewer workloads or sizes. A cell of part replaces
// the cell of the same workload and size, or is added. WithCells ignores a cell that lacks a structure of the cell in
// r or has an older definition, and all cells if part lacks a structure of r. taken are the cells that it used. Neither run changes.
func WithCells(r, part *results.Run) (out *results.Run, taken []results.Cell) {
	lacks := func(list, of []string) bool {
		return slices.ContainsFunc(of, func(name string) bool { return !slices.Contains(list, name) })
	}
	if lacks(part.Parameters.Structures, r.Parameters.Structures) {
		return r, nil
	}
	whole := *r
	whole.Cells = slices.Clone(r.Cells)
	for _, c := range part.Cells {
		old := whole.Cell(c.Workload, c.N)
		switch {
		case old == nil:
			whole.Cells = append(whole.Cells, c)
		case lacks(c.Structures(), old.Structures()), c.Definition < old.Definition:
			continue
		default:
			*old = c
		}
		taken = append(taken, c)
	}
	p := &whole.Parameters
	p.Traces = both(p.Traces, part.Parameters.Traces)
	p.Scenarios = both(p.Scenarios, part.Parameters.Scenarios)
	return &whole, taken
}

func both[V any](a, b map[string]V) map[string]V {
	out := make(map[string]V)
	maps.Copy(out, a)
	maps.Copy(out, b)
	return out
}
