package bench

import (
	"testing"

	"github.com/timerbench/timerbench/bench/internal/heapsize"
	"github.com/timerbench/timerbench/bench/replay"
	"github.com/timerbench/timerbench/bench/workload"
	"github.com/timerbench/timerbench/structures/catalog"
)

// The estimate is close to 1.5 times what a cell of that size holds in its first round, which
// is what it takes at its peak.
func TestTheEstimateOfMemoryIsMet(t *testing.T) {
	const n = 200_000
	hold, _ := workload.Find("hold")
	cfg := Config{Workloads: []workload.Workload{hold}, N: []int{1_000, n}, Trials: 6}
	for _, name := range []string{"hwheel", "hwheel-linux", "minheap-std", "list"} { // the list is left out
		e, _ := catalog.Find(name)
		cfg.Structures = append(cfg.Structures, e)
	}
	_, got := FitMemory(cfg, 0)
	before := heapsize.Measure()
	c := cfg.cell(hold, n, replay.Clock{})
	m := c.begun(cfg.entries(n))
	m.addControl("hwheel")
	p, err := c.begin(t.Context(), 0, m.rows, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer p.end()
	held := heapsize.Measure()
	peak := 1.5 * held.BytesSince(before)
	if ratio := float64(got.Bytes) / peak; got.Step != "hold, n 200000" || ratio < 0.67 || ratio > 1.5 {
		t.Errorf("%s: %d bytes, the cell takes %.0f", got.Step, got.Bytes, peak)
	}
}

// A structure that declares nothing is taken for the largest.
func TestAStructureOfUnknownMemoryIsEstimated(t *testing.T) {
	cfg := tinyRun(t, []string{"minheap"}, []string{"hold"})
	_, known := FitMemory(cfg, 0)
	cfg.Structures[0].MaxBytes = 0
	if _, got := FitMemory(cfg, 0); got.Bytes < 2*known.Bytes {
		t.Errorf("%d bytes, and %d of a structure that declares them", got.Bytes, known.Bytes)
	}
}
