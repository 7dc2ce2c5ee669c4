package main

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/timerbench/timerbench/bench/external/conform"
	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/results/store"
	"github.com/timerbench/timerbench/internal/fail"
)

func TestVerify(t *testing.T) {
	stdout, _ := must(t, "verify", "-s", "^(hwheel|hwheel-linux|list)$", "-w", "^(hold|churn)$", "-n", "50,200", "--seeds", "2")
	fail.Unless(t, stdout, "hold, n 50: 3 structures, 2 seeds, ", "churn, n 200: 3 structures", "all structures keep their contract in 4 cells")
}

// verify checks only the file. With --replay it finds a proof that does not match the script. Reading
// a file does not compare the proofs of coarse structures.
func TestVerifyOfResults(t *testing.T) {
	out := t.TempDir()
	r := resultsOf(t, aRun(t))
	put(t, out, r)
	stdout, _ := must(t, "verify", out)
	fail.Unless(t, stdout, filepath.Join(out, store.FileName)+": the digest, the proofs and the figures of 4 cells agree. ",
		asTyped("verify", "--replay", out))
	stdout, _ = must(t, "verify", "--replay", out)
	fail.Unless(t, stdout, filepath.Join(out, store.FileName)+": all proofs match their scripts in 4 cells")
	workloads := r.Parameters.Workloads
	r.Parameters.Workloads, r.Parameters.Traces = append(workloads, "trace-x"), map[string]results.Recording{"trace-x": {File: "x.trace"}}
	put(t, out, r)
	stdout, _ = must(t, "verify", "--replay", out) // in another folder than that of the run
	fail.Unless(t, stdout, "trace-x: not replayed, because there is no x.trace here", "all proofs match")
	r.Parameters.Workloads, r.Parameters.Traces = workloads, nil
	put(t, out, r)
	refused(t, []string{"verify", out, "--replay", "-n", "51"}, "no cell has the chosen")
	refused(t, []string{"verify", out, "--replay", "-w", "churn"}, `no workload matches "churn"`)
	refused(t, []string{"verify", out, "--replay", "-s", "hweel"}, `did you mean "hwheel"?`)
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
	if fail.Unless(t, stdout, "hold, n 50: 4 structures, 1 seed, ", ": FAILED"); code != exitError {
		t.Errorf("exit %d", code)
	}
	fail.Unless(t, stderr, "hwheel-linux fails the proof on hold, n 50, seed 9: the results have the proof")
	must(t, "verify", out, "--replay", "-s", "^hwheel$")

	r.Cells[0].Rows[0].Cost[0].Ops++
	put(t, out, r)
	endsWith(t, exitError, []string{"verify", out}, "replayed the same block")
	file := filepath.Join(out, store.FileName)
	fail.Write(t, file, strings.Replace(fail.Read(t, file), `"complete": true`, `"complete": false`, 1))
	endsWith(t, exitError, []string{"verify", out}, file, "digest")
}

func TestSubmit(t *testing.T) {
	out := t.TempDir()
	endsWith(t, exitError, []string{"submit", aRun(t), "--out", out}, "a part of the comparison")
	refused(t, []string{"submit", aRun(t), "--out", filepath.Join(out, "none")}, "none: no such folder")
	fail.UnlessSame(t, "files left", fail.Files(t, out), "")
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
		fail.UnlessSame(t, "what it adds", added(before, fresh), want)
	}
}

// A newcomer's way: print the start and the protocol, compile, verify.
func TestVerifyOfAnExternalProgram(t *testing.T) {
	cc, err := exec.LookPath("cc")
	if err != nil {
		t.Skip("there is no C compiler (cc)")
	}
	dir := t.TempDir()
	for name, file := range map[string]string{"c": "start.c", "timerbench.h": "timerbench.h"} {
		text, _ := must(t, "external", "init", name)
		fail.Write(t, filepath.Join(dir, file), text)
	}
	source, broken := filepath.Join(dir, "start.c"), filepath.Join(dir, "broken.c")
	text := fail.Read(t, source)
	fail.Write(t, broken, strings.Replace(text, "deadlines[slot] > now", "deadlines[slot] >= now", 1))
	for _, file := range []string{source, broken} {
		if out, err := exec.Command(cc, "-O2", "-Wall", "-Wextra", "-Werror", "-o", strings.TrimSuffix(file, ".c"), file).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	good, bad := strings.TrimSuffix(source, ".c"), "bad="+strings.TrimSuffix(broken, ".c")
	stdout, _ := must(t, "verify", "--external", good, "--traces", "../../traces")
	fail.Unless(t, stdout, "start (C, table) passes: 67 named cases, ", " generated programs, ", " recordings: ")
	code, stdout, stderr := run("verify", "--external", bad, "--external", "worse="+broken[:len(broken)-2])
	fail.Unless(t, stdout, "bad (C, table) FAILS in named case: one timer: timer 1 must fire at tick 1: its deadline is 1 (line 1). It does not fire",
		"   1  Schedule(1, 1)\n", "   2  Pop(1)               fires 1   <- fails here", "worse (C, table) FAILS")
	fail.Unless(t, stderr, "these programs fail: bad, worse")
	fail.UnlessSame(t, "the exit code", code, exitError)
	_, stdout, _ = run("verify", "--external", bad, "--json")
	var verdicts []conform.Verdict
	if err := json.Unmarshal([]byte(stdout), &verdicts); err != nil || len(verdicts) != 1 || verdicts[0].OK ||
		len(verdicts[0].Failure.Operations) != 2 {
		t.Errorf("%v: %s", err, stdout)
	}
}
