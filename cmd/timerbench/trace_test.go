//go:build unix

package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/timerbench/timerbench/internal/fail"
	"github.com/timerbench/timerbench/internal/tracetest"
	"github.com/timerbench/timerbench/trace"
	"github.com/timerbench/timerbench/trace/tracestat"
)

func TestRecordInfoReplay(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv(asProgram, "ends")
	_, stderr := must(t, "trace", "record", "-o", "my.trace", "--", os.Args[0], "--flag", "-o", "of the program")
	fail.Unless(t, stderr, "my.trace: 10,000 operations in ")
	fail.UnlessSame(t, "record leaves", fail.Files(t, "."), "my.trace")
	t.Setenv(asProgram, "")

	stdout, _ := must(t, "trace", "info", "my.trace")
	fail.Unless(t, stdout, "4,999 ticks, 4.999s", "2,000 operations a second", "29.9 timers on average, 30 at most, 30 at the end", "schedule                   5,000")
	var got struct {
		Schedule, Cancel, Fire, Lost uint64

		PendingAtEnd uint64 `json:"pending_at_end"`
		Sites        []tracestat.Site
	}
	stdout, _ = must(t, "trace", "info", "--json", "my.trace")
	if err := json.Unmarshal([]byte(stdout), &got); err != nil || got.Schedule != 5000 || got.Cancel+got.Fire+got.PendingAtEnd != 5000 || got.PendingAtEnd != 30 ||
		got.Lost != 0 || len(got.Sites) != 1 || got.Sites[0].Timers != 5000 || got.Sites[0].Delays.P50 != 30e6 {
		t.Errorf("%v: %+v", err, got)
	}

	must(t, "trace", "replay", "my.trace", "-s", "^(minheap|hwheel|hwheel-linux)$", "--trials", "2", "--out", "out")
	r := resultsOf(t, "out")
	if c := r.Cells[0]; !r.Complete || c.Workload != "trace-program" || c.N != 30 || len(c.Rows) != 5 || c.TickNS != 1e6 {
		t.Errorf("complete %v, cell %s, n %d, tick %d ns, %d rows", r.Complete, c.Workload, c.N, c.TickNS, len(c.Rows))
	}
}

// The trace of a failing program is complete.
func TestWhatIsNotRecordedIsReported(t *testing.T) {
	for how, c := range map[string]struct{ want, left string }{
		"bare":            {`recorded nothing: was it built by "trace build", or does it call trace.FromEnv`, ""},
		"forgets to stop": {"was not completed: ", ""},
		"fails":           {"exit status 7", "my.trace"},
	} {
		dir := t.TempDir()
		t.Setenv(asProgram, how)
		endsWith(t, exitError, []string{"trace", "record", "-o", filepath.Join(dir, "my.trace"), "--", os.Args[0]}, c.want)
		fail.UnlessSame(t, how, fail.Files(t, dir), c.left)
	}
}

// The trace of a killed program holds everything that it had written. A trace that another process has completed stays.
func TestAKilledProgramLeavesAPartialTrace(t *testing.T) {
	dir := t.TempDir()
	whole, out := filepath.Join(dir, "whole.trace"), filepath.Join(dir, "my.trace")
	tracetest.File(t, whole, "churn", 1000, 4e5)
	die := `head -c $(($(wc -c <"$0") - 9)) "$0" >"$` + trace.EnvFile + `.$$.tmp"; kill -9 $$`
	endsWith(t, exitError, []string{"trace", "record", "-o", out, "--about", "a try", "--", "sh", "-c", die, whole},
		"signal: killed", "my.trace: ", " operations in ", "or without a call of the stop",
		"its last operations are missing")
	stdout, _ := must(t, "trace", "info", out)
	fail.Unless(t, stdout, "a try (cut short)", "advance")
	panics := `cp "$0" "$` + trace.EnvFile + `"; head -c $(($(wc -c <"$0") - 9)) "$0" >"$` + trace.EnvFile + `.99.tmp"; exit 2`
	endsWith(t, exitError, []string{"trace", "record", "-o", out, "--", "sh", "-c", panics, "../../traces/quic.trace"},
		"my.trace: ", "my-99.trace: ", "sh ended by a panic, by another fatal error or by a signal such as SIGKILL, or without a call")
	fail.UnlessSame(t, "record leaves", fail.Files(t, dir), "my-99.trace my.trace whole.trace")
}

func TestASignalToTheRecordingEndsTheProgram(t *testing.T) {
	path := filepath.Join(t.TempDir(), "my.trace")
	cmd := command("trace", "record", "-o", path, "--", "env", "-u", asCommand, asProgram+"=serves", os.Args[0])
	var stderr strings.Builder
	cmd.Stderr = &stderr
	stdout, err := cmd.StdoutPipe()
	fail.If(t, err)
	fail.If(t, cmd.Start())
	if _, err := stdout.Read(make([]byte, len("ready\n"))); err != nil {
		t.Fatal(err, stderr.String())
	}
	fail.If(t, cmd.Process.Signal(syscall.SIGINT))
	_ = cmd.Process.Signal(syscall.SIGTERM) // at once: both are one wish, and no kill
	fail.If(t, cmd.Wait(), stderr.String())
	_, err = tracestat.Read(path)
	fail.If(t, err)
}

// The readable part of a trace that is cut short is used, with a warning. A damaged trace is not replayed at all.
func TestADamagedTrace(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "my.trace.4711.tmp")
	tracetest.File(t, path, "churn", 1000, 2e5)
	whole := fail.Read(t, path)
	fail.Write(t, path, whole[:len(whole)-1])
	for _, args := range [][]string{
		{"trace", "info"}, {"trace", "info", "--json"}, {"recommend", "--trace"},
		{"trace", "replay", "-s", "^minheap$", "--trials", "2", "-o", filepath.Join(t.TempDir(), "out")},
	} {
		stdout, stderr := must(t, append(args, path)...)
		fail.Unless(t, stderr, "warning: "+path+": byte ", "the trace is cut short", ": only the operations before are used")
		if args[1] == "info" {
			fail.Unless(t, stdout, "(cut short)")
		}
	}
	flipped := []byte(whole)
	flipped[len(flipped)-200] ^= 1
	for want, data := range map[string]string{"cut short": whole[:100], "checksum": string(flipped)} {
		fail.Write(t, path, data)
		refused(t, []string{"trace", "info", path}, path+": byte ", want)
		refused(t, []string{"trace", "replay", path, "-o", filepath.Join(dir, "out")}, path+": byte ", want)
		fail.UnlessSame(t, want, fail.Files(t, dir), filepath.Base(path))
	}
}

// fakeValgrind reports ten instructions of the structure per operation, or nine if the name of the
// program is lean. It prints the output of the program.
const fakeValgrind = `#!/bin/sh
while :; do case $1 in --cachegrind-out-file=*) out=${1#*=}; shift;; -*) shift;; *) break;; esac; done
case $1 in *lean) per=9;; *) per=10;; esac
for a; do case $a in first) n=200000;; both) n=400000;; esac; done
cat >"$out" <<END
events: Ir Dr Dw D1mr D1mw DLmr DLmw Bcm Bim
fn=github.com/timerbench/timerbench/structures/auto.(*Timers).Schedule
1 $((n * per)) $n 0 $n 0 0 0 0 0
END
`

func TestCount(t *testing.T) {
	dir := t.TempDir()
	printed, _ := must(t, "count-replay", "auto", "start-stop", "10", "1", "proof")
	prints := "echo '" + strings.TrimSpace(printed) + "'\n"
	for name, text := range map[string]string{
		"setarch": "#!/bin/sh\nshift\nexec \"$@\"\n", "valgrind": fakeValgrind + prints,
		"lean": "#!/bin/sh\n" + prints, "old": "#!/bin/sh\n" + prints,
	} {
		fail.Write(t, filepath.Join(dir, name), text)
		fail.If(t, os.Chmod(filepath.Join(dir, name), 0o755))
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	t.Setenv(asCommand, "1") // for the proof
	count := []string{"count", "-s", "^auto$", "-w", "^start-stop$", "--n", "10"}

	stdout, _ := must(t, count...)
	fail.Unless(t, stdout, "start-stop  10  auto       ", "32 MB")

	// The array comes with a comparison, too.
	stdout, stderr := must(t, append(count, "--json", "--against", filepath.Join(dir, "old"))...)
	var rows []map[string]any
	if err := json.Unmarshal([]byte(stdout), &rows); err != nil || len(rows) != 1 {
		t.Fatalf("%v: %s", err, stdout)
	}
	for _, key := range []string{"structure", "workload", "n", "instructions", "l1_misses", "ll_misses", "mispredicted"} {
		if rows[0][key] == nil || key == "l1_misses" && rows[0][key] == 0.0 {
			t.Errorf("%v: no %s", rows[0], key)
		}
	}
	fail.Unless(t, stderr, "No difference: none of 1 ratios")

	code, stdout, stderr := run(append(count, "--json", "--fail-on-regression", "--against", filepath.Join(dir, "lean"))...)
	if code != exitError || !strings.HasPrefix(stdout, "[") {
		t.Errorf("exit %d, the standard output is %.50s", code, stdout)
	}
	fail.Unless(t, stderr, "1 of 1 execute more (auto on start-stop, n 10", "--fail-on-regression")
	refused(t, []string{"count", "--fail-on-regression"}, "needs --against")
	t.Setenv("PATH", t.TempDir())
	endsWith(t, exitError, count, "no valgrind: apt-get install valgrind")
}
