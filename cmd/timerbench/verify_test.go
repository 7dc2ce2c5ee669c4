package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/timerbench/timerbench/bench/results"
)

func TestVerify(t *testing.T) {
	code, stdout, stderr := run("verify", "-s", "^(hwheel|hwheel-linux|list)$", "-w", "^(hold|churn)$", "-n", "50,200", "--seeds", "2")
	if code != 0 {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	for _, want := range []string{"hold, n 50: 3 structures, 2 seeds, ", "churn, n 200: 3 structures", "all structures keep their contract in 4 cells"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("it does not say %q:\n%s", want, stdout)
		}
	}
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"no seeds":          {[]string{"verify", "--seeds", "0"}, "--seeds 0: want at least 1"},
		"unknown structure": {[]string{"verify", "-s", "hweel"}, `did you mean "hwheel"?`},
		"nothing":           {[]string{"verify", "-s", "^list$", "-w", "^hold$", "-n", "1e6"}, "nothing to verify"},
	} {
		if code, _, stderr := run(c.args...); code != exitError || !strings.Contains(stderr, c.want) {
			t.Errorf("%s: exit %d: %s, want %q", name, code, stderr, c.want)
		}
	}
}

// verify replays what results name, and finds a proof that is not that of its script. That of
// a coarse structure is compared with no other when the file is read.
func TestVerifyReplaysResults(t *testing.T) {
	out := t.TempDir()
	must(t, "run", "-p", "smoke", "-s", "^(hwheel|hwheel-linux)$", "-w", "^hold$", "-n", "50,200", "--trials", "3", "-o", out)
	code, stdout, stderr := run("verify", out)
	if want := filepath.Join(out, resultsFile) + ": all proofs are those of their scripts in 2 cells"; code != 0 || !strings.Contains(stdout, want) {
		t.Fatalf("exit %d: %s%s, want %q", code, stdout, stderr, want)
	}
	for want, args := range map[string][]string{
		"--seed: the results name their own": {"--seed", "2"},
		"no cell of that choice":             {"-n", "51"},
		`no workload matches "churn"`:        {"-w", "churn"},
	} {
		if code, _, stderr := run(append([]string{"verify", out}, args...)...); code != exitError || !strings.Contains(stderr, want) {
			t.Errorf("%q: exit %d: %s, want %q", args, code, stderr, want)
		}
	}
	r, err := results.Read(filepath.Join(out, resultsFile))
	if err != nil {
		t.Fatal(err)
	}
	for i := range r.Cells[0].Rows {
		if row := &r.Cells[0].Rows[i]; row.Structure == "hwheel-linux" {
			row.Proof.Checksum = 1
		}
	}
	if err := results.Write(filepath.Join(out, resultsFile), r); err != nil {
		t.Fatal(err)
	}
	code, stdout, stderr = run("verify", out)
	if code != exitError || !strings.Contains(stdout, "hold, n 50: 2 structures, 1 seeds, ") || !strings.Contains(stdout, ": FAILED") ||
		!strings.Contains(stderr, "hwheel-linux fails the proof on hold, n 50, seed 1: the results have the proof") {
		t.Errorf("exit %d: %s%s", code, stdout, stderr)
	}
	if code, _, stderr := run("verify", out, "-s", "^hwheel$"); code != 0 {
		t.Errorf("of the other structure: exit %d: %s", code, stderr)
	}
}

// With --json - nothing but the results is on the standard output.
func TestJSONGoesToTheStandardOutput(t *testing.T) {
	out := t.TempDir()
	code, stdout, stderr := run("run", "--profile", "smoke", "-s", "^hwheel$", "-w", "^hold$", "--n", "50", "--trials", "2", "--out", out, "--json", "-")
	if code != 0 || !strings.Contains(stderr, "Fastest or tied") || !strings.Contains(stderr, "machine: ") {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	if !strings.HasPrefix(stdout, "{\n") || !strings.HasSuffix(stdout, "}\n") {
		t.Errorf("%.100s is not only JSON", stdout)
	}
	path := out + "/again.json"
	if err := writeText(path, stdout); err != nil {
		t.Fatal(err)
	}
	r, err := results.Read(path)
	if err != nil || !r.Complete || len(r.Cells) != 1 || len(r.Environment.Machine) < 10 {
		t.Errorf("%v", err)
	}
	if code, _, stderr := run("run", "--profile", "smoke", "-s", "^hwheel$", "-w", "^hold$", "--n", "50", "--trials", "2", "--out", out+"/b", "--json", out+"/none/x.json"); code != exitError || !strings.Contains(stderr, "none/x.json") {
		t.Errorf("unwritable file: exit %d: %s", code, stderr)
	}
}

func writeText(path, text string) error { return os.WriteFile(path, []byte(text), 0o644) }
