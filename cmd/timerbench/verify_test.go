package main

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/timerbench/timerbench/bench/results"
)

func TestVerify(t *testing.T) {
	stdout, _ := must(t, "verify", "-s", "^(hwheel|hwheel-linux|list)$", "-w", "^(hold|churn)$", "-n", "50,200", "--seeds", "2")
	says(t, stdout, "hold, n 50: 3 structures, 2 seeds, ", "churn, n 200: 3 structures", "all structures keep their contract in 4 cells")
}

// verify checks only the file. With --replay it finds a proof that does not match the script. Reading
// a file does not compare the proofs of coarse structures.
func TestVerifyOfResults(t *testing.T) {
	out := t.TempDir()
	r := resultsOf(t, aRun(t))
	put(t, out, r)
	stdout, _ := must(t, "verify", out)
	says(t, stdout, filepath.Join(out, results.FileName)+": the digest, the proofs and the figures of 4 cells agree. ",
		asTyped("verify", "--replay", out))
	stdout, _ = must(t, "verify", "--replay", out)
	says(t, stdout, filepath.Join(out, results.FileName)+": all proofs match their scripts in 4 cells")
	workloads := r.Parameters.Workloads
	r.Parameters.Workloads, r.Parameters.Traces = append(workloads, "trace-x"), map[string]results.Recording{"trace-x": {File: "x.trace"}}
	put(t, out, r)
	stdout, _ = must(t, "verify", "--replay", out) // in another folder than that of the run
	says(t, stdout, "trace-x: not replayed, because there is no x.trace here", "all proofs match")
	r.Parameters.Workloads, r.Parameters.Traces = workloads, nil
	put(t, out, r)
	refused(t, []string{"verify", out, "--replay", "-n", "51"}, "no cell has the chosen")
	refused(t, []string{"verify", out, "--replay", "-w", "churn"}, `no workload matches "churn"`)
	refused(t, []string{"verify", out, "-w", "hold"}, "--workload chooses what is replayed: needs --replay")
	refused(t, []string{"verify", "--replay"}, "--replay: want results to replay")
	for i := range r.Cells[0].Rows {
		if row := &r.Cells[0].Rows[i]; row.Structure == "hwheel-linux" {
			row.Proof.Checksum = 1
		}
	}
	put(t, out, r)
	must(t, "verify", out)
	code, stdout, stderr := run("verify", "--replay", out)
	if says(t, stdout, "hold, n 50: 4 structures, 1 seed, ", ": FAILED"); code != exitError {
		t.Errorf("exit %d", code)
	}
	says(t, stderr, "hwheel-linux fails the proof on hold, n 50, seed 9: the results have the proof")
	must(t, "verify", out, "--replay", "-s", "^hwheel$")

	r.Cells[0].Rows[0].Cost[0].Ops++
	put(t, out, r)
	refused(t, []string{"verify", out}, "replayed the same block")
	file := filepath.Join(out, results.FileName)
	writeText(t, file, strings.Replace(readText(t, file), `"complete": true`, `"complete": false`, 1))
	refused(t, []string{"verify", out}, file, "digest")
}

func TestSubmit(t *testing.T) {
	out := t.TempDir()
	refused(t, []string{"submit", aRun(t), "--out", out}, "a part of the comparison")
	refused(t, []string{"submit", aRun(t), "--out", filepath.Join(out, "none")}, "none: no such folder")
	if left := filesIn(t, out); left != "" {
		t.Errorf("it left %s", left)
	}
}

// submit names the run that a new one replaces, and the cells that it adds.
func TestWhatASubmissionAdds(t *testing.T) {
	of := func(revision string, sizes ...int) *results.Run {
		r := &results.Run{Created: time.Date(2026, 11, 25, 0, 0, 0, 0, time.UTC)}
		r.Environment = results.Environment{Version: "v0.1.0", Revision: revision}
		for _, n := range sizes {
			r.Cells = append(r.Cells, results.Cell{Workload: "hold", N: n, Rows: make([]results.Row, 2)})
		}
		return r
	}
	fresh := of("0123456789abcdef", 10, 100, 1000)
	const first = "the run of 25 November 2026, timerbench v0.1.0, revision 0123456789ab, with 3 cells and 6 rows"
	for want, before := range map[string]*results.Run{
		first + ". It is the first one of this machine.": nil,
		first + ". It replaces the run of 25 November 2026, timerbench v0.1.0, revision fedc, which lacks 1 cell of these and has 0 cells more.":  of("fedc", 10, 100),
		first + ". It replaces the run of 25 November 2026, timerbench v0.1.0, revision fedc, which lacks 2 cells of these and has 2 cells more.": of("fedc", 10, 50, 60),
	} {
		if got := added(before, fresh); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
