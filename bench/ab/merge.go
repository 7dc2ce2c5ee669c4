package ab

import (
	"slices"

	"github.com/timerbench/timerbench/bench/results"
)

// roundsPerRun is more than the rounds of any run: rounds of the pair p begin at p times
// this number. It is a multiple of [ages].
const roundsPerRun = ages << 20

// merge returns the results of the runs of one side as those of one run. The trials of
// run p have instance p and its layout, so that each pair of runs is a unit of variation.
// Latency curves cannot be merged and are left out.
func merge(runs []*results.Run, session string, layouts int) *results.Run {
	out := *runs[0]
	out.Parameters.Session = session
	if layouts > 1 {
		out.Parameters.Layouts = layouts
	}
	out.Parameters.Repeat = ages
	out.Parameters.Trials *= len(runs)
	out.Cells, out.Failures = nil, nil
	for pair, r := range runs {
		for _, f := range r.Failures {
			if !slices.Contains(out.Failures, f) {
				out.Failures = append(out.Failures, f)
			}
		}
		for _, c := range r.Cells {
			into := cellIn(&out, c)
			for _, row := range c.Rows {
				to := rowIn(into, row)
				to.Cost = append(to.Cost, placed(row.Cost, pair, layouts)...)
				to.ByKind = append(to.ByKind, placed(row.ByKind, pair, layouts)...)
				to.WithGC = append(to.WithGC, placed(row.WithGC, pair, layouts)...)
			}
		}
	}
	return &out
}

// cellIn returns the cell of r that is the same as c, added if there is none, with the
// rows still to be added.
func cellIn(r *results.Run, c results.Cell) *results.Cell {
	i := slices.IndexFunc(r.Cells, func(have results.Cell) bool { return have.Workload == c.Workload && have.N == c.N })
	if i < 0 {
		i = len(r.Cells)
		c.Rows = nil
		r.Cells = append(r.Cells, c)
	}
	return &r.Cells[i]
}

// rowIn returns the row of c that is the same as row, added without trials if there is
// none.
func rowIn(c *results.Cell, row results.Row) *results.Row {
	i := slices.IndexFunc(c.Rows, func(have results.Row) bool {
		return have.Structure == row.Structure && have.Role == row.Role
	})
	if i < 0 {
		i = len(c.Rows)
		row.Cost, row.ByKind, row.WithGC, row.Latency, row.Counters = nil, nil, nil, nil, nil
		c.Rows = append(c.Rows, row)
	}
	return &c.Rows[i]
}

// placed returns trials with the layout, the instance and the rounds of a pair.
func placed(trials []results.Trial, pair, layouts int) []results.Trial {
	out := slices.Clone(trials)
	for i := range out {
		out[i].Layout, out[i].Instance = 0, pair
		if layouts > 1 {
			out[i].Layout = 1 + pair%layouts
		}
		out[i].Round += pair * roundsPerRun
	}
	return out
}
