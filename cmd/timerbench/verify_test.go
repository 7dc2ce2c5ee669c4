package main

import (
	"path/filepath"
	"testing"

	"github.com/timerbench/timerbench/bench/runs"
)

func TestVerify(t *testing.T) {
	stdout, _ := must(t, "verify", "-s", "^(hwheel|hwheel-linux|list)$", "-w", "^(hold|churn)$", "-n", "50,200", "--seeds", "2")
	says(t, stdout, "hold, n 50: 3 structures, 2 seeds, ", "churn, n 200: 3 structures", "all structures keep their contract in 4 cells")
}

// verify replays what results name, and finds a proof that is not that of its script. That of
// a coarse structure is compared with no other when the file is read.
func TestVerifyReplaysResults(t *testing.T) {
	out := t.TempDir()
	r := resultsOf(t, aRun(t))
	put(t, out, r)
	stdout, _ := must(t, "verify", out)
	says(t, stdout, filepath.Join(out, runs.Results)+": all proofs are those of their scripts in 4 cells")
	refused(t, []string{"verify", out, "-n", "51"}, "no cell of that choice")
	refused(t, []string{"verify", out, "-w", "churn"}, `no workload matches "churn"`)
	for i := range r.Cells[0].Rows {
		if row := &r.Cells[0].Rows[i]; row.Structure == "hwheel-linux" {
			row.Proof.Checksum = 1
		}
	}
	put(t, out, r)
	code, stdout, stderr := run("verify", out)
	if says(t, stdout, "hold, n 50: 3 structures, 1 seeds, ", ": FAILED"); code != exitError {
		t.Errorf("exit %d", code)
	}
	says(t, stderr, "hwheel-linux fails the proof on hold, n 50, seed 9: the results have the proof")
	must(t, "verify", out, "-s", "^hwheel$")
}
