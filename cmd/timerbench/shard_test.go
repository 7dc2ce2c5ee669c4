//go:build unix

package main

import (
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/timerbench/timerbench/bench"
	"github.com/timerbench/timerbench/bench/results"
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

// The loop of the documentation, on a tiny matrix. The ratio of two structures is that of
// one run, within the noise of a machine that does other things.
func TestTheLoopOverShardsInTheDocumentation(t *testing.T) {
	_, rest, found := strings.Cut(readText(t, "../../docs/sharding.md"), "```sh\n# loop\n")
	loop, _, closed := strings.Cut(rest, "```")
	if !found || !closed {
		t.Fatal("docs/sharding.md has no loop")
	}
	dir := t.TempDir()
	asProgramFile(t, filepath.Join(dir, "timerbench"))
	cmd := exec.Command("sh", "-euc", loop)
	cmd.Dir = dir
	flags := []string{"--profile", "smoke", "--structure", "^(list|quadheap|hwheel)$", "--workload", "^(hold|churn)$", "--n", "1000", "--trials", "6"}
	cmd.Env = append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"), "FLAGS='"+strings.Join(flags, "' '")+"'", "SHARDS=2")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Chdir(dir)
	must(t, append(append([]string{"run"}, flags...), "-o", "one")...)
	merged, whole := resultsOf(t, "whole"), resultsOf(t, "one")
	if !merged.Complete || len(merged.Cells) != 2 || len(whole.Cells) != 2 || len(merged.Machines) != 2 {
		t.Fatalf("complete %v, %d and %d cells, %d machines", merged.Complete, len(merged.Cells), len(whole.Cells), len(merged.Machines))
	}
	for i, c := range merged.Cells {
		if c.Workload != whole.Cells[i].Workload {
			t.Errorf("cell %d is %s, want the order of one run: %s", i, c.Workload, whole.Cells[i].Workload)
		}
		got, want := ratioOf(t, c, "list", "quadheap"), ratioOf(t, whole.Cells[i], "list", "quadheap")
		if math.Abs(math.Log(got/want)) > math.Log(8) { // the machine may be busy
			t.Errorf("%s: list takes %.2f times what quadheap takes, in one run %.2f", c.Workload, got, want)
		}
	}
	must(t, "report", "--out", "whole")
	for want, line := range map[string]string{
		"shard 2/2 is missing":    "merge other shard-1",
		"are both shard 1/2":      "merge other shard-1 shard-2 shard-1",
		"one is not a shard":      "merge other shard-1 one",
		"is a complete run of 20": "merge one shard-1 shard-2",
	} {
		refused(t, strings.Fields(line), want)
	}
}

// ratioOf returns the median over the rounds of the ratio of two structures.
func ratioOf(t *testing.T, c results.Cell, a, b string) float64 {
	t.Helper()
	costs := make(map[string][]float64)
	for _, row := range c.Rows {
		for _, trial := range row.Cost {
			costs[row.Structure] = append(costs[row.Structure], trial.NS/trial.Units)
		}
	}
	var ratios []float64
	for i, cost := range costs[a] {
		ratios = append(ratios, cost/costs[b][i])
	}
	if len(ratios) != 6 {
		t.Fatalf("%s: %d rounds of %s", c.Workload, len(ratios), a)
	}
	slices.Sort(ratios)
	return ratios[3]
}

// The program is built twice, with two code layouts, and runs twice. Interrupted layouts
// are not run again. The go command is one that notes what it is told, and builds the test
// program; package ab has tests of real builds.
func TestLayoutsAreBuiltAndMerged(t *testing.T) {
	dir := t.TempDir()
	asProgramFile(t, filepath.Join(dir, "program"))
	writeText(t, filepath.Join(dir, "go"), `#!/bin/sh
echo "$@" >>"`+dir+`/told"
case $1 in
list) echo `+modulePath+` ;;
build) while [ "$1" != -o ]; do shift; done; cp "`+dir+`/program" "$2" ;;
esac
`)
	if err := os.Chmod(filepath.Join(dir, "go"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	out := filepath.Join(dir, "out")
	args := append(tiny, "--layouts", "2", "-w", "^churn$|^idle$", "-o", out)
	must(t, args...)
	says(t, readText(t, filepath.Join(dir, "told")), "-randlayout=1", "-randlayout=2", "cmd/timerbench")
	r := resultsOf(t, out)
	instances := map[[2]int]bool{}
	for _, row := range r.Cells[0].Rows {
		if row.Structure == "hwheel" {
			for i, trial := range row.Cost {
				instances[[2]int{trial.Layout, trial.Instance}] = true
				if trial.Round != i || trial.Layout != 1+i/6 {
					t.Errorf("trial %d is round %d of layout %d", i, trial.Round, trial.Layout)
				}
			}
		}
	}
	profile, _ := bench.FindProfile("smoke")
	if len(instances) != 6 || r.Parameters.Layouts != 2 || !r.Complete || len(r.Memory) != 1 || profile.Layouts != 0 {
		t.Errorf("%d instances of 2 layouts, want 6; %+v, complete %v, %d memory rows", len(instances), r.Parameters, r.Complete, len(r.Memory))
	}

	// The second layout was interrupted, and so was the run.
	if err := os.RemoveAll(filepath.Join(out, runs.Layouts, "2")); err != nil {
		t.Fatal(err)
	}
	first := filepath.Join(out, runs.Layouts, "1", runs.Results)
	kept := readText(t, first)
	r.Complete = false
	put(t, out, r)
	_, said := must(t, append(args, "--resume")...)
	if says(t, said, "layout 2 of 2"); strings.Contains(said, "layout 1 of 2") || readText(t, first) != kept {
		t.Errorf("the first layout has changed; it said %q", said)
	}

	t.Setenv("PATH", t.TempDir())
	refused(t, append(tiny, "--layouts", "2", "-o", filepath.Join(dir, "none")), "needs the Go toolchain")
}
