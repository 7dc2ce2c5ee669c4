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
)

// The dry run measures nothing and writes nothing.
func TestADryRunPrintsThePlan(t *testing.T) {
	t.Chdir(t.TempDir())
	code, stdout, stderr := run("run", "--dry-run", "-p", "full")
	if code != 0 {
		t.Fatal(stderr)
	}
	for _, want := range []string{"hold, n 10000000", " min", "shards (--shard 1/", "memory, n 10000000", "idle wake-ups, "} {
		if !strings.Contains(stdout, want) {
			t.Errorf("%q does not say %q", stdout, want)
		}
	}
	_, stdout, _ = run("run", "--dry-run", "-s", "^hwheel$", "-w", "^hold$", "-n", "10")
	for _, want := range []string{"hold, n 10 ", "1 steps", "until 5m0s", "1 shard takes at most 30 min"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("%q does not say %q", stdout, want)
		}
	}
	if left, _ := os.ReadDir("."); len(left) != 0 {
		t.Errorf("it left %v", left)
	}
}

// The loop of the documentation, on a tiny matrix. The ratio of two structures is that of
// one run, within the noise of a machine that does other things.
func TestTheLoopOverShardsInTheDocumentation(t *testing.T) {
	text, err := os.ReadFile("../../docs/sharding.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(text), "```sh\n# loop\n")
	loop, _, closed := strings.Cut(rest, "```")
	if !found || !closed {
		t.Fatal("docs/sharding.md has no loop")
	}
	dir := t.TempDir()
	bin := filepath.Join(dir, "timerbench")
	script := "#!/bin/sh\n" + asCommand + "=1 exec '" + os.Args[0] + "' \"$@\"\n"
	if err := os.WriteFile(bin, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("sh", "-euc", loop)
	cmd.Dir = dir
	flags := []string{"--profile", "smoke", "--structure", "^(list|quadheap|hwheel)$", "--workload", "^(hold|churn)$", "--n", "1000", "--trials", "6"}
	cmd.Env = append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"), "FLAGS='"+strings.Join(flags, "' '")+"'", "SHARDS=2")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	merged, err := results.Read(filepath.Join(dir, "whole", resultsFile))
	if err != nil {
		t.Fatal(err)
	}
	one := filepath.Join(dir, "one")
	must(t, append(append([]string{"run"}, flags...), "-o", one)...)
	whole, err := results.Read(filepath.Join(one, resultsFile))
	if err != nil {
		t.Fatal(err)
	}
	if !merged.Complete || len(merged.Cells) != 2 || len(whole.Cells) != 2 || len(merged.Machines) != 2 {
		t.Fatalf("complete %v, %d and %d cells, %d machines", merged.Complete, len(merged.Cells), len(whole.Cells), len(merged.Machines))
	}
	for i, c := range merged.Cells {
		if c.Workload != whole.Cells[i].Workload {
			t.Errorf("cell %d is %s, want the order of one run: %s", i, c.Workload, whole.Cells[i].Workload)
		}
		got, want := ratioOf(t, c, "list", "quadheap"), ratioOf(t, whole.Cells[i], "list", "quadheap")
		if math.Abs(math.Log(got/want)) > math.Log(3) { // the machine may be busy
			t.Errorf("%s: list takes %.2f times what quadheap takes, in one run %.2f", c.Workload, got, want)
		}
	}
	if code, _, stderr := run("report", "--out", filepath.Join(dir, "whole")); code != 0 {
		t.Errorf("the report of merged shards: %s", stderr)
	}

	first := filepath.Join(dir, "shard-1")
	second := filepath.Join(dir, "shard-2")
	other := filepath.Join(dir, "other")
	for want, args := range map[string][]string{
		"want a folder for the whole and the folders of its shards": {"merge", first},
		"shard 2/2 is missing":    {"merge", other, first},
		"are both shard 1/2":      {"merge", other, first, second, first},
		one + " is not a shard":   {"merge", other, first, one},
		"no such file or folder":  {"merge", other, first, filepath.Join(dir, "none")},
		"is a complete run of 20": {"merge", one, first, second},
		`--shard "3/2": want a`:   {"run", "--shard", "3/2"},
		"nothing to run":          {"run", "--shard", "2/2", "-s", "^hwheel$", "-w", "^hold$", "-n", "10", "-o", other},
	} {
		if code, _, stderr := run(args...); code != exitError || !strings.Contains(stderr, want) {
			t.Errorf("%q: exit %d, %q does not say %q", args, code, stderr, want)
		}
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
// are not run again.
func TestLayoutsAreBuiltAndMerged(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds the program")
	}
	out := t.TempDir()
	args := append(tiny, "--layouts", "2", "-w", "^churn$|^idle$", "-o", out)
	must(t, args...)
	r, err := results.Read(filepath.Join(out, resultsFile))
	if err != nil {
		t.Fatal(err)
	}
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
	if err := os.RemoveAll(filepath.Join(out, layoutsFolder, "2")); err != nil {
		t.Fatal(err)
	}
	kept, err := os.ReadFile(filepath.Join(out, layoutsFolder, "1", resultsFile))
	if err != nil {
		t.Fatal(err)
	}
	r.Complete = false
	if err := results.Write(filepath.Join(out, resultsFile), r); err != nil {
		t.Fatal(err)
	}
	said := must(t, append(args, "--resume")...)
	if strings.Contains(said, "layout 1 of 2") || !strings.Contains(said, "layout 2 of 2") {
		t.Errorf("it said %q", said)
	}
	now, err := os.ReadFile(filepath.Join(out, layoutsFolder, "1", resultsFile))
	if err != nil || string(now) != string(kept) {
		t.Errorf("the first layout has changed, %v", err)
	}
}

func TestLayoutsNeedTheToolchainAndTheSources(t *testing.T) {
	t.Chdir(t.TempDir())
	if code, _, stderr := run(append(tiny, "--layouts", "2")...); code != exitError || !strings.Contains(stderr, "run it in a folder of the sources of "+modulePath) {
		t.Errorf("outside the sources: exit %d: %s", code, stderr)
	}
	t.Setenv("PATH", t.TempDir())
	if code, _, stderr := run(append(tiny, "--layouts", "2")...); code != exitError || !strings.Contains(stderr, "needs the Go toolchain") {
		t.Errorf("without the toolchain: exit %d: %s", code, stderr)
	}
	if code, _, stderr := run(append(tiny, "--layouts", "-2")...); code != exitError || !strings.Contains(stderr, "--layouts -2: want") {
		t.Errorf("a negative number: exit %d: %s", code, stderr)
	}
}
