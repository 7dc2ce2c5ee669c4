package main

import (
	"path/filepath"
	"testing"
)

func TestProfile(t *testing.T) {
	out := filepath.Join(t.TempDir(), "cpu.pprof")
	_, stderr := must(t, "profile", "churn/n=1e3", "-s", "hwheel", "--for", "5ms", "-o", out)
	says(t, stderr, "ns per lifecycle", "go tool pprof -tagfocus phase=replay")
	if packed := readText(t, out); len(packed) < 100 || packed[:2] != "\x1f\x8b" {
		t.Errorf("%d bytes: want a profile, which gzip has packed", len(packed))
	}
}
