package main

import (
	"strings"
	"testing"
)

func TestDoctor(t *testing.T) {
	code, stdout, stderr := run("doctor", "--noise", "50ms")
	if code != 0 {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	for _, want := range []string{"frequency governor", "hardware counters", "noise (A/A)", "pairs of", "checks warn."} {
		if !strings.Contains(stdout, want) {
			t.Errorf("doctor does not say %q:\n%s", want, stdout)
		}
	}
	code, stdout, _ = run("doctor", "--noise", "0")
	if code != 0 || strings.Contains(stdout, "A/A") || !strings.Contains(stdout, "clock source") {
		t.Errorf("without noise: exit %d: %s", code, stdout)
	}
}
