package main

import (
	"os"
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
