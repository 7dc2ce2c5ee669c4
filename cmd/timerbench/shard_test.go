//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/timerbench/timerbench/bench/runs"
)

// asProgramFile writes a script that runs the command.
func asProgramFile(t *testing.T, path string) {
	t.Helper()
	writeText(t, path, "#!/bin/sh\n"+asCommand+"=1 exec '"+os.Args[0]+"' \"$@\"\n")
	if err := os.Chmod(path, 0o755); err != nil {
		t.Fatal(err)
	}
}

// The loop of the documentation, on a tiny matrix.
func TestTheLoopOverShardsInTheDocumentation(t *testing.T) {
	one := aRun(t)
	t.Parallel()
	_, rest, found := strings.Cut(readText(t, "../../docs/sharding.md"), "```sh\n# loop\n")
	loop, _, closed := strings.Cut(rest, "```")
	if !found || !closed {
		t.Fatal("docs/sharding.md has no loop")
	}
	dir := t.TempDir()
	asProgramFile(t, filepath.Join(dir, "timerbench"))
	cmd := exec.Command("sh", "-euc", loop)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"), "SHARDS=2",
		"FLAGS=--profile smoke --structure '^(list|quadheap|hwheel)$' --workload '^(hold|churn)$' --n 100 --trials 1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	a, b, other := filepath.Join(dir, "shard-1"), filepath.Join(dir, "shard-2"), filepath.Join(dir, "other")
	must(t, "merge", filepath.Join(dir, "again"), b, a)
	merged := resultsOf(t, filepath.Join(dir, "whole"))
	if !merged.Complete || len(merged.Cells) != 2 || len(merged.Machines) != 2 || merged.Cells[0].Workload != "hold" || len(merged.Cells[0].Rows) != 5 {
		t.Errorf("complete %v, %d cells, %d machines, the first: %+v", merged.Complete, len(merged.Cells), len(merged.Machines), merged.Cells[0])
	}
	for want, args := range map[string][]string{
		"shard 2/2 is missing": {"merge", other, a},
		"are both shard 1/2":   {"merge", other, a, b, a},
		"run is not a shard":   {"merge", other, a, one},
		"is a complete run of": {"merge", one, a, b},
	} {
		refused(t, args, want)
	}
}

// The program is built twice, with two code layouts, and runs twice. Interrupted layouts
// are not run again. The go command is one that notes what it is told, and builds the test
// program; package ab has tests of real builds.
func TestLayoutsAreBuiltAndMerged(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	asProgramFile(t, filepath.Join(dir, "program"))
	writeText(t, filepath.Join(dir, "go"), `#!/bin/sh
echo "$@" >>"`+dir+`/told"
while [ "$1" != -o ]; do shift; done; cp "`+dir+`/program" "$2"
`)
	if err := os.Chmod(filepath.Join(dir, "go"), 0o755); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(dir, "out")
	layouts := func(path string, args ...string) (said string, err error) {
		cmd := command(append(append(tiny[:len(tiny):len(tiny)], "--trials", "3", "--layouts", "2", "-w", "^churn$|^idle$", "-o", out), args...)...)
		cmd.Env = append(cmd.Env, "PATH="+path)
		text, err := cmd.CombinedOutput()
		return string(text), err
	}
	path := dir + ":" + os.Getenv("PATH")
	if said, err := layouts(path); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	says(t, readText(t, filepath.Join(dir, "told")), "-randlayout=1", "-randlayout=2", "cmd/timerbench")
	r := resultsOf(t, out)
	instances := map[[2]int]bool{}
	for _, row := range r.Cells[0].Rows {
		if row.Structure == "hwheel" {
			for i, trial := range row.Cost {
				instances[[2]int{trial.Layout, trial.Instance}] = true
				if trial.Round != i || trial.Layout != 1+i/3 {
					t.Errorf("trial %d is round %d of layout %d", i, trial.Round, trial.Layout)
				}
			}
		}
	}
	if len(instances) < 4 || r.Parameters.Layouts != 2 || !r.Complete || len(r.Memory) != 1 {
		t.Errorf("%d instances of 2 layouts; %+v, complete %v, %d memory rows", len(instances), r.Parameters, r.Complete, len(r.Memory))
	}

	// The second layout was interrupted, and so was the run.
	if err := os.RemoveAll(filepath.Join(out, runs.Layouts, "2")); err != nil {
		t.Fatal(err)
	}
	first := filepath.Join(out, runs.Layouts, "1", runs.Results)
	kept := readText(t, first)
	r.Complete = false
	put(t, out, r)
	said, err := layouts(path, "--resume")
	says(t, said, "layout 2 of 2")
	if err != nil || strings.Contains(said, "layout 1 of 2") || readText(t, first) != kept {
		t.Errorf("%v: the first layout has changed; it said %q", err, said)
	}
	said, _ = layouts(t.TempDir(), "-o", filepath.Join(dir, "none"))
	says(t, said, "takes the Go toolchain")
}
