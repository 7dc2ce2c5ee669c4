package main

import (
	"context"
	"strings"
	"testing"

	"github.com/timerbench/timerbench/bench"
	"github.com/timerbench/timerbench/bench/workload"
	"github.com/timerbench/timerbench/structures/catalog"
)

// More timers than fit are refused before the first of them is made. The estimate measures
// the heap, so no other test may run beside this one.
func TestARunThatNeedsTooMuchMemoryIsRefused(t *testing.T) {
	e, _ := catalog.Find("hwheel")
	hold, _ := workload.Find("hold")
	cfg := bench.Config{Structures: []catalog.Entry{e}, Workloads: []workload.Workload{hold}, N: []int{1000, maxSize}}
	_, err := fitMemory(context.Background(), cfg, 8_000_000_000)
	if err == nil {
		t.Fatal("10^8 timers are expected to fit into 8 GB")
	}
	for _, want := range []string{"hold, n 100000000 needs about ", "8.0 GB are available", "--n"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q does not say %q", err, want)
		}
	}
	cfg.N = []int{100_000}
	if _, err := fitMemory(context.Background(), cfg, 8_000_000_000); err != nil {
		t.Error(err)
	}
}

func TestMemAvailable(t *testing.T) {
	t.Parallel()
	got, err := memAvailable("MemTotal:       24684308 kB\nMemFree:        21051876 kB\nMemAvailable:   23557124 kB\n")
	if err != nil || got != 23557124*1024 {
		t.Errorf("%d, %v", got, err)
	}
	if _, err := memAvailable("MemTotal: 1 kB\n"); err == nil {
		t.Error("no error where it is not said")
	}
	if bytes, ok := availableMemory(); ok && bytes < 1<<24 {
		t.Errorf("%d bytes are available to this test", bytes)
	}
}
