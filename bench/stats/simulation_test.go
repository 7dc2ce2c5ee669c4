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

// Without a race the family-wise error is at most 6 %, whatever the levels and
// however unequal the variances.
func TestEqualContendersAreSeldomToldApart(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name               string
		contenders, passes int
		change             func(m *model)
	}{
		{"two, three instances", 2, 3, func(*model) {}},
		{"twelve, three instances", 12, 3, func(*model) {}},
		{"six, ten instances", 6, 10, func(*model) {}},
		{"no variation between instances", 6, 4, func(m *model) { m.instances = [2]float64{} }},
		{"mostly variation between instances", 6, 4, func(m *model) { m.rounds = 0.005 }},
		{"unequal variances", 8, 5, func(m *model) { m.instances = [2]float64{0.005, 0.1} }},
		{"twelve, two instances", 12, 2, func(*model) {}},
		{"unequal variances, two instances", 12, 2, func(m *model) { m.instances = [2]float64{0.005, 0.1} }},
		{"one is noisy", 8, 5, func(m *model) { m.instances, m.noisy = [2]float64{0.01, 0.01}, 10 }},
		{"three layouts", 6, 9, func(m *model) { m.layouts, m.ofLayouts = 3, 0.05 }},
		{"five layouts", 6, 10, func(m *model) { m.layouts, m.ofLayouts = 5, 0.05 }},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			cells := longtest.Scale(t, 50, 120, 3000)
			wrong := calledDifferent(cells, func(seed uint64) []stats.Ratio {
				m := noisy(make([]float64, test.contenders)...)
				test.change(&m)
				c := m.cell(seed)
				c.passes(test.passes, everybody)
				return stats.Best(c.samples, stats.Options{})
			})
			t.Logf("%d of %d cells", wrong, cells)
			if limit := most(cells, 0.06); wrong > limit {
				t.Errorf("a difference is called in %d of %d cells, want at most %d", wrong, cells, limit)
			}
		})
	}
}

// The best ones stay in the set although others are worse by little or by much.
func TestTheBestAreKeptAmongWorseOnes(t *testing.T) {
	t.Parallel()
	cells := longtest.Scale(t, 50, 100, 3000)
	for _, passes := range []int{3, 6} {
		wrong := calledDifferent(cells, func(seed uint64) []stats.Ratio {
			c := noisy(0, 0, 0, 0.03, 0.05, 0.05, 0.1, 0.2, 0.7, 2).cell(seed)
			c.passes(passes, everybody)
			return stats.Best(c.samples, stats.Options{})[:3]
		})
		if limit := most(cells, 0.05); wrong > limit {
			t.Errorf("%d passes: one of the best is missing in %d of %d cells, want at most %d", passes, wrong, cells, limit)
		}
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

// The 95 % intervals of the same figure in two runs are disjoint in less than 5 % of the pairs.
func TestIntervalsOfTheSameFigureInTwoRunsOverlap(t *testing.T) {
	t.Parallel()
	const contenders = 5
	pairs, disjoint := 0, 0
	for seed := range uint64(longtest.Scale(t, 100, 200, 4000)) {
		var runs [2][]stats.Interval
		for i := range runs {
			c := noisy(make([]float64, contenders)...).cell(2*seed + uint64(i))
			c.passes(3, everybody)
			o := stats.Options{Prior: stats.PoolCenters(c.samples)}
			for _, a := range c.samples {
				center, _ := stats.Center(a, o)
				runs[i] = append(runs[i], center)
			}
		}
		for i := range contenders {
			pairs++
			if a, b := runs[0][i], runs[1][i]; a.Hi < b.Lo || b.Hi < a.Lo {
				disjoint++
			}
		}
	}
	t.Logf("%d of %d pairs of intervals are disjoint", disjoint, pairs)
	if disjoint*20 > pairs {
		t.Errorf("%d of %d pairs of intervals are disjoint, want at most 5 %%", disjoint, pairs)
	}
}

// 95 % intervals contain the true value in about 95 % of the cells, or more: of a lone pair, of a pair with the
// variance of others, of a cost, with and without layouts.
func TestCoverage(t *testing.T) {
	t.Parallel()
	layouts := noisy(0.2, 0, 0, 0, 0, 0)
	layouts.layouts, layouts.ofLayouts = 3, 0.05
	for _, test := range []struct {
		name   string
		m      model
		passes int
	}{
		{"a lone pair", noisy(0.2, 0), 3},
		{"a lone pair, many instances", noisy(0.2, 0), 12},
		{"among six", noisy(0.2, 0, 0, 0, 0, 0), 3},
		{"among six, three layouts", layouts, 9},
	} {
		cells := longtest.Scale(t, 200, 300, 4000)
		missed, missedCost := 0, 0
		for seed := range uint64(cells) {
			test.m.common = 0.02
			c := test.m.cell(seed)
			c.passes(test.passes, everybody)
			r, ok := stats.Paired(c.samples[0], c.samples[1], stats.Options{Prior: stats.NewCell(c.samples, stats.Options{}).Prior()})
			if truth := math.Exp(0.2); !ok || r.Lo > truth || r.Hi < truth {
				missed++
			}
			cost, ok := stats.Center(c.samples[1], stats.Options{Prior: stats.PoolCenters(c.samples)})
			if !ok || cost.Lo > 100 || cost.Hi < 100 {
				missedCost++
			}
		}
		t.Logf("%s: the ratio missed %d, the cost %d of %d", test.name, missed, missedCost, cells)
		for what, n := range map[string]int{"ratio": missed, "cost": missedCost} {
			// In a cell of several, costs count as if all varied together, which they do not here.
			if n > most(cells, 0.07) || what == "ratio" && n < cells/100 {
				t.Errorf("%s: the interval of the %s misses the true value in %d of %d cells, want about 5 %%, at most 7", test.name, what, n, cells)
			}
		}
	}
}
