package compare

import (
	"golang.org/x/perf/benchmath"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/bench/stats"
)

// samples returns the costs of a row in ns: of a unit of the cell if op is its name,
// otherwise of an operation of that kind.
func samples(row results.Row, unit script.Unit, op string) []stats.Sample {
	var out []stats.Sample
	add := func(t results.Trial, ns, count float64) {
		if count > 0 {
			out = append(out, stats.Sample{Layout: t.Layout, Instance: t.Instance, Round: t.Round, Value: ns / count})
		}
	}
	if op == string(unit) {
		for _, t := range row.Cost {
			add(t, t.NS, t.Units)
		}
		return out
	}
	for _, t := range row.ByKind {
		for _, k := range t.Kinds {
			if k.Kind.String() == op {
				add(t, k.NS, float64(k.Count))
			}
		}
	}
	return out
}

// median returns the median as benchstat has it.
func median(samples []stats.Sample) float64 {
	values := make([]float64, len(samples))
	for i, s := range samples {
		values[i] = s.Value
	}
	return benchmath.AssumeNothing.Summary(benchmath.NewSample(values, &benchmath.DefaultThresholds), stats.DefaultConfidence).Center
}

// ratios returns the ratios of new to old in the rounds that both have.
func ratios(old, new []stats.Sample) []stats.Sample {
	byRound := make(map[int]float64, len(old))
	for _, s := range old {
		byRound[s.Round] = s.Value
	}
	var out []stats.Sample
	for _, s := range new {
		if before, ok := byRound[s.Round]; ok {
			s.Value /= before
			out = append(out, s)
		}
	}
	return out
}
