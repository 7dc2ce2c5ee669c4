package main

import (
	"path/filepath"
	"testing"

	"github.com/timerbench/timerbench/bench"
	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/workload"
)

// The structures of other projects pass the proof of the suite and have rows in its results.
func TestStructuresOfOthersPassTheProof(t *testing.T) {
	hold, _ := workload.Find("cancel-hold-50")
	profile, _ := bench.FindProfile("smoke")
	r, err := bench.Run(t.Context(), bench.Config{
		Profile: profile, Structures: structuresOfOthers(), Workloads: []workload.Workload{hold}, N: []int{1000}, Trials: 1, Seed: 1,
	})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "results.json")
	if err := results.Write(path, r); err != nil {
		t.Fatal(err)
	}
	read, err := results.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	found := false
	for _, row := range read.Cells[0].Rows {
		found = found || row.Structure == "thw" && len(row.Cost) == 1 && row.Cost[0].NS > 0
	}
	if !found || !read.Complete {
		t.Errorf("thw has no cost in complete results: %+v", read.Cells[0].Rows)
	}
}
