package compare

import (
	"slices"

	"github.com/timerbench/timerbench/bench/results"
)

// roundsPerRun is larger than the number of rounds of any run. The rounds of pair p start
// at p*roundsPerRun. It is a multiple of [Ages].
const roundsPerRun = Ages << 20

// merge joins the results of the runs of one side into one run. It takes the first run and appends the trials of the
// others row by row. The trials of run p get instance p, so that each pair of runs is a unit
// of variation. merge drops the latency curves, which cannot be merged. It changes no run.
func merge(runs []*results.Run, session string, layouts int) *results.Run {
	out := *runs[0]
	out.Cells, out.Failures, out.Seconds = []results.Cell{}, nil, 0
	for pair, r := range runs {
		out.Seconds += r.Seconds
		out.Complete = out.Complete && r.Complete
		for _, f := range r.Failures {
			if !slices.Contains(out.Failures, f) {
				out.Failures = append(out.Failures, f)
			}
		}
		for _, c := range r.Cells {
			into := out.Cell(c.Workload, c.N)
			if into == nil {
				out.Cells = append(out.Cells, c)
				into = &out.Cells[len(out.Cells)-1]
				into.Rows = nil
			}
			for _, row := range c.Rows {
				appendRow(into, row, pair)
			}
		}
	}
	out.Parameters.Session, out.Parameters.Repeat = session, Ages
	out.Parameters.Trials *= len(runs)
	if layouts > 1 {
		out.Parameters.Layouts = layouts
	}
	return &out
}

// appendRow appends the trials of a row to the row of the same structure in c.
func appendRow(c *results.Cell, row results.Row, pair int) {
	to := c.Row(row.Structure)
	if to == nil {
		c.Rows = append(c.Rows, row)
		to = &c.Rows[len(c.Rows)-1]
		to.Cost, to.ByKind, to.Latency = nil, nil, nil
	}
	place := func(trials []results.Trial) []results.Trial {
		trials = slices.Clone(trials)
		for i := range trials {
			trials[i].Instance = pair
			trials[i].Round += pair * roundsPerRun
		}
		return trials
	}
	to.Cost = append(to.Cost, place(row.Cost)...)
	to.ByKind = append(to.ByKind, place(row.ByKind)...)
}
