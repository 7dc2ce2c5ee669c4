package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/timerbench/timerbench/bench/external"
)

// A newcomer's way: print the start and the protocol, compile, verify.
func TestVerifyOfAnExternalProgram(t *testing.T) {
	cc, err := exec.LookPath("cc")
	if err != nil {
		t.Skip("there is no C compiler (cc)")
	}
	dir := t.TempDir()
	for name, file := range map[string]string{"c": "start.c", "timerbench.h": "timerbench.h"} {
		text, _ := must(t, "external", "init", name)
		if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	source, broken := filepath.Join(dir, "start.c"), filepath.Join(dir, "broken.c")
	text, err := os.ReadFile(source)
	if err != nil {
		t.Fatal(err)
	}
	changed := strings.Replace(string(text), "deadlines[slot] > now", "deadlines[slot] >= now", 1)
	if err := os.WriteFile(broken, []byte(changed), 0o600); err != nil || changed == string(text) {
		t.Fatal("nothing is broken", err)
	}
	for _, file := range []string{source, broken} {
		if out, err := exec.Command(cc, "-O2", "-Wall", "-Wextra", "-Werror", "-o", strings.TrimSuffix(file, ".c"), file).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	good, bad := strings.TrimSuffix(source, ".c"), "bad="+strings.TrimSuffix(broken, ".c")
	stdout, _ := must(t, "verify", "--external", good, "--traces", "../../traces")
	says(t, stdout, "start (C, table) passes: 67 named cases, ", " generated programs, ", " recordings: ")
	code, stdout, stderr := run("verify", "--external", bad, "--external", "worse="+broken[:len(broken)-2])
	says(t, stdout, "bad (C, table) FAILS in named case: one timer: timer 1 must fire at tick 1: its deadline is 1 (line 1). It does not fire",
		"   1  Schedule(1, 1)\n", "   2  Pop(1)               fires 1   <- fails here", "worse (C, table) FAILS")
	says(t, stderr, "these programs fail: bad, worse")
	if code != exitError {
		t.Errorf("exit code %d, want %d", code, exitError)
	}
	_, stdout, _ = run("verify", "--external", bad, "--json")
	var verdicts []external.Verdict
	if err := json.Unmarshal([]byte(stdout), &verdicts); err != nil || len(verdicts) != 1 || verdicts[0].OK ||
		len(verdicts[0].Failure.Operations) != 2 {
		t.Errorf("%v: %s", err, stdout)
	}
}
