//go:build unix

package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/timerbench/timerbench/bench/results"
)

// rawCells returns the cells of a results file as they are written.
func rawCells(t *testing.T, dir string) []string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, resultsFile))
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Cells []json.RawMessage `json:"cells"`
	}
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, c := range file.Cells {
		out = append(out, string(c))
	}
	return out
}

// A run is killed in the middle of its third cell, and resumed.
func TestAKilledRunIsResumed(t *testing.T) {
	out := t.TempDir()
	args := []string{"run", "-p", "smoke", "-s", "minheap$|quadheap$", "-w", "^hold$|^idle$", "-n", "10,20,200000", "--trials", "6", "-o", out}
	_, said, _ := signalAtThirdStep(t, syscall.SIGKILL, args...)
	before := rawCells(t, out)
	partial, err := results.Read(filepath.Join(out, resultsFile))
	if err != nil || partial.Complete || len(before) != 2 || len(partial.Done) != 2 {
		t.Fatalf("%v: %d cells, steps %q; it said:\n%s", err, len(before), partial.Done, said)
	}
	left := filepath.Join(out, "."+resultsFile+"-ABCDEFGH") // as a process leaves it that is killed while it writes
	if err := os.WriteFile(left, []byte("{"), 0o644); err != nil {
		t.Fatal(err)
	}

	for name, c := range map[string]struct {
		change []string
		want   string
	}{
		"another seed":       {[]string{"--seed", "2"}, "seed was 1, is 2 now"},
		"another profile":    {[]string{"-p", "normal"}, `profile was "smoke", is "normal" now`},
		"other rounds":       {[]string{"--trials", "8"}, "trials was 6, is 8 now"},
		"other sizes":        {[]string{"-n", "30"}, "n has 30, had not now"},
		"another structure":  {[]string{"-s", "quadheap$"}, "number 1 of structures was minheap, is quadheap now"},
		"another shard":      {[]string{"--shard", "1/2"}, `shard was "", is "1/2" now`},
		"no folder":          {[]string{"-o", ""}, "want the folder of the interrupted run in --out"},
		"with a race in it":  {[]string{"--budget", "9s"}, "budget_seconds was 0, is 9 now"},
		"with other layouts": {[]string{"--layouts", "1"}, "layouts was 0, is 1 now"},
	} {
		code, _, stderr := run(append(append(args, "--resume"), c.change...)...)
		if code != exitError || !strings.Contains(stderr, c.want) {
			t.Errorf("%s: exit %d, %q does not say %q", name, code, stderr, c.want)
		}
	}

	resumed := must(t, append(args, "--resume")...)
	if !strings.Contains(resumed, "2 finished steps are kept") || strings.Contains(resumed, "hold, n 10 ") {
		t.Errorf("it said %q", resumed)
	}
	after := rawCells(t, out)
	for i, cell := range before {
		if after[i] != cell {
			t.Errorf("cell %d has changed", i+1)
		}
	}
	whole, err := results.Read(filepath.Join(out, resultsFile))
	if err != nil || !whole.Complete || len(whole.Cells) != 6 || len(whole.Idle) == 0 || len(whole.Memory) == 0 || whole.Done != nil {
		t.Errorf("%v: complete %v, %d cells, %d idle counts, steps %q", err, whole.Complete, len(whole.Cells), len(whole.Idle), whole.Done)
	}
	if whole.Seconds <= partial.Seconds || !whole.Created.Equal(partial.Created) {
		t.Errorf("%v s after %v s, created %v after %v", whole.Seconds, partial.Seconds, whole.Created, partial.Created)
	}
	for path := range contents(t, out) {
		if strings.HasPrefix(filepath.Base(path), ".") {
			t.Errorf("%s was left behind", path)
		}
	}
	if code, _, stderr := run(append(args, "--resume")...); code != exitError || !strings.Contains(stderr, "is a complete run") {
		t.Errorf("resuming a complete run: exit %d: %s", code, stderr)
	}
}

func TestResumingWhatHasNotBegunBegins(t *testing.T) {
	out := t.TempDir()
	if said := must(t, append(tiny, "-o", out, "--resume")...); !strings.Contains(said, "holds no results yet") {
		t.Errorf("it said %q", said)
	}
	if r, err := results.Read(filepath.Join(out, resultsFile)); err != nil || !r.Complete {
		t.Errorf("%v, complete %v", err, r.Complete)
	}
}
