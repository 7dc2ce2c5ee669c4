package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/script"
)

// The scenario files that come with the project run, with proof and charts, and
// the results say what they were.
func TestTheShippedScenariosRun(t *testing.T) {
	files, err := filepath.Glob("../../scenarios/*.toml")
	if err != nil || len(files) < 2 {
		t.Fatalf("scenario files %q, %v", files, err)
	}
	out := t.TempDir()
	args := []string{"run", "--profile", "smoke", "--structure", "^hwheel$", "--trials", "1", "--out", out}
	for _, f := range files {
		args = append(args, "--scenario", f)
	}
	if code, _, stderr := run(args...); code != 0 {
		t.Fatalf("run: exit %d: %s", code, stderr)
	}
	r, err := results.Read(filepath.Join(out, resultsFile))
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Cells) != len(files) {
		t.Errorf("%d cells, want one for each of %d files and no built-in", len(r.Cells), len(files))
	}
	for i, f := range files {
		text, _ := os.ReadFile(f)
		name := strings.TrimSuffix(filepath.Base(f), ".toml")
		if r.Cells[i].Workload != name || r.Parameters.Scenarios[name] != string(text) {
			t.Errorf("cell %d is of %q, and of %s the results keep %q", i, r.Cells[i].Workload, name, r.Parameters.Scenarios[name])
		}
		if p := r.Cells[i].Rows[1].Proof; p.Fired == 0 || p.Cancelled == 0 {
			t.Errorf("%s: proof %+v, want timers that fire and timers that are cancelled", name, p)
		}
	}
	if code, _, stderr := run("report", "--out", out); code != 0 {
		t.Fatalf("report: exit %d: %s", code, stderr)
	}
	page, _ := os.ReadFile(filepath.Join(out, "report.md"))
	for _, want := range []string{"| api-gateway | 6,000 requests a second", "The scenario file of chat-heartbeats", "[[parameters.class]]"} {
		if !strings.Contains(string(page), want) {
			t.Errorf("the report does not say %q", want)
		}
	}
}

// A built-in workload that is printed to a file and run from there comes to the same
// checksum; one that is changed needs a name of its own.
func TestWhatScenarioPrintPrintsCanBeRun(t *testing.T) {
	code, text, stderr := run("scenario", "print", "kafka-purgatory")
	if code != 0 {
		t.Fatalf("print: exit %d: %s", code, stderr)
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "mine.toml")
	write := func(text string) {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	proof := func(args ...string) script.Proof {
		t.Helper()
		out := t.TempDir()
		args = append([]string{"run", "-p", "smoke", "-s", "^hwheel$", "--trials", "1", "-o", out}, args...)
		if code, _, stderr := run(args...); code != 0 {
			t.Fatalf("%q: exit %d: %s", args, code, stderr)
		}
		r, err := results.Read(filepath.Join(out, resultsFile))
		if err != nil || len(r.Cells) != 1 {
			t.Fatalf("%q: %v", args, err)
		}
		return r.Cells[0].Rows[1].Proof
	}
	write(text)
	built := proof("-w", "^kafka")
	if from := proof("--scenario", file); from != built {
		t.Errorf("built in %+v, from the file %+v", built, from)
	}
	if both := proof("-w", "^kafka", "--scenario", file); both != built {
		t.Errorf("built in %+v, with the same as a file %+v", built, both)
	}

	write(strings.Replace(text, "335", "340", 1))
	if code, _, stderr := run("scenario", "check", file); code != exitError || !strings.Contains(stderr, file+":1: name = ") {
		t.Errorf("another workload with the name of a built-in: exit %d: %s", code, stderr)
	}
	write(strings.Replace(text, "kafka-purgatory", "mine", 1))
	code, stdout, stderr := run("scenario", "check", file)
	if code != 0 || !strings.Contains(stdout, "mine") || !strings.Contains(stdout, "20") {
		t.Errorf("check: exit %d: %s%s", code, stdout, stderr)
	}
}

func TestAFaultyScenarioRunsNothing(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "faulty.toml")
	text, err := os.ReadFile("../../scenarios/api-gateway.toml")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(strings.Replace(string(text), "4_000", "-4_000", 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(dir, "out")
	code, _, stderr := run("run", "-p", "smoke", "--workload", "hold", "--scenario", file, "--out", out)
	if code != exitError || !strings.Contains(stderr, "parameters.class[0].rate = -4000: want a number a second above 0") {
		t.Errorf("exit %d: %s", code, stderr)
	}
	if _, err := os.Stat(out); !os.IsNotExist(err) {
		t.Errorf("the refused run left %s behind: %v", out, err)
	}
}
