package main

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/timerbench/timerbench/bench/results"
)

var update = flag.Bool("update", false, "rewrite what documents show of the command's output")

const recommended = "testdata/recommend.txt"

// questions are those of the golden file.
var questions = [][]string{
	{"recommend", "--n", "1e5", "--cancel", "50%", "--dist", "clustered"},
	{"recommend", "--n", "1e5", "--cancel", "0.9", "--reschedule", "30%", "--weights", "throughput=1,tail=2", "--exact"},
	{"recommend", "--n", "3e6", "--cancel", "99%", "--weights", "memory,idle"},
	{"recommend", "--trace", "TRACE"},
	{"recommend", "--judge"},
}

func TestRecommendGolden(t *testing.T) {
	golden, err := filepath.Abs(recommended)
	if err != nil {
		t.Fatal(err)
	}
	trace, err := filepath.Abs("../../traces/http.trace")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir()) // no runs: the results are those of the program
	var b strings.Builder
	for _, args := range questions {
		b.WriteString("$ timerbench " + strings.Join(args, " ") + "\n")
		for i := range args {
			if args[i] == "TRACE" {
				args[i] = trace
			}
		}
		code, stdout, stderr := run(args...)
		if code != 0 || stderr != "" {
			t.Fatalf("%q: exit %d: %s", args, code, stderr)
		}
		for line := range strings.Lines(stdout) {
			b.WriteString(strings.TrimRight(line, " \n") + "\n")
		}
		b.WriteString("\n")
	}
	if *update {
		if err := os.WriteFile(golden, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if b.String() != string(want) {
		t.Errorf("recommend says (rewrite %s with -update):\n%s\nwant:\n%s", recommended, b.String(), want)
	}
}

// It takes the last run, or the one that is named, and says which.
func TestRecommendTakesTheLastRun(t *testing.T) {
	t.Chdir(t.TempDir())
	out := filepath.Join(runsFolder, "mine")
	if code, _, stderr := run("run", "--profile", "smoke", "--structure", "^(hwheel|rbtree)$", "--workload", "^hold$", "--n", "50", "--trials", "1", "--out", out); code != 0 {
		t.Fatalf("run: exit %d: %s", code, stderr)
	}
	file := filepath.Join(out, resultsFile)
	if r, err := results.Read(file); err != nil || r.Command != "timerbench run --n=50 --profile=smoke '--structure=^(hwheel|rbtree)$' --trials=1 '--workload=^hold$'" {
		t.Errorf("the results name the command %q, %v", r.Command, err)
	}
	for _, args := range [][]string{{"--n", "50"}, {"--n", "50", out}, {"--n", "50", file}} {
		code, stdout, stderr := run(append([]string{"recommend"}, args...)...)
		if code != 0 || !strings.Contains(stdout, "From "+file+": the smoke run of ") || !strings.Contains(stdout, "rbtree") {
			t.Errorf("%q: exit %d: %s%s", args, code, stdout, stderr)
		}
	}
	code, stdout, stderr := run("report", out)
	if code != 0 || strings.Count(stdout, "For about ") != 3 || !strings.Contains(stderr, "report.html") {
		t.Errorf("report: exit %d: %s%s, want three answers and the page", code, stdout, stderr)
	}
}

func TestRecommendRefusesWithAReason(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for want, args := range map[string][]string{
		"--n is missing":                              {},
		"--n many: want a number":                     {"--n", "many"},
		"number of timers 0.5":                        {"--n", "0.5"},
		"--n 50%: want a number":                      {"--n", "50%"},
		"--cancel 90: want a share":                   {"--n", "10", "--cancel", "90"},
		"--cancel 101%: want a share":                 {"--n", "10", "--cancel", "101%"},
		"--reschedule x: want a share":                {"--n", "10", "--reschedule", "x"},
		`shape of delays "odd": want one of constant`: {"--n", "10", "--dist", "odd"},
		`--weights: weight "speed=1": want one of`:    {"--n", "10", "--weights", "speed=1"},
		"--trace: open nowhere":                       {"--trace", "nowhere"},
		"missing: no such file or folder":             {"--n", "10", "missing"},
	} {
		code, stdout, stderr := run(append([]string{"recommend"}, args...)...)
		if code == 0 || stdout != "" || !strings.Contains(stderr, want) {
			t.Errorf("%q: exit %d, %q, %q, want %q", args, code, stdout, stderr, want)
		}
	}
	if err := os.WriteFile("empty.json", []byte(`{"format": "timerbench-results", "version": 1}`), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"--n", "10"}, {"--judge"}} {
		code, _, stderr := run(append([]string{"recommend", "empty.json"}, args...)...)
		if code == 0 || !strings.Contains(stderr, "empty.json: ") {
			t.Errorf("%q: exit %d, %q, want the reason", args, code, stderr)
		}
	}
}

// Results that hold little give an answer that says what is missing, or an error that does.
func TestRecommendFromResultsThatHoldLittle(t *testing.T) {
	version1 := filepath.Join("..", "..", "report", "testdata", "version1.json.gz")
	write := func(change func(*results.Run)) string {
		t.Helper()
		r, err := results.Read(version1)
		if err != nil {
			t.Fatal(err)
		}
		change(r)
		path := filepath.Join(t.TempDir(), "results.json")
		if err := results.Write(path, r); err != nil {
			t.Fatal(err)
		}
		return path
	}
	one := write(func(r *results.Run) {
		for i := range r.Cells {
			r.Cells[i].Rows = slices.DeleteFunc(r.Cells[i].Rows, func(row results.Row) bool { return row.Structure != "hwheel" })
		}
	})
	partial := write(func(r *results.Run) { r.Complete, r.Cells, r.Idle = false, r.Cells[:1], nil })
	trace := write(func(r *results.Run) {
		r.Cells, r.Idle = r.Cells[len(r.Cells)-1:], nil
		c := &r.Cells[0]
		c.Workload, c.Category = "mine", "recorded"
		r.Parameters.Traces = map[string]results.Recording{"mine": {File: "mine.trace"}}
	})
	for name, test := range map[string]struct{ path, want string }{
		"version 1":     {version1, "For about 1,000 timers, 90 % cancelled, any delays, by throughput and memory: quadheap; next hwheel"},
		"no memory":     {version1, "These results hold no figures for memory, so that does not count."},
		"one structure": {one, "These results hold one structure only, so there is nothing to compare it with."},
		"interrupted":   {partial, "The run was interrupted: cells may be missing."},
		"a trace alone": {trace, "mine"},
	} {
		code, out, stderr := run("recommend", "--n", "1000", "--cancel", "90%", "--weights", "throughput=9,memory", test.path)
		if code != 0 || !strings.Contains(out, test.want) {
			t.Errorf("%s: exit %d, does not say %q:\n%s%s", name, code, test.want, out, stderr)
		}
	}
	empty := write(func(r *results.Run) { r.Cells = nil })
	if code, out, stderr := run("recommend", "--n", "1000", empty); code == 0 || !strings.Contains(stderr, "no costs of structures") || out != "" {
		t.Errorf("of results without cells: exit %d, %q, %q", code, out, stderr)
	}
}
