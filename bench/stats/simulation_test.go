package stats_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/timerbench/timerbench/bench/stats"
	"github.com/timerbench/timerbench/internal/longtest"
)

// most returns the largest number of wrong answers among n that is plausible if their
// probability is p: the mean and 2.3 standard deviations.
func most(n int, p float64) int { return int(float64(n)*p + 2.3*math.Sqrt(float64(n)*p*(1-p))) }

// race lets the contenders of a cell have passes of two rounds until nobody continues, and returns
// the ratios to the best.
func race(cell [][]stats.Sample) []stats.Ratio {
	seen, decisions := make([][]stats.Sample, len(cell)), make([]stats.Decision, len(cell))
	for pass := 0; pass < len(cell[0])/2 && slices.Contains(decisions, stats.Continue); pass++ {
		for i, samples := range cell {
			if decisions[i] == stats.Continue {
				seen[i] = append(seen[i], samples[2*pass:2*pass+2]...)
			}
		}
		if pass+1 >= stats.FirstLook {
			decisions = stats.Race(seen, stats.Options{})
		}
	}
	return stats.Best(seen, stats.Options{Looks: stats.RaceLooks})
}

// The family-wise error of a race, whose rules look at the data many times, is at most 5 %; it
// finds differences of 10 % and, with more passes, of 5 %.
func TestRacesFindDifferencesAndSeldomOtherOnes(t *testing.T) {
	t.Parallel()
	rough := weather{instances: [2]float64{0.03, 0.05}, rounds: 0.03, spikes: true}
	calm := weather{instances: [2]float64{0.02, 0.03}, rounds: 0.02, spikes: true}
	for _, test := range []struct {
		weather
		contenders, passes int
		effect             float64
		least              float64 // share in which a difference is called, of contenders
		most               float64 // of cells
		runs               int
	}{
		{rough, 6, 8, 0, 0, 0.05, longtest.Scale(t, 3, 8, 500)},
		{calm, 4, 8, 0, 0, 0.05, longtest.Scale(t, 3, 8, 500)},
		{rough, 2, 8, 0, 0, 0.05, longtest.Scale(t, 5, 15, 500)},
		{rough, 20, 8, 0, 0, 0.05, longtest.Scale(t, 1, 1, 100)},
		{rough, 4, 10, 0.10, 0.9, 1, longtest.Scale(t, 2, 3, 40)},
		{rough, 12, 12, 0.10, 0.9, 1, longtest.Scale(t, 2, 3, 40)},
		{rough, 4, 24, 0.05, 0.6, 1, longtest.Scale(t, 2, 3, 40)},
		{calm, 4, 12, 0.05, 0.7, 1, longtest.Scale(t, 2, 3, 40)},
	} {
		t.Run(fmt.Sprintf("%d contenders, %d passes, %g", test.contenders, test.passes, test.effect), func(t *testing.T) {
			t.Parallel()
			logs := slices.Repeat([]float64{test.effect}, test.contenders)
			logs[0] = 0
			var cells, called share
			for seed := range uint64(test.runs) {
				for _, cell := range test.run(plan{test.passes, 2}, seed, logs...) {
					differs := false
					for i, r := range race(cell[:test.contenders]) {
						differs = differs || r.Standing() == stats.Worse
						if i > 0 {
							called.add(r.Standing() == stats.Worse)
						}
					}
					cells.add(differs)
				}
			}
			t.Logf("called in %.1f %% of the cells, of %.1f %% of the contenders", cells.percent(), called.percent())
			missed := cells.all - cells.all*called.so/called.all // the contenders of a cell share its noise
			if cells.so > most(cells.all, test.most) || missed > most(cells.all, 1-test.least) {
				t.Errorf("called in %d of %d cells, of %.0f %% of the contenders", cells.so, cells.all, called.percent())
			}
		})
	}
}
