package bench

import (
	"slices"
	"testing"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/bench/workload"
	"github.com/timerbench/timerbench/internal/longtest"
)

// In every cell time passes: dead entries come due at nine tenths of the rate at which they are made, at least, timers
// fire, and the clock goes on. The scripts say so, so no structure takes part.
func TestEveryWorkloadIsInASteadyState(t *testing.T) {
	t.Parallel()
	for i, w := range workload.All() {
		if w.Kind().SingleCalls {
			continue // it has no cell
		}
		most := longtest.Scale(t, 1_000, 10_000, 1_000_000)
		if w.Resident == 0 && i%3 > 0 { // two thirds of the workloads of any size only with few timers
			most = longtest.Scale(t, 1_000, 1_000, 1_000_000)
		}
		sizes := []int{1_000, 10_000, 100_000, 1_000_000}
		if w.Resident > 0 {
			sizes = append(slices.DeleteFunc(slices.Clone(w.Sizes), func(n int) bool { return n >= most }), min(w.Resident, most))
		}
		for _, n := range sizes {
			if n > most {
				continue
			}
			passed := passedOf(t, w, n)
			if passed.Share() < script.Steady {
				t.Errorf("%s, n %d: of %d dead entries %d come due (%.3f) after %d operations", w.Name, n, passed.Made, passed.Due, passed.Share(), passed.WarmUp)
			}
			if passed.Fired == 0 && w.Name != "reset-earlier" || passed.Delays <= 0 {
				t.Errorf("%s, n %d: %d timers fire, and the clock goes %g median delays", w.Name, n, passed.Fired, passed.Delays)
			}
			if per, most := float64(passed.WarmUp)/float64(n), max(13, float64(w.LongWarmUp)); per > most && passed.WarmUp > 50_000 {
				t.Errorf("%s, n %d: a warm-up of %.1f operations a timer, want at most %.1f", w.Name, n, per, most)
			}
			t.Logf("| %s | %d | %.1f | %.0f %% | %d | %.3g |", w.Name, n, float64(passed.WarmUp)/float64(n), 100*passed.Share(), passed.Fired, passed.Delays)
		}
	}
}

// passedOf returns what passes in the first rounds of a cell, without any contender.
func passedOf(t *testing.T, w workload.Workload, n int) results.Passed {
	t.Helper()
	c := newCell(w, n, nil, 1)
	c.design(Config{Profile: Profile{ProveOps: 20_000}, Trials: 6, Budget: Budget{Limit: 1}}, 0)
	rounds := c.pass(0)[:1+leastRounds]
	m := newRunner(&Plan{}, Hooks{}).measuring(c)
	if err := m.play(t.Context(), rounds); err != nil {
		t.Fatalf("%s, n %d: %v", w.Name, n, err)
	}
	return m.passed
}
