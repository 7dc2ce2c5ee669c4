//go:build unix

package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/timerbench/timerbench/bench/results/store"
	"github.com/timerbench/timerbench/internal/fail"
	"github.com/timerbench/timerbench/internal/longtest"
	"github.com/timerbench/timerbench/internal/tracetest"
)

// signalAt runs a command and sends it a signal at the first line of its standard error with each of the parts.
// It returns the standard error.
func signalAt(t *testing.T, parts string, signal os.Signal, cmd *exec.Cmd) (said string) {
	t.Helper()
	stderr, err := cmd.StderrPipe()
	fail.If(t, err)
	fail.If(t, cmd.Start())
	var text strings.Builder
	left := strings.Split(parts, "|")
	for lines := bufio.NewScanner(stderr); lines.Scan(); {
		text.WriteString(lines.Text() + "\n")
		if i := slices.IndexFunc(left, func(part string) bool { return strings.Contains(lines.Text(), part) }); i >= 0 {
			left = slices.Delete(left, i, i+1)
			fail.If(t, cmd.Process.Signal(signal))
		}
	}
	_ = cmd.Wait() // how it ended is asked of the command
	return text.String()
}

// Ctrl-C ends the runs of a session of ab. It leaves neither temporary files nor an empty folder.
func TestCtrlCEndsASession(t *testing.T) {
	t.Parallel()
	dir, temporary := t.TempDir(), t.TempDir()
	cmd := command("ab", "--old", os.Args[0], "--new", os.Args[0], "-s", "^(quadheap)$", "-w", "^hold$", "-n", "1e6", "--rounds", "50", "-o", filepath.Join(dir, "out"))
	cmd.Env = append(cmd.Env, "TMPDIR="+temporary)
	if said := signalAt(t, "[1/", os.Interrupt, cmd); cmd.ProcessState.ExitCode() != exitInterrupted {
		t.Errorf("ended with %v, want exit %d: %s", cmd.ProcessState, exitInterrupted, said)
	}
	left := fail.Files(t, dir) + fail.Files(t, temporary)
	if left != "" && left != "goimports" { // which x/tools makes in programs of tests
		t.Errorf("it left %s", left)
	}
}

// A second Ctrl-C ends a command at once, and leaves no folder of a run without results.
func TestTheSecondCtrlCLeavesNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cmd := command("run", "-p", "smoke", "-s", "^list$", "-w", "^fill-drain$", "-n", "10000", "--trials", "2000", "-o", filepath.Join(dir, "out"))
	said := signalAt(t, "[1/|stopping (press", os.Interrupt, cmd)
	if left := fail.Files(t, dir); cmd.ProcessState.ExitCode() != exitInterrupted || left != "" {
		t.Errorf("ended with %v, left %s: %s", cmd.ProcessState, left, said)
	}
}

// Ctrl-C keeps the rows of live that are measured.
func TestCtrlCKeepsWhatLiveHasMeasured(t *testing.T) {
	t.Parallel()
	out := filepath.Join(t.TempDir(), "out")
	cmd := command("live", "-g", "1", "-n", "20000", "--for", "5s", "-o", out)
	said := signalAt(t, "memory: ", os.Interrupt, cmd)
	if r := resultsOf(t, out); cmd.ProcessState.ExitCode() != exitInterrupted || r.Complete || len(r.Live.Rows) == 0 || len(r.Live.Rows[0].Throughput) == 0 {
		t.Errorf("ended with %v, %+v: %s", cmd.ProcessState, r.Live, said)
	}
	fail.Unless(t, said, "results are in "+out, " measured before the interruption")
}

// rawCells returns the undecoded cells of a results file.
func rawCells(t *testing.T, dir string) (out []string) {
	t.Helper()
	var file struct {
		Cells []json.RawMessage `json:"cells"`
	}
	fail.If(t, json.Unmarshal([]byte(fail.Read(t, filepath.Join(dir, store.FileName))), &file))
	for _, c := range file.Cells {
		out = append(out, string(c))
	}
	return out
}

// A run is killed in the middle of its third cell, resumed, ended there by Ctrl-C, and resumed again.
func TestAnEndedRunIsResumed(t *testing.T) {
	t.Parallel()
	out := t.TempDir()
	args := []string{"run", "-p", "smoke", "-s", "minheap$|quadheap$", "-w", "^hold$|^idle$", "-n", "10,20,30000", "--trials", "2", "-o", out}
	said := signalAt(t, "[3/", syscall.SIGKILL, command(args...))
	before, partial := rawCells(t, out), resultsOf(t, out)
	kept := len(partial.Done) // the second one is not saved if the first save took long
	if partial.Complete || len(before) != kept || kept < 1 || kept > 2 {
		t.Fatalf("%d cells, steps %q; it said:\n%s", len(before), partial.Done, said)
	}
	fail.Write(t, filepath.Join(out, "."+store.FileName+"-ABCDEFGH"), "{") // as a process leaves it that is killed while it writes

	args = append(args, "--resume")
	for want, change := range map[string][]string{
		"seed was 1, is 2 now":                                {"--seed", "2"},
		`profile was "smoke", is "normal" now`:                {"-p", "normal"},
		"trials was 2, is 8 now":                              {"--trials", "8"},
		"n has 30, had not now":                               {"-n", "30"},
		"number 1 of structures was minheap, is quadheap now": {"-s", "quadheap$"},
		"budget_seconds was 0, is 9 now":                      {"--budget", "9s"},
	} {
		refused(t, append(args[:len(args):len(args)], change...), want)
	}

	cmd := command(args...)
	if said = signalAt(t, "[3/", os.Interrupt, cmd); cmd.ProcessState.ExitCode() != exitInterrupted {
		t.Fatalf("ended with %v, want exit %d; it said:\n%s", cmd.ProcessState, exitInterrupted, said)
	}
	fail.Unless(t, said, fmt.Sprint("kept: ", kept, " finished step"), "timerbench: stopping (press Ctrl-C again to end at once)", "the finished steps are in")
	if r := resultsOf(t, out); r.Complete || len(r.Cells) != 2 {
		t.Errorf("complete %v with %d cells, want 2 and not complete", r.Complete, len(r.Cells))
	}

	text, err := command(args...).CombinedOutput()
	resumed := string(text)
	if err != nil {
		t.Fatalf("%v: %s", err, resumed)
	}
	fail.Unless(t, resumed, "kept: 2 finished steps")
	fail.UnlessLacks(t, resumed, "hold, n 10 ")
	after, whole := rawCells(t, out), resultsOf(t, out)
	for i, cell := range before {
		fail.UnlessSame(t, "a cell that was kept", after[i], cell)
	}
	if !whole.Complete || len(whole.Cells) != 6 || len(whole.IdleTicks) == 0 || len(whole.Memory) == 0 || whole.Done != nil {
		t.Errorf("complete %v, %d cells, %d idle counts, steps %q", whole.Complete, len(whole.Cells), len(whole.IdleTicks), whole.Done)
	}
	if whole.Seconds <= partial.Seconds || !whole.Created.Equal(partial.Created) {
		t.Errorf("%v s after %v s, created %v after %v", whole.Seconds, partial.Seconds, whole.Created, partial.Created)
	}
	fail.UnlessSame(t, "the folder", fail.Files(t, out), store.Benchmarks+" "+store.FileName)
	refused(t, args, "is a complete run")
}

// The commands of the README run as they stand. Their folder also has a program in Go and one in C. Commands that build a runtime of Go
// or two revisions take minutes, so only the long test runs them. The others read a trace that this test writes.
func TestCommandsOfTheREADME(t *testing.T) {
	cc, err := exec.LookPath("cc")
	long := longtest.Scale(t, 0, 1, 2)
	if err != nil || long == 0 {
		t.Skip("seconds of work, with a C compiler (cc):", err)
	}
	t.Parallel()
	root, err := filepath.Abs("../..")
	fail.If(t, err)
	lines := regexp.MustCompile(`(?m)^bin/timerbench .*$`).FindAllString(fail.Read(t, "../../README.md"), -1)
	if len(lines) < 8 {
		t.Fatalf("%d commands: %q", len(lines), lines)
	}
	dir := t.TempDir()
	sh := func(line string) {
		t.Helper()
		cmd := exec.Command("sh", "-ec", line)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), asCommand+"=1")
		started := time.Now()
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", line, err, out)
		}
		t.Logf("%.1f s: %s", time.Since(started).Seconds(), line)
	}
	fail.Write(t, filepath.Join(dir, "go.mod"), "module my\n\ngo 1.26\n")
	fail.Write(t, filepath.Join(dir, "cmd/my-server/main.go"), "package main\n\nimport \"time\"\n\n"+
		"func main() {\n\tfor range 50_000 {\n\t\ttime.AfterFunc(time.Second, func() {}).Stop()\n\t}\n\ttime.Sleep(time.Second)\n}\n")
	sh("mkdir bin; ln -s " + os.Args[0] + " bin/timerbench; " + cc + " -O2 -o my-wheel " + root + "/bench/external/files/start.c")
	tracetest.File(t, filepath.Join(dir, "my.trace"), "churn", 1000, 2e4)
	for _, line := range lines {
		build := strings.Contains(line, "trace build")
		if ab := strings.Contains(line, " ab "); long < 2 && (ab || build) {
			continue
		} else if ab {
			line = "git clone -q --shared " + root + " clone; cd clone; git rev-parse -q --verify main || git branch main; mv ../bin .; " + line
		}
		sh(line)
		if build {
			sh("TIMERBENCH_TRACE=my.trace ./my.rec; bin/timerbench trace info my.trace | grep 'main.main main.go:7  *function  *50,000'")
		}
	}
}
