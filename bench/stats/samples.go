package stats

import "github.com/timerbench/timerbench/bench/results"

// Samples returns the usable trials as costs per unit, in nanoseconds.
func Samples(trials []results.Trial) []Sample {
	var out []Sample
	for _, t := range trials {
		if t.Usable() {
			out = append(out, Sample{
				Layout: t.Layout, Instance: t.Instance, Round: t.Round, Value: t.NS / t.Units,
			})
		}
	}
	return out
}
