package compare

import (
	"maps"
	"math"
	"slices"

	"github.com/timerbench/timerbench/bench/stats"
)

// inSession condenses the samples of both sides of a session to one per instance. Only rounds of both sides count.
func inSession(old, new []stats.Sample, repeat int) (a, b []stats.Sample) {
	return condense(old, roundsOf(new), repeat), condense(new, roundsOf(old), repeat)
}

func roundsOf(samples []stats.Sample) map[int]bool {
	rounds := make(map[int]bool, len(samples))
	for _, s := range samples {
		rounds[s.Round] = s.Value > 0
	}
	return rounds
}

// condense returns one sample per instance: the geometric mean over its operations. Rounds with the same operations are
// repetitions; repeat is [results.Parameters].Repeat. Only the fastest quarter of the repetitions counts, because a
// disturbance slows a program down and never speeds it up. Only the given rounds count.
func condense(samples []stats.Sample, in map[int]bool, repeat int) []stats.Sample {
	var out []stats.Sample
	logs := make(map[int]map[int][]float64) // log times of the repetitions, by instance and operations
	for _, s := range samples {
		if !in[s.Round] || s.Value <= 0 {
			continue
		}
		if logs[s.Instance] == nil {
			logs[s.Instance] = make(map[int][]float64)
			out = append(out, stats.Sample{Layout: s.Layout, Instance: s.Instance, Round: s.Instance})
		}
		operations := s.Round
		if repeat > 0 {
			operations %= repeat
		}
		logs[s.Instance][operations] = append(logs[s.Instance][operations], math.Log(s.Value))
	}
	for i := range out {
		of := logs[out[i].Instance]
		sum := 0.0
		for _, operations := range slices.Sorted(maps.Keys(of)) { // fixed order: the sum of floats depends on it
			repetitions := of[operations]
			slices.Sort(repetitions)
			fastest := repetitions[:(len(repetitions)+3)/4]
			for _, log := range fastest {
				sum += log / float64(len(fastest))
			}
		}
		out[i].Value = math.Exp(sum / float64(len(of)))
	}
	return out
}

// inCommon returns the number of rounds in both a and b.
func inCommon(a, b []stats.Sample) int {
	return stats.Ratio(a, b).Rounds
}
