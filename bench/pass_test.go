package bench

import (
	"context"
	"errors"
	"math"
	"runtime/metrics"
	"slices"
	"testing"

	"github.com/timerbench/timerbench/bench/replay"
	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/bench/workload"
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

// The garbage collector is off in every trial, except in one with the collector on.
func TestTheCollectorIsOffInTrials(t *testing.T) {
	w, _ := workload.Find("churn")
	watch := &gcWatch{Scheduler: minheap.New[uint64]()}
	e := entry.Entry{New: func() structures.Scheduler[uint64] { return watch }}
	c, s := newContender(results.RoleStructure, e), w.Script(100, 1)
	c.samples = replay.NewLatencies()
	if err := errors.Join(c.begin(0), c.replay(s.Fill(), false)); err != nil {
		t.Fatal(err)
	}
	p := &pass{cellRun: newRig(nil).newCellRun(cell{workload: w, n: 100}, nil, nil)}
	for _, m := range []mode{modeWarm, modeCost, modeByKind, modeLatency, modeWithGC} {
		watch.on, watch.off = 0, 0
		if err := p.trial(c, s.Next(500, nil), m, results.Trial{}); err != nil {
			t.Fatal(err)
		}
		if collect := m == modeWithGC; collect && (watch.on == 0 || watch.off > 0) || !collect && (watch.on > 0 || watch.off == 0) {
			t.Errorf("mode %d, collector wanted %v: it was on in %d calls, off in %d", m, collect, watch.on, watch.off)
		}
	}
}

// sizesAsked is a source that notes how many operations the blocks have.
type sizesAsked struct {
	source
	sizes []int
}

func (s *sizesAsked) nextBlock(size int, reuse *script.Block) (*script.Block, error) {
	s.sizes = append(s.sizes, size)
	return s.source.nextBlock(size, reuse)
}

// Before the timed block of each round stands one that touches the population, as far as it fits into
// the cache.
func TestTheCacheIsWarmBeforeATimedBlock(t *testing.T) {
	for n, want := range map[int]int{100: 5_000, 10_000: 10_000, 30_000: 25_000} {
		cfg := tinyRun(t, []string{"minheap"}, []string{"churn"})
		c := cfg.Profile.with(nil, 1, false).cell(cfg.Workloads[0], n)
		asked := &sizesAsked{}
		c.open = func(ctx context.Context, c cell) (s source, err error) {
			asked.source, err = openScript(ctx, c)
			return asked, err
		}
		if err := newRig(nil).newCellRun(c, cfg.Structures, nil).runCommonPasses(t.Context()); err != nil {
			t.Fatal(err)
		}
		// After the block that is proved and the warm-up come those of the round: warm, cost, by kind, latency.
		block, last := c.block(), asked.sizes[max(0, len(asked.sizes)-4):]
		if len(asked.sizes) < 5 || last[0] < want || !slices.Equal(last[1:], []int{block, block, block}) {
			t.Errorf("n %d: at last blocks of %d operations, want one of %d and three of %d", n, last, want, block)
		}
	}
}
