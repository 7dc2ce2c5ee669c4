package results

import "github.com/timerbench/timerbench/bench/stats"

// Samples returns the usable trials as costs per unit, in nanoseconds.
func Samples(trials []Trial) []stats.Sample {
	var out []stats.Sample
	for _, t := range trials {
		if t.usable() {
			out = append(out, stats.Sample{
				Layout: t.Layout, Instance: t.Instance, Round: t.Round, Value: t.NS / t.Units,
			})
		}
	}
	return out
}

func (t Trial) usable() bool { return t.Units > 0 && t.NS > 0 }
