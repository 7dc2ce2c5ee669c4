package bench

import (
	"slices"
	"strings"
	"testing"

	"github.com/timerbench/timerbench/bench/replay"
	"github.com/timerbench/timerbench/bench/workload"
	"github.com/timerbench/timerbench/internal/fail"
	"github.com/timerbench/timerbench/structures/catalog"
)

// The estimate is close to 1.5 times what a cell of that size holds in its first round, which
// is the memory at its peak.
func TestTheEstimateOfMemoryIsMet(t *testing.T) {
	const n = 200_000
	hold, _ := workload.Find("hold")
	cfg := Config{Workloads: []workload.Workload{hold}, N: []int{1_000, n}, Trials: 6}
	for _, name := range []string{"hwheel", "hwheel-linux", "minheap-std", "list"} { // the list is left out
		e, _ := catalog.Find(name)
		cfg.Structures = append(cfg.Structures, e)
	}
	plan := planOf(t, cfg)
	got := plan.Steps[slices.IndexFunc(plan.Steps, func(s Step) bool { _, size := s.Of(); return size == n })]
	before := replay.Measure()
	m := newRunner(plan, Hooks{}).measuring(got.cell)
	fail.If(t, m.begin(t.Context(), got.Rounds[0]))
	defer m.end()
	held := replay.Measure()
	peak := 1.5 * held.BytesSince(before)
	if ratio := float64(got.Bytes) / peak; ratio < 0.67 || ratio > 1.5 {
		t.Errorf("%s: %d bytes, the cell takes %.0f", got.Name, got.Bytes, peak)
	}
}

// More timers than fit are refused before the first of them is made.
func TestARunThatNeedsTooMuchMemoryIsRefused(t *testing.T) {
	cfg := tinyRun(t, []string{"hwheel"}, []string{"hold"})
	cfg.Memory, cfg.N = 8e9, []int{1000, 1e8}
	if _, err := NewPlan(cfg); err == nil || !strings.Contains(err.Error(), "hold, n 100000000 needs about ") ||
		!strings.Contains(err.Error(), "of which 8 GB are available: choose fewer timers with --n") {
		t.Errorf("error %v", err)
	}
	cfg.N = []int{100_000}
	planOf(t, cfg)
}
