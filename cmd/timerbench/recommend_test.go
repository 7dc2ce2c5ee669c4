package main

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/timerbench/timerbench/bench"
	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/report/advice"
	"github.com/timerbench/timerbench/structures/catalog"
)

var update = flag.Bool("update", false, "rewrite what documents show of the command's output")

const recommended = "testdata/recommend.txt"

// questions are those of the golden file.
var questions = [][]string{
	{"recommend", "--n", "1e5", "--cancel", "50%", "--dist", "clustered"},
	{"recommend", "--n", "1e5", "--cancel", "0.9", "--reschedule", "30%", "--weights", "throughput=1,tail=2", "--late"},
	{"recommend", "--n", "1e6"},
	{"recommend", "--n", "2e5", "--reschedule", "90%"},
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
	t.Setenv("COLUMNS", "80")
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

// It takes the run that is named, and says which.
func TestRecommendTakesTheRunThatIsNamed(t *testing.T) {
	t.Chdir(t.TempDir())
	out := filepath.Join(runsFolder, "mine")
	must(t, "run", "--profile", "smoke", "--structure", "^(hwheel|rbtree)$", "--workload", "^hold$", "--n", "50", "--trials", "1", "--out", out)
	file := filepath.Join(out, resultsFile)
	if r, err := results.Read(file); err != nil || r.Command != "timerbench run --n=50 --profile=smoke '--structure=^(hwheel|rbtree)$' --trials=1 '--workload=^hold$'" {
		t.Errorf("the results name the command %q, %v", r.Command, err)
	}
	for _, args := range [][]string{{"--n", "50", out}, {"--n", "50", file}} {
		code, stdout, stderr := run(append([]string{"recommend"}, args...)...)
		if code != 0 || !strings.Contains(stdout, "From "+file+": the smoke run of ") || !strings.Contains(stdout, "rbtree") {
			t.Errorf("%q: exit %d: %s%s", args, code, stdout, stderr)
		}
	}
}

// A run of a part answers for its cells if it has all structures; for all else the last whole run
// does, or the one that is part of the program. report draws the run that was made last.
func TestARunOfAPartAnswersForItsCells(t *testing.T) {
	t.Chdir(t.TempDir())
	asked := func(step, from, note string, args ...string) {
		t.Helper()
		code, stdout, stderr := run(append([]string{"recommend"}, args...)...)
		if code != 0 || !strings.Contains(stdout, "\nFrom "+from+": the normal run of ") || !strings.Contains(stdout, note) {
			t.Errorf("after %s: exit %d: %s%s, want one from %q that says %q", step, code, stdout, stderr, from, note)
		}
	}
	explained := func(step, from, note string) {
		t.Helper()
		code, _, stderr := run("explain", "auto")
		if code != 0 || !strings.HasPrefix(stderr, "results: "+from) || !strings.Contains(stderr, note) {
			t.Errorf("after %s: explain: exit %d: %s, want %q", step, code, stderr, note)
		}
	}
	builtIn := "the run that is part of this program (docs/results)"
	few := func(path string) string {
		return path + " is a part of a run and lacks structures, so it does not answer unless it is named."
	}
	small := filepath.Join(runsFolder, "small")
	must(t, "run", "-p", "smoke", "-s", "^auto$", "-w", "^churn$", "-n", "10", "--trials", "1", "-o", small)
	asked("a run of one structure", builtIn, few(filepath.Join(small, resultsFile)), "--n", "1e6", "--cancel", "90%")

	r, err := advice.Committed()
	if err != nil {
		t.Fatal(err)
	}
	r.Parameters.Structures = nil // it lacks those that came after it
	for _, e := range catalog.All() {
		r.Parameters.Structures = append(r.Parameters.Structures, e.Name)
	}
	if !bench.Whole(r.Parameters) {
		t.Fatal("the run of the program is not whole")
	}
	r.Cells = r.Cells[:4] // its parameters say that it is whole
	whole := filepath.Join(runsFolder, "whole", resultsFile)
	if err := errors.Join(os.MkdirAll(filepath.Dir(whole), 0o755), results.Write(whole, r)); err != nil {
		t.Fatal(err)
	}
	asked("a whole run", whole, few(filepath.Join(small, resultsFile)), "--n", "1e6")

	must(t, "run", "-p", "smoke", "-w", "^(churn|hold)$", "-n", "60", "--trials", "1", "--budget", "0", "-o", filepath.Join(runsFolder, "z-cells"))
	cells := filepath.Join(runsFolder, "z-cells", resultsFile)
	asked("a run of all structures", whole, "hold, n 60 and 1 more cells: from "+cells+", the smoke run of ", "--n", "1e6")

	must(t, "trace", "make", "-w", "churn", "-n", "20", "--ops", "1e4", "-o", "my.trace")
	must(t, "trace", "replay", "my.trace", "--trials", "1", "-o", filepath.Join(runsFolder, "z-trace"))
	replayed := filepath.Join(runsFolder, "z-trace", resultsFile)
	explained("a replay", whole, "trace-churn, n 19: from "+replayed)
	asked("a replay", whole, "trace-churn, n 19: from "+replayed+", the trace run of ", "--n", "1e6")
	if code, stdout, stderr := run("recommend", "--trace", "my.trace"); code != 0 || !strings.Contains(stdout, "\n trace-churn ") {
		t.Errorf("exit %d: %s%s, want an answer that rests on trace-churn", code, stdout, stderr)
	}
	stderr := must(t, "report")
	if !strings.Contains(stderr, "the report of "+replayed) {
		t.Errorf("report draws another run: %s", stderr)
	}
	var typical strings.Builder
	if showTypical(&typical, r); strings.Count(typical.String(), "For about ") != 3 {
		t.Errorf("%s, want three answers", typical.String())
	}
	if code, stdout, _ := run("report", small); code != 0 || strings.Contains(stdout, "For about ") || !strings.Contains(stdout, "recommend --n 1e6") {
		t.Errorf("report of a small run: exit %d: %s, want no answer", code, stdout)
	}
}

func TestRecommendRefusesWithAReason(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for want, args := range map[string][]string{
		"--n is missing":                                   {},
		`--n: "many": want a whole number`:                 {"--n", "many"},
		`--n: "0.5": want a whole number from 1 to 1e8`:    {"--n", "0.5"},
		"--n: \"1e30\": want a whole number from 1 to 1e8": {"--n", "1e30"},
		`--n: "50%": want a whole number`:                  {"--n", "50%"},
		`--cancel: "90": want a share`:                     {"--n", "10", "--cancel", "90"},
		`--cancel: "101%": want a share`:                   {"--n", "10", "--cancel", "101%"},
		`--reschedule: "x": want a share`:                  {"--n", "10", "--reschedule", "x"},
		`shape of delays "odd": want one of constant`:      {"--n", "10", "--dist", "odd"},
		`shape of delays "constant": no workload of these results has it: want one of biased, clustered, exponential, uniform`: {"--n", "10", "--dist", "constant"},
		`--weights: weight "speed=1": want one of`: {"--n", "10", "--weights", "speed=1"},
		"--trace: open nowhere":                    {"--trace", "nowhere"},
		"missing: no such file or folder":          {"--n", "10", "missing"},
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
