package bench

import (
	"errors"
	"math"
	"runtime/metrics"
	"slices"
	"testing"

	"github.com/timerbench/timerbench/bench/replay"
	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/bench/workload"
	"github.com/timerbench/timerbench/internal/fail"
	"github.com/timerbench/timerbench/internal/longtest"
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/entry"
	"github.com/timerbench/timerbench/structures/minheap"
)

// gcWatch notes whether the garbage collector was on when it was called.
type gcWatch struct {
	structures.Scheduler[uint64]
	on, off int
}

func (g *gcWatch) Schedule(deadline structures.Tick, value uint64) structures.ID {
	percent := []metrics.Sample{{Name: "/gc/gogc:percent"}}
	if metrics.Read(percent); percent[0].Value.Uint64() == math.MaxUint64 {
		g.off++
	} else {
		g.on++
	}
	return g.Scheduler.Schedule(deadline, value)
}

// The garbage collector is off in every trial.
func TestTheCollectorIsOffInTrials(t *testing.T) {
	w, _ := workload.Find("churn")
	watch := &gcWatch{Scheduler: minheap.New[uint64]()}
	e := entry.Entry{New: func() structures.Scheduler[uint64] { return watch }}
	c, s := newContender(results.RoleStructure, e), w.Script(100, 1)
	c.samples = replay.NewLatencies()
	fail.If(t, errors.Join(c.begin(0), c.replay(s.Fill(), false)))
	m := newRunner(&Plan{}, Hooks{}).measuring(newCell(w, 100, nil, 0))
	for _, how := range []Timing{Warm, AsAWhole, ByKind, CallByCall} {
		watch.on, watch.off = 0, 0
		fail.If(t, m.trial(c, s.Next(500, nil), how, Round{}))
		if watch.on > 0 || watch.off == 0 {
			t.Errorf("%s: the collector was on in %d calls, off in %d", how, watch.on, watch.off)
		}
	}
}

// Before the timed block of each round stands one that touches the population, as far as it fits into
// the cache.
func TestTheCacheIsWarmBeforeATimedBlock(t *testing.T) {
	for n, want := range map[int]int{100: 5_000, 10_000: 10_000, 30_000: 25_000} {
		cfg := tinyRun(t, []string{"minheap"}, []string{"churn"})
		cfg.N, cfg.Trials = []int{n}, 1
		m, s := measuringOf(t, cfg)
		fail.If(t, m.begin(t.Context(), s.Rounds[0]))
		fail.If(t, m.round(t.Context(), s.Rounds[1]))
		block := s.cell.block()
		for i, want := range []int{want, block, block, block} { // warm, cost, by kind, latency
			if got := m.script.blocks[i].Calls + m.script.blocks[i].Pops; got < want || got > want+want/10 {
				t.Errorf("n %d: block %d has %d operations, want %d", n, i, got, want)
			}
		}
		m.end()
	}
}

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
	fail.If(t, m.play(t.Context(), rounds), w.Name, n)
	return m.passed
}
