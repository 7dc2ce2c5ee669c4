package bench

import (
	"slices"
	"testing"
	"time"

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
	_, err := NewPlan(cfg)
	fail.UnlessError(t, err, "hold, n 100000000 needs about ", "of which 8 GB are available: choose fewer timers with --n")
	cfg.N = []int{100_000}
	planOf(t, cfg)
}

// Where the memory does not hold all structures of a cell, each is measured alone.
func TestStructuresThatDoNotFitTogetherAreMeasuredApart(t *testing.T) {
	for name, c := range map[string]struct {
		cfg  Config
		want []string
	}{
		"smoke": {tinyRun(t, []string{"minheap", "hwheel", "hwheel-linux"}, []string{"churn"}),
			[]string{FloorName, "minheap", "hwheel", "hwheel-linux"}},
		"budget": {tinyRun(t, []string{"minheap", "hwheel"}, []string{"churn"}), []string{FloorName, "minheap", "hwheel"}},
	} {
		cfg := c.cfg
		if name == "budget" {
			cfg.Budget.Limit = time.Minute
		}
		step := func() Step {
			return planOf(t, cfg).Steps[0]
		}
		together := step()
		cfg.Memory = together.Bytes - 1
		if apart := step(); together.cell.apart || !apart.cell.apart || apart.Bytes >= together.Bytes {
			t.Fatalf("%s: %+v and %+v", name, together, apart)
		}
		r := run(t, cfg)
		var names []string
		for _, row := range r.Cells[0].Rows {
			if names = append(names, row.Structure); !row.Coarse && row.Proof != r.Cells[0].Rows[0].Proof || len(row.Cost) == 0 {
				t.Errorf("%s: %+v", name, row)
			}
		}
		if !r.Cells[0].Apart || !slices.Equal(names, c.want) {
			t.Errorf("%s: apart %t, rows %q, want %q", name, r.Cells[0].Apart, names, c.want)
		}
	}
}
