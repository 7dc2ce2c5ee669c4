package main

import (
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

func wantWithin(t *testing.T, columns int, args ...string) {
	t.Helper()
	code, stdout, stderr := run(args...)
	if code != 0 {
		t.Errorf("%q: exit %d: %s", args, code, stderr)
	}
	for line := range strings.SplitSeq(stdout, "\n") {
		if n := utf8.RuneCountInString(line); n > columns {
			t.Errorf("%q: %d columns, want %d: %s", args, n, columns, line)
		}
	}
}

// The help of every command, and what the commands say, fits the terminal.
func TestOutputFitsTheTerminal(t *testing.T) {
	trace, err := filepath.Abs("../../traces/http.trace")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	for columns, text := range map[int]string{80: "", 100: "100"} {
		t.Setenv("COLUMNS", text)
		wantWithin(t, columns, "--help")
		for _, command := range leaves(newRoot()) {
			wantWithin(t, columns, append(strings.Fields(command), "--help")...)
		}
		wantWithin(t, columns, "trace", "--help")
		wantWithin(t, columns, "list")
		wantWithin(t, columns, "trace", "info", trace)
	}
	t.Setenv("COLUMNS", "80")
	wantWithin(t, 80, "recommend", "--n", "1e6", "--cancel", "90%")
	wantWithin(t, 80, "recommend", "--n", "1e5", "--cancel", "90%", "--weights", "throughput=1,tail=2")
	wantWithin(t, 80, "explain", "auto")
	wantWithin(t, 80, "doctor", "--noise", "0")
	if _, stdout, _ := run("run", "--help"); !strings.Contains(stdout, " \\\n      ") || !strings.Contains(stdout, "'heap|^hwheel$'") {
		t.Errorf("a long example is not broken as a shell reads it:\n%s", stdout)
	}
}
