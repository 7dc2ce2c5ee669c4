package bench

import (
	"errors"
	"math"
	"runtime/metrics"
	"testing"

	"github.com/timerbench/timerbench/bench/replay"
	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/workload"
	"github.com/timerbench/timerbench/internal/fail"
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
