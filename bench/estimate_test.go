package bench

import (
	"context"
	"errors"
	"testing"

	"github.com/timerbench/timerbench/bench/replay"
	"github.com/timerbench/timerbench/bench/workload"
	"github.com/timerbench/timerbench/structures/catalog"
)

// The estimate is close to the measured memory of a cell of that size, times peakRatio.
func TestTheEstimateOfMemoryIsMet(t *testing.T) {
	const n = 300_000
	hold, _ := workload.Find("hold")
	cfg := Config{Workloads: []workload.Workload{hold}, N: []int{1_000, n}}
	for _, name := range []string{"hwheel", "minheap-std", "list"} { // the list is left out at that size
		e, _ := catalog.Find(name)
		cfg.Structures = append(cfg.Structures, e)
	}
	_, got, err := FitMemory(context.Background(), cfg, 0)
	if err != nil {
		t.Fatal(err)
	}
	held, err := filledMemory(context.Background(), cfg.cell(hold, n, replay.Clock{}), cfg.entries(n), n)
	if err != nil {
		t.Fatal(err)
	}
	if ratio := float64(got.Bytes) / (peakRatio * held); got.Step != "hold, n 300000" || ratio < 0.67 || ratio > 1.5 {
		t.Errorf("%s: %d bytes, the cell holds %.0f", got.Step, got.Bytes, held)
	}
	if got.Bytes > n*4*maxPerTimer {
		t.Errorf("%d bytes are more than what is taken for the most", got.Bytes)
	}

	if _, got, err := FitMemory(context.Background(), cfg, 1<<40); err != nil || got.Bytes != 0 {
		t.Errorf("%+v, %v: want no look at what cannot need so much", got, err)
	}
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	if _, _, err := FitMemory(cancelled, cfg, 0); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}
