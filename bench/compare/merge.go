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
				to := into.Row(row.Structure)
				if to == nil {
					into.Rows = append(into.Rows, row)
					to = &into.Rows[len(into.Rows)-1]
					to.Cost, to.ByKind, to.Latency = nil, nil, nil
				}
				to.Cost = append(to.Cost, placed(row.Cost, pair)...)
				to.ByKind = append(to.ByKind, placed(row.ByKind, pair)...)
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

// placed returns trials with the instance and the rounds of a pair.
func placed(trials []results.Trial, pair int) []results.Trial {
	trials = slices.Clone(trials)
	for i := range trials {
		trials[i].Instance = pair
		trials[i].Round += pair * roundsPerRun
	}
	return trials
}
