package main

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/runs"
	"github.com/timerbench/timerbench/bench/script"
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

func TestSubmit(t *testing.T) {
	r := keptRun(t)
	if err := submittable(r); err != nil {
		t.Errorf("the run that is kept: %v", err)
	}
	for want, edit := range map[string]func(*results.Run){
		"the run was interrupted":         func(r *results.Run) { r.Complete = false },
		"a part of the comparison":        func(r *results.Run) { r.Parameters.Structures = r.Parameters.Structures[1:] },
		"not everything is proved: auto ": func(r *results.Run) { r.Failures = []results.Failure{{Structure: "auto"}} },
		"does not know its commit":        func(r *results.Run) { r.Environment.Revision = "" },
		"with edits that are not":         func(r *results.Run) { r.Environment.Revision += "+dirty" },
		"null has no proof":               func(r *results.Run) { r.Cells[0].Rows[0].Proof = script.Proof{} },
	} {
		bad := *r
		bad.Cells = slices.Clone(r.Cells)
		bad.Cells[0].Rows = slices.Clone(r.Cells[0].Rows)
		if edit(&bad); submittable(&bad) == nil || !strings.Contains(submittable(&bad).Error(), want) {
			t.Errorf("got %v, want %q", submittable(&bad), want)
		}
	}
	out := t.TempDir()
	refused(t, []string{"submit", aRun(t), "--out", out}, "a part of the comparison")
	refused(t, []string{"submit", aRun(t), "--out", filepath.Join(out, "none")}, "none: no such folder")
	if left := files(t, out); left != "" {
		t.Errorf("it left %s", left)
	}
}
