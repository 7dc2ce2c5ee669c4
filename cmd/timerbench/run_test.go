package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/timerbench/timerbench/bench"
	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/results/store"
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/bench/workload"
	"github.com/timerbench/timerbench/internal/fail"
	"github.com/timerbench/timerbench/internal/tracetest"
	"github.com/timerbench/timerbench/structures/catalog"
	"github.com/timerbench/timerbench/structures/entry"
)

func TestRunThenReport(t *testing.T) {
	out := aRun(t)
	fail.Unless(t, measured.said, "draw them with: "+os.Args[0]+" report "+out, "[1/6] hold, n 50", "[4/6] kafka-purgatory, n 100", "[6/6] memory, n 100", "fewer than 6")
	r := resultsOf(t, out)
	if !r.Complete || len(r.Cells) != 4 || r.Parameters.Seed != 9 || r.Parameters.Trials != 2 || len(r.IdleTicks) != 0 {
		t.Errorf("complete %v, %d cells, %d idle counts, parameters %+v", r.Complete, len(r.Cells), len(r.IdleTicks), r.Parameters)
	}
	if want := "timerbench run --n=50,100 --profile=smoke --seed=9 " +
		"'--structure=^(hwheel|hwheel-linux|rbtree|intrusive-heap)$' --trials=2 '--workload=^hold$|kafka'"; r.Command != want {
		t.Errorf("the results name the command %q", r.Command)
	}
	fail.Unless(t, fail.Read(t, filepath.Join(out, store.Benchmarks)), "BenchmarkTimers/workload=hold/n=50/structure=hwheel")

	charts := filepath.Join(t.TempDir(), "charts")
	stdout, _ := must(t, "report", filepath.Join(out, store.FileName), "--out", charts)
	fail.Unless(t, stdout, "recommend --n 1e6") // of a part there is no answer
	for _, file := range []string{"report.md", "report.html", "report-charts/memory.svg"} {
		if len(fail.Read(t, filepath.Join(charts, file))) == 0 {
			t.Errorf("report wrote no %s", file)
		}
	}
	stdout, _ = must(t, "report", out, out)
	fail.Unless(t, stdout, "all 2 machines name the same structure", "TAKE ON B")
}

// The results contain the text of the scenario.
func TestAScenarioStandsInTheResults(t *testing.T) {
	out := t.TempDir()
	const file = "../../scenarios/api-gateway.toml"
	stdout, stderr := must(t, "run", "-p", "smoke", "-s", "^hwheel$", "--scenario", file, "-n", "10", "--trials", "1", "--out", out)
	fail.Unless(t, stdout, "Fastest or tied")
	fail.Unless(t, stderr, "machine: ")
	if r := resultsOf(t, out); !r.Complete || len(r.Cells) != 1 || len(r.Environment.Machine) < 5 || r.Parameters.Scenarios["api-gateway"] != fail.Read(t, file) {
		t.Errorf("complete %v, %d cells, scenarios %q", r.Complete, len(r.Cells), r.Parameters.Scenarios)
	}
}

// The dry run measures nothing and writes nothing.
func TestADryRunPrintsThePlan(t *testing.T) {
	t.Chdir(t.TempDir())
	stdout, _ := must(t, "run", "--dry-run", "-p", "full")
	fail.Unless(t, stdout, "hold, n 10000000", " min", "memory, n 10000000", "idle ticks, n 1000")
	stdout, _ = must(t, "run", "--dry-run", "-s", "^hwheel$", "-w", "^hold$", "-n", "10")
	fail.Unless(t, stdout, "hold, n 10 ", "20000 by kind, 20000 single calls", "hold, n 10, from round 16 ", "4 steps", "Within 5m0s:")
	fail.UnlessSame(t, "files left", fail.Files(t, "."), "")
	// The names of traces are names of workloads too.
	tracetest.File(t, "my.trace", "churn", 10, 1e5)
	stdout, _ = must(t, "run", "--dry-run", "--traces", ".", "-w", "^trace-churn$")
	fail.Unless(t, stdout, "trace-churn, n ")
	fail.UnlessLacks(t, stdout, "hold")
}

// timed returns a row whose trials take about ns nanoseconds.
func timed(name string, ns float64) results.Row {
	row := results.Row{Structure: name, Role: results.RoleStructure}
	for i := range 6 {
		row.Cost = append(row.Cost, results.Trial{Instance: i, Round: i, NS: ns * (0.98 + 0.01*float64(i*5%6)), Units: 1})
	}
	return row
}

// summaryOf returns the summary of a run without the leading spaces of lines.
func summaryOf(r *results.Run) string {
	var out strings.Builder
	summarize(&out, r, false)
	return strings.ReplaceAll(out.String(), "\n ", "\n")
}

// The summary names the fastest structures and programs of each cell, the costs of each structure if they are few (with --csv only these),
// and the longest calls.
func TestTheSummary(t *testing.T) {
	floor, program := timed("null", 1), timed("ratas", 40)
	floor.Role, program.Role = results.RoleFloor, results.RoleExternal
	noisy := timed("skiplist", 54)
	for i := range noisy.Cost {
		noisy.Cost[i].NS *= 0.8 + 0.2*float64(i%3)
	}
	r := &results.Run{Cells: []results.Cell{
		{Workload: "hold", N: 1_000_000, Unit: "lifecycle", Rows: []results.Row{timed("rbtree", 500), timed("hwheel", 50), timed("wheel", 150), floor, noisy}},
		{Workload: "idle", N: 1000, Unit: script.PerTick, Rows: []results.Row{
			timed("wheel", 5), timed("hwheel", 5), timed("rbtree", 5), timed("list", 5), timed("skiplist", 5)}},
		{Workload: "lonely", N: 10, Unit: "lifecycle", Rows: []results.Row{timed("hwheel", 120), program}},
	}, External: []results.External{{Name: "ratas", Language: "C++"}}, Calls: []results.Calls{{
		Workload: "avalanche-tick", N: 100_000, Structure: "hwheel",
		Longest: []results.LongestCall{{Operation: results.Schedule, NS: 5_000}, {Operation: results.Pop, NS: 1_647_000, At: 1_114_112}},
	}}}
	said := summaryOf(r)
	fail.Unless(t, said,
		"hold      1,000,000  50.2  ", "lifecycle  hwheel  hwheel and skiplist       wheel 3.0x",
		"tick       wheel   wheel, hwheel and 3 more", "lifecycle  ratas   ratas",
		"avalanche-tick  hwheel     100,000             1,650  Pop        1,114,112")
	for line := range strings.Lines(said) {
		if n := utf8.RuneCountInString(line); n > 120 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	if said := summaryOf(&results.Run{}); said != "" {
		t.Errorf("of nothing it says %q", said)
	}

	r.Calls, r.Cells, r.External = nil, r.Cells[:1], nil
	r.Parameters.Structures, r.Cells[0].Rows[1].Coarse = []string{"rbtree", "hwheel"}, true
	fail.Unless(t, summaryOf(r), "hwheel (late)", "Fastest or tied")
	var out strings.Builder
	summarize(&out, r, true)
	if got := out.String(); !strings.HasPrefix(got, "workload,n,per,structure,ns,lo,hi,rounds,ratio,net,groups\n") || !strings.Contains(got, "\nhold,1000000,lifecycle,rbtree,502.5,") {
		t.Errorf("as CSV:\n%s", got)
	}
}

// The additional rounds after the last step are shown as part of that step.
func TestProgressCountsNoStepThatIsNotThere(t *testing.T) {
	var out strings.Builder
	newProgress(&out).step(1, 1, "racing")
	if !strings.HasPrefix(out.String(), "[1/1] racing") {
		t.Error(out.String())
	}
}

// A run that ends early keeps its finished steps. If it cannot write them, it reports one error, and says what to do if it could before.
func TestARunThatEndsWithAnErrorKeepsWhatIsFinished(t *testing.T) {
	for _, full := range []string{"", "from the start", "later"} {
		folder := &store.Folder{Path: t.TempDir()}
		e, _ := catalog.Find("hwheel")
		cfg := bench.Config{Structures: []entry.Entry{e}, N: []int{10, 20, 30, 40, 50, 60}, Trials: 1, Rounds: 1}
		hold, _ := workload.Find("hold")
		hold.Trial, cfg.Workloads = 100, []workload.Workload{hold}
		turns := 2 * len(cfg.N) // of the floor and the structure
		turn := func() error {
			if turns--; full == "from the start" || full == "later" && folder.Saved && turns < 6 {
				_, _ = os.Remove(folder.Results()), os.Mkdir(folder.Results(), 0o755) // nothing can be written there
			}
			if turns == 0 {
				return errors.New("the session has gone")
			}
			return nil
		}
		plan, err := bench.NewPlan(cfg)
		fail.If(t, err)
		r, lost, err := measureHere(t.Context(), plan, bench.Hooks{Turn: turn}, folder, io.Discard)
		switch {
		case full != "":
			if err == nil || strings.Count(err.Error(), "is a folder") != 1 || folder.Saved != (full == "later") || !lost ||
				strings.Contains(err.Error(), "\nthe steps before are in "+folder.Results()+": make room there, then repeat") != folder.Saved {
				t.Errorf("%s: error %v, saved %v", full, err, folder.Saved)
			}
		case err == nil || lost || len(resultsOf(t, folder.Path).Done) != 5:
			t.Errorf("error %v, %q are finished", err, r.Done)
		}
	}
}

// make passes a $ unchanged.
func TestMakePassesArgumentsOn(t *testing.T) {
	make, err := exec.LookPath("make")
	if err != nil {
		t.Skip(err)
	}
	for _, target := range []string{"bench", "bench-smoke", "bench-full"} {
		out, err := exec.Command(make, "-C", "../..", "-n", target, "ARGS=-s '^auto$'").CombinedOutput()
		if err != nil || !strings.Contains(string(out), "-s '^auto$'") {
			t.Errorf("make %s: %v: %s", target, err, out)
		}
	}
}

// Neither a complete run nor an interrupted run nor a foreign file is replaced, nor a file in the place of the link to the last run.
func TestARunIsNotReplaced(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "complete", &results.Run{Complete: true})
	put(t, "partial", &results.Run{})
	fail.Write(t, filepath.Join("foreign", store.FileName), `{"mine": 1}`)
	link := filepath.Join(store.Parent, store.Latest)
	fail.Write(t, link, "mine")
	before := contents(t, ".")
	for folder, want := range map[string]string{
		"complete": ": " + filepath.Join("complete", store.FileName) + " is a complete run of ", "partial": ": it contains an interrupted run, which is not replaced: continue it with run --resume",
		"foreign": ": its results file is not replaced: " + filepath.Join("foreign", store.FileName) + ": not a results file",
	} {
		refused(t, append(tiny, "-o", folder), "--out "+folder+want)
	}
	refused(t, tiny, link+" is no link to a run and is not replaced")
	fail.UnlessSame(t, "the files", contents(t, "."), before)
}

func TestTwoRunsIntoOneFolderAreRefused(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	first, err := openFolder(out, "smoke", false)
	fail.If(t, err)
	refused(t, append(tiny, "-o", out), "--out "+out+": another run is writing into this folder")
	fail.If(t, first.Close())
	if _, err := os.Stat(out); err == nil {
		t.Error("a run without results left its folder behind")
	}
	for _, none := range []string{out, t.TempDir()} {
		refused(t, append(tiny, "-o", none, "--resume"), "--out "+none+": there is no interrupted run to continue with --resume")
	}
	_, stderr := must(t, append(tiny, "-o", out)...)
	fail.Unless(t, stderr, "2 steps: about 0.")
	if left := fail.Files(t, out); left != store.Benchmarks+" "+store.FileName || !resultsOf(t, out).Complete {
		t.Errorf("it left %s", left)
	}
}

// live saves its results in a new folder or in the folder of a run, even if it cannot print them.
func TestLive(t *testing.T) {
	into, own := t.TempDir(), filepath.Join(t.TempDir(), "own")
	put(t, into, resultsOf(t, aRun(t)))
	t.Parallel()
	folder, r, err := (&liveFlags{out: own}).open()
	if err != nil || !r.Complete || r.Parameters.Profile != "live" {
		t.Fatalf("%v: %+v", err, r)
	}
	fail.If(t, folder.Close())
	var printed, errs bytes.Buffer
	code := execute([]string{"live", "--n", "1000", "--goroutines", "1", "--for", "4s",
		"--into", into}, io.MultiWriter(&printed, full{}), &errs)
	fail.UnlessSame(t, "the exit code", code, exitError)
	fail.Unless(t, errs.String(), "no space left")
	fail.Unless(t, printed.String(), "Processor time of an operation with 1 goroutine among 1,000 timers", "Lateness", "auto tickless")
	if r := resultsOf(t, into); len(r.Live.Rows) != 3 || len(r.Cells) != 4 || r.Parameters.Profile != "smoke" {
		t.Errorf("%+v", r)
	}
}

// Results of live have no cells, so that they do not replace the latest run, which compare reads.
func TestLiveIsNotTheLatestRun(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cmd := command("live", "--n", "1000", "--goroutines", "1", "--for", "4s")
	cmd.Dir = dir
	if said, err := cmd.CombinedOutput(); err != nil || strings.Contains(fail.Files(t, filepath.Join(dir, store.Parent)), store.Latest) {
		t.Fatalf("%v: %s", err, said)
	}
}
