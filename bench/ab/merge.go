package ab

import "github.com/timerbench/timerbench/bench/results"

// roundsPerRun is more than the rounds of any run: rounds of the pair p begin at p times
// this number. It is a multiple of [ages].
const roundsPerRun = ages << 20

// merge returns the results of the runs of one side as those of one run. The trials of
// run p have instance p and its layout, so that each pair of runs is a unit of variation.
// Latency curves cannot be merged and are left out.
func merge(runs []*results.Run, session string, layouts int) *results.Run {
	out := results.Concat(runs, func(pair int, t *results.Trial) {
		t.Layout, t.Instance = 0, pair
		if layouts > 1 {
			t.Layout = 1 + pair%layouts
		}
		t.Round += pair * roundsPerRun
	})
	out.Parameters.Session, out.Parameters.Repeat = session, ages
	out.Parameters.Trials *= len(runs)
	if layouts > 1 {
		out.Parameters.Layouts = layouts
	}
	for _, c := range out.Cells {
		for i := range c.Rows {
			c.Rows[i].Latency = nil
		}
	}
	return out
}
