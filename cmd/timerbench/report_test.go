package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/timerbench/timerbench/bench/results"
)

func TestExplain(t *testing.T) {
	done := aRun(t)
	t.Chdir(t.TempDir())
	stdout, stderr := must(t, "explain", "hwheel")
	says(t, stdout, "hwheel\n", "Varghese & Lauck", "│ 103 │", "2. Cancel the timer of tick 210", "x210", "arrival buffer", " cells")
	if want := "results: the run that is part of this program"; !strings.HasPrefix(stderr, want) {
		t.Errorf("explain says %q, want %q", stderr, want)
	}
	for _, from := range []string{done, filepath.Join(done, results.FileName)} {
		stdout, stderr := must(t, "explain", "rbtree", "-r", from)
		if says(t, stdout, "of 4 cells"); stderr != "" {
			t.Errorf("with results it says %q", stderr)
		}
	}
	if stdout, _ := must(t, "explain", "rbtree", "-r", done, "--html", "page.html"); stdout != "" {
		t.Errorf("it prints %q", stdout)
	}
	says(t, readText(t, "page.html"), "<title>rbtree</title>", "How rbtree works")
}
