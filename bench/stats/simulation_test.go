package stats_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/timerbench/timerbench/bench/stats"
	"github.com/timerbench/timerbench/internal/longtest"
)

// most returns the largest number of wrong answers among n that is plausible if their
// probability is p: the mean and 2.3 standard deviations.
func most(n int, p float64) int { return int(float64(n)*p + 2.3*math.Sqrt(float64(n)*p*(1-p))) }

// calledDifferent counts the cells of equal contenders in which one is called worse.
func calledDifferent(cells int, ratios func(seed uint64) []stats.Ratio) int {
	wrong := 0
	for seed := range uint64(cells) {
		for _, r := range ratios(seed) {
			if r.Standing() == stats.Worse {
				wrong++
				break
			}
		}
	}
	return wrong
}

// The family-wise error of a race, whose rules look at the data many times, is at most 5 %.
func TestARaceOfEqualContendersSeldomCallsADifference(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		contenders int
		noise      float64
		cells      int
	}{
		{6, 1, longtest.Scale(t, 50, 150, 4000)},
		{4, 0.6, longtest.Scale(t, 50, 150, 4000)},
		{8, 0.35, longtest.Scale(t, 50, 75, 4000)},
		{2, 0.2, longtest.Scale(t, 100, 300, 4000)},
		{20, 1, longtest.Scale(t, 5, 8, 1000)},
	} {
		t.Run(fmt.Sprintf("%d contenders, noise %g", test.contenders, test.noise), func(t *testing.T) {
			t.Parallel()
			passes := 0
			wrong := calledDifferent(test.cells, func(seed uint64) []stats.Ratio {
				c := noisy(make([]float64, test.contenders)...).scaled(test.noise).cell(seed)
				defer func() { passes += c.instances }()
				return c.race(8)
			})
			limit := test.cells / 20
			if test.cells < 1000 {
				limit = most(test.cells, 0.05)
			}
			t.Logf("%d of %d cells, %.1f passes", wrong, test.cells, float64(passes)/float64(test.cells))
			if wrong > limit {
				t.Errorf("a difference is called in %d of %d cells, want at most %d", wrong, test.cells, limit)
			}
		})
	}
}

// A race finds differences of 10 % and, with more passes, of 5 %.
func TestARaceFindsDifferences(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		contenders, passes int
		effect, noise      float64
		power              float64
	}{
		{4, 10, 0.10, 1, 0.9},
		{12, 12, 0.10, 1, 0.9},
		{4, 24, 0.05, 1, 0.6},
		{4, 12, 0.05, 0.6, 0.7},
	} {
		t.Run(fmt.Sprintf("%g by %d passes among %d, noise %g", test.effect, test.passes, test.contenders, test.noise), func(t *testing.T) {
			t.Parallel()
			cells := longtest.Scale(t, 12, 12, 300)
			found := 0
			for seed := range uint64(cells) {
				effects := make([]float64, test.contenders)
				for i := range effects[1:] {
					effects[i+1] = test.effect
				}
				for _, r := range noisy(effects...).scaled(test.noise).cell(seed).race(test.passes)[1:] {
					if r.Standing() == stats.Worse {
						found++
					}
				}
			}
			power := float64(found) / float64(cells*(test.contenders-1))
			t.Logf("found %.2f", power)
			if power < test.power-0.1 {
				t.Errorf("found in %.2f of the cells, want about %.2f", power, test.power)
			}
		})
	}
}
